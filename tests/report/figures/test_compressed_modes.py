"""Compressed modes: which runs each panel draws, and what the texts say of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xcbench.report.figures.compressed_modes import (
    figure_compressed_modes,
    missing_compressed_modes,
)
from xcbench.report.figures.mesh_modes import draw_function, figure_mesh_modes, missing_mesh_modes
from xcbench.report.figures.style import panels

Row = dict[str, Any]


def made(dataset: str = "line-8", model: str = "modes_madmm", seed: int = 0, **changes: Any) -> Row:
    label = changes.get("method", model)
    is_line = dataset.startswith("line")
    row: Row = {
        "run_id": f"{dataset}/{label}-{seed}", "utc": "2026-01-01", "status": "done",
        "task.kind": "compressed_modes", "task.modes": 2, "task.mu": 0.5, "dataset": dataset,
        "dataset.measure": 4.0, "method": label, "method.model": model, "seed": seed, "split": 1,
        "cost": 10.0 + seed, "sparsity": 60.0, "ms_per_iteration": 2.0 + seed,
        "n_train": int(dataset.split("-")[1]) if is_line else 4,
    }  # fmt: skip
    row |= {"dataset.line": row["n_train"]} if is_line else {"dataset.mesh": "meshes/pyramid"}
    if model == "modes_madmm":
        row |= {"method.solver": "conjugate_gradient", "method.inner_iterations": 3}
    return row | changes


def arrays(run_id: str) -> dict[str, np.ndarray]:
    seed = float(run_id.rsplit("-", 1)[1])
    modes = np.zeros((8, 2), np.float32)
    modes[:3, 0], modes[5:, 1] = 0.5, 0.6
    found = {
        "modes": modes,
        "costs": np.array([40.0, 20.0, 10.0 + seed]),
        "trace_seconds": np.array([0.0, 0.1, 0.2]),
    }
    if run_id.startswith("pyramid"):
        found["modes"] = modes[:4]
        found["vertices"] = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
        found["triangles"] = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
    return found


def titles(rows: list[Row]) -> list[str]:
    return [axis.get_title("left") for axis in figure_compressed_modes(rows, arrays).figure.axes]


def test_without_runs_there_is_no_figure_and_a_command() -> None:
    rows = [made(status="failed"), {"status": "done", "dataset": "bibtex"}]
    assert figure_compressed_modes(rows, arrays) is None
    assert figure_mesh_modes(rows, arrays) is None
    assert figure_compressed_modes([made()], lambda run_id: None) is None
    command = "xcbench run configs/compressed-modes.yaml"
    assert [each.command for each in missing_compressed_modes(rows)] == [command]
    command = "xcbench run configs/compressed-modes-mesh.yaml"
    assert [each.command for each in missing_mesh_modes(rows)] == [command]


def test_one_run_shows_its_modes_and_what_is_missing() -> None:
    assert titles([made()]) == ["(a) modes on line-8"]
    commands = [each.command for each in missing_compressed_modes([made()])]
    assert [command.rpartition("-")[2] for command in commands] == ["solvers.yaml", "scaling.yaml"]


def test_the_modes_are_those_of_the_cheapest_start() -> None:
    drawing = figure_compressed_modes([made(seed=seed) for seed in (2, 1, 3)], arrays)
    axis = drawing.figure.axes[0]
    assert len(axis.lines) == 2
    np.testing.assert_allclose(axis.lines[0].get_xdata(), 0.25 + 0.5 * np.arange(8))
    assert "MADMM from seed 1: cost 11, 60.0 % of the entries zero" in drawing.caption


def test_starts_are_told_apart_by_their_final_costs() -> None:
    rows = [made(seed=seed) for seed in (0, 1, 2)] + [made("line-9", seed=0)]
    drawing = figure_compressed_modes(rows, arrays)
    axis = drawing.figure.axes[1]
    assert axis.get_title("left") == "(b) random starts, line-8"
    assert [line.get_ydata()[-1] for line in axis.lines] == [10.0, 11.0, 12.0]
    assert "3 random starts: final cost 10 to 12, a spread of 20 %" in drawing.caption


def test_runs_of_another_mu_are_another_problem() -> None:
    rows = [made(seed=0), made(seed=1), made(seed=2, **{"task.mu": 0.7})]
    assert "2 random starts" in figure_compressed_modes(rows, arrays).caption


def test_an_old_run_gives_way_to_the_newest_of_its_kind() -> None:
    old = made(cost=1.0, run_id="old/run-5", utc="2025-01-01")
    assert "cost 10," in figure_compressed_modes([made(), old], arrays).caption


def test_x_steps_are_compared_on_a_seed_they_share() -> None:
    other = {"method": "descent", "method.solver": "steepest_descent"}
    rows = [made(seed=0), made(seed=1), made(seed=1, **other)]
    drawing = figure_compressed_modes(rows, arrays)
    axis = next(axis for axis in drawing.figure.axes if "X-steps" in axis.get_title("left"))
    assert [line.get_label() for line in axis.lines] == ["CG, 3", "descent, 3"]
    assert "from seed 1 with 2 X-steps" in drawing.caption


def test_methods_are_compared_over_time_by_the_best_start_of_each() -> None:
    rows = [
        made(model=model, seed=seed) for model in ("modes_soc", "modes_madmm") for seed in (1, 2)
    ]
    drawing = figure_compressed_modes(rows, arrays)
    axis = next(axis for axis in drawing.figure.axes if "methods" in axis.get_title("left"))
    assert [line.get_label() for line in axis.lines] == ["MADMM", "SOC (Lai and Osher)"]
    np.testing.assert_allclose(axis.lines[0].get_xdata(), [0.1, 0.2])
    np.testing.assert_allclose(axis.lines[0].get_ydata(), [20 / 11 - 1, 1e-5])


def test_preconditioned_madmm_stands_apart_from_the_plain_one() -> None:
    solver = {"method.solver": "preconditioned_conjugate_gradient", "method.inner_iterations": 1}
    ours = {"method": "ours", "ms_per_iteration": 9.0, **solver}
    rows = [made(f"line-{n}", seed=seed) for n in (8, 16, 32) for seed in (1, 2)]
    rows += [made(f"line-{n}", seed=seed, **ours) for n in (8, 16) for seed in (1, 2)]
    drawing = figure_compressed_modes(rows, arrays)
    found = {axis.get_title("left")[4:].split(",")[0]: axis for axis in drawing.figure.axes}
    names = [line.get_label() for line in found["methods"].lines]
    assert names == ["preconditioned MADMM", "MADMM"]
    names = [line.get_label() for line in found["X-steps"].lines]
    assert names == ["CG, 3", "preconditioned CG, 1"]
    times = {line.get_label(): list(line.get_ydata()) for line in found["time per iteration"].lines}
    assert times["preconditioned MADMM"] == [9.0, 9.0]
    assert times["MADMM"] == [3.5, 3.5, 3.5]
    assert "MADMM: CG, 3 a round" in drawing.caption
    assert "preconditioned MADMM: preconditioned CG, 1 a round" in drawing.caption


def test_times_are_medians_by_length_and_meshes_stand_apart() -> None:
    rows = [made("line-8", seed=seed) for seed in (0, 1, 2)]
    rows += [made("line-16"), made("line-32"), made("pyramid", seed=5)]
    drawing = figure_compressed_modes(rows, arrays)
    axis = next(axis for axis in drawing.figure.axes if "time per" in axis.get_title("left"))
    assert list(axis.lines[0].get_xdata()) == [8, 16, 32]
    assert list(axis.lines[0].get_ydata()) == [3.0, 2.0, 2.0]
    assert list(axis.lines[1].get_ydata()) == [7.0]
    assert "MADMM 2 ms at 32 vertices" in drawing.caption
    assert len(missing_compressed_modes(rows)) == 1


def test_each_mode_of_a_mesh_has_a_panel() -> None:
    drawing = figure_mesh_modes([made("pyramid", seed=seed) for seed in (3, 1)], arrays)
    drawn = [axis for axis in drawing.figure.axes if axis.collections]
    assert len(drawn) == 2
    assert "from seed 1" in drawing.caption
    assert "covers 0.0 to 75.0 % of its vertices" in drawing.alt
    assert missing_mesh_modes([made("pyramid")]) == []


@pytest.mark.parametrize(("sign", "strongest"), [(1.0, 2), (-1.0, 0)])
def test_the_sign_of_a_function_is_its_colour(sign: float, strongest: int) -> None:
    """A triangle that faces the eye: blue where positive, vermillion (red) where negative."""
    _, axes = panels(1, 1, height=1)
    mesh = arrays("pyramid-0")
    draw_function(axes[0], mesh, np.full(4, sign))
    colours = axes[0].collections[0].get_facecolor()[:, :3]
    assert np.all(colours.argmax(axis=1) == strongest)
    draw_function(axes[0], mesh, np.zeros(4))
    greys = axes[0].collections[1].get_facecolor()[:, :3]
    np.testing.assert_allclose(greys, greys[:, :1].repeat(3, axis=1))


def test_near_triangles_are_drawn_over_far_ones() -> None:
    _, axes = panels(1, 1, height=1)
    square = np.array([[0, 0], [1, 0], [0, 1]])
    vertices = np.concatenate([np.c_[square, np.full(3, z)] for z in (5.0, -5.0)])
    mesh = {"vertices": vertices, "triangles": np.array([[0, 1, 2], [3, 4, 5]])}
    draw_function(axes[0], mesh, np.array([1.0, 1, 1, 0, 0, 0]))
    last = axes[0].collections[0].get_facecolor()[-1]
    assert last[2] > last[0]  # the near triangle is the blue one

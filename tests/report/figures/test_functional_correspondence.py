"""Functional correspondence: which runs are drawn, and that lines are the arrays' numbers."""

import numpy as np
import pytest

from tests.report.figures.conftest import made_row
from xcbench.report.figures.functional_correspondence import (
    figure_functional_correspondence,
    missing_functional_correspondence,
)

RADII = np.linspace(0.0, 0.5, 11)
METHODS = {
    "madmm": ("correspondence_madmm", 2.0),
    "least-squares": ("correspondence_least_squares", 3.0),
    "smoothed-1e-4": ("correspondence_smoothed", 2.5),
    "smoothed-1e-2": ("correspondence_smoothed", 2.2),
}


def run(method: str, shapes: int = 2, outliers: float = 16.0, seed: int = 0, **changes):
    model, cost = METHODS[method]
    own = {"method.epsilon": float(method[9:])} if model == "correspondence_smoothed" else {}
    return made_row(
        method, 0.0, f"spot-{shapes}", **{
            "run_id": f"{method}/{shapes}/{outliers}/{seed}", "seed": seed,
            "task.kind": "functional_correspondence", "task.outliers": [outliers],
            "task.functions": 25, "task.basis": 25, "task.mu": 100.0, "task.diffusion": 1.0,
            "dataset.mesh": "meshes/spot",
            "dataset.shapes": shapes, "method.model": model, "cost": cost, "within_5": 80.0,
            "correspondence_error": cost, **own, **changes,
        }
    )  # fmt: skip


def arrays(run_id: str):
    method, _, outliers, seed = run_id.split("/")
    cost = METHODS[method][1]
    return {
        "radii": RADII, "within": np.linspace(0.0, 90.0, 11) + float(seed) - float(outliers),
        "trace_cost": cost * np.array([4.0, 2.0, 1.0]),
        "trace_seconds": np.array([0.0, 0.1, 0.2]), "distortion": np.array([0.03, 0.05]),
    }  # fmt: skip


@pytest.fixture
def rows():
    return [
        run(method, shapes, seed=seed)
        for method in METHODS for shapes in (6, 2) for seed in (0, 1)
    ]  # fmt: skip


def test_lines_are_means_over_seeds_of_all_methods(rows):
    axes = figure_functional_correspondence(rows, arrays).figure.axes
    assert [axis.get_title("left") for axis in axes] == [
        "(a) spot-2, error", "(b) spot-6, error",
        "(c) spot-2, convergence", "(d) spot-6, convergence",
    ]  # fmt: skip
    assert [line.get_label() for line in axes[0].lines] == [
        "madmm", "least-squares", "smoothed-1e-2", "smoothed-1e-4",
    ]  # fmt: skip
    np.testing.assert_allclose(axes[1].lines[0].get_xdata(), RADII)
    np.testing.assert_allclose(axes[1].lines[0].get_ydata(), np.linspace(-15.5, 74.5, 11))


def test_convergence_is_the_cost_above_the_lowest_of_any_method(rows):
    axis = figure_functional_correspondence(rows, arrays).figure.axes[2]
    ours, squares = axis.lines[:2]
    np.testing.assert_allclose(ours.get_xdata(), [100.0, 200.0])
    np.testing.assert_allclose(ours.get_ydata(), [1.0, 1e-6])
    np.testing.assert_allclose(squares.get_ydata(), [2.0, 0.5])


def test_looks_tell_methods_apart(rows):
    lines = figure_functional_correspondence(rows, arrays).figure.axes[0].lines
    assert len({(x.get_color(), x.get_marker(), x.get_linestyle()) for x in lines}) == len(lines)


def test_runs_with_fewer_outliers_failed_runs_and_other_tasks_stay_out(rows):
    others = [
        run("madmm", outliers=0.0), run("madmm", outliers=40.0, status="failed"),
        {**run("madmm", outliers=50.0), "task.kind": "compressed_modes"}, made_row("rxml", 60.0),
    ]  # fmt: skip
    with_others = figure_functional_correspondence(rows + others, arrays)
    assert "16 % of 25" in with_others.caption
    np.testing.assert_allclose(with_others.figure.axes[0].lines[0].get_ydata()[0], -15.5)


def test_of_runs_alike_the_newest_counts_and_lost_arrays_are_left_out(rows):
    newer = run("madmm", run_id="madmm/2/16/8", utc="2027-01-01T00:00:00+00:00")
    lost = run("madmm", seed=5, run_id="lost")
    drawing = figure_functional_correspondence(
        [newer, *rows, lost], lambda run_id: None if run_id == "lost" else arrays(run_id)
    )
    # seed 0 is the newer run's curve, which begins 8 higher
    assert drawing.figure.axes[0].lines[0].get_ydata()[0] == pytest.approx((8 + 1) / 2 - 16)


@pytest.mark.parametrize("key", ["task.mu", "task.basis", "task.functions", "task.diffusion"])
def test_runs_of_another_problem_stay_out(rows, key):
    other = [run("madmm", seed=seed, run_id=f"madmm/2/16/{seed + 7}",
                 utc="2027-01-01T00:00:00+00:00", **{key: 7}) for seed in (0, 1)]  # fmt: skip
    drawing = figure_functional_correspondence(rows + other, arrays)
    assert drawing.figure.axes[0].lines[0].get_ydata()[0] == pytest.approx(-15.5)
    assert "mu 100, diffusion 1; seeds 0 and 1, 8 runs" in drawing.caption


def test_runs_of_a_label_s_older_settings_stay_out(rows):
    newer = [run("madmm", run_id="madmm/2/16/8", utc="2027-01-01", **{"method.rho": 2.0})]
    drawing = figure_functional_correspondence(rows + newer, arrays)
    assert drawing.figure.axes[0].lines[0].get_ydata()[0] == pytest.approx(8 - 16)


def test_words_state_data_seeds_and_numbers(rows):
    drawing = figure_functional_correspondence(rows, arrays)
    assert "6 poses of meshes/spot" in drawing.caption
    assert "edge lengths changed by 4.0 % on average" in drawing.caption
    assert "seeds 0 and 1" in drawing.caption
    assert "madmm 80.0 % within 5 % and mean error 2.00 %" in drawing.alt


def test_without_runs_there_is_no_figure_but_a_command():
    assert figure_functional_correspondence([made_row("rxml", 60.0)], arrays) is None
    assert figure_functional_correspondence([run("madmm")], lambda _: None) is None
    gap = missing_functional_correspondence([made_row("rxml", 60.0)])
    assert gap[0].command == "xcbench run configs/correspondence.yaml"
    assert missing_functional_correspondence([run("madmm")]) == []

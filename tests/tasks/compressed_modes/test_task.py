from __future__ import annotations

import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.tasks.compressed_modes.test_domain import square
from xcbench.config.compressed_modes import (
    CompressedModesDataset,
    CompressedModesTask,
    MadmmModesSettings,
    NeumannModesSettings,
    SocModesSettings,
)
from xcbench.errors import DataError
from xcbench.manifolds.stiefel import Stiefel
from xcbench.tasks.base import Outcome
from xcbench.tasks.compressed_modes import memory, open_data, run
from xcbench.tasks.compressed_modes.problem import CompressedModes, modes_cost
from xcbench.tasks.compressed_modes.task import solve

LINE = CompressedModesDataset(line=60, measure=20.0)
TASK = CompressedModesTask(modes=4, mu=0.3)
MADMM = MadmmModesSettings(iterations=400)


def outcome(
    folder: Path, settings: object = MADMM, seed: int = 0, dataset=LINE, task=TASK
) -> tuple[Outcome, dict[str, np.ndarray]]:
    job = SimpleNamespace(
        task=task, dataset=dataset, method=SimpleNamespace(settings=settings), seed=seed
    )
    data = open_data(dataset, folder, 1)
    found = run(job, data, folder, None)
    with np.load(folder / "predictions.npz") as arrays:
        return found, dict(arrays)


@pytest.mark.parametrize(
    "settings",
    [
        MADMM,
        MadmmModesSettings(iterations=400, inner_iterations=3, solver="conjugate_gradient"),
        MadmmModesSettings(iterations=400, inner_iterations=5, solver="steepest_descent"),
        MadmmModesSettings(iterations=250, inner_iterations=1, solver="trust_region"),
        SocModesSettings(orthogonal_rho=30.0),
        NeumannModesSettings(),
    ],
    ids=lambda settings: f"{settings.model}-{getattr(settings, 'solver', '')}",
)
def test_every_solver_finds_modes_of_the_same_cost(tmp_path: Path, settings: object) -> None:
    found, arrays = outcome(tmp_path, settings)
    assert found.metrics["cost"] == pytest.approx(COST, rel=0.01)
    assert found.metrics["orthogonality"] < 1e-6
    assert found.metrics["sparsity"] == pytest.approx(100 * np.mean(arrays["modes"] == 0))
    assert found.metrics["sparsity"] > 50
    assert found.metrics["iterations"] == len(arrays["costs"]) - 1 == len(arrays["primal"])
    assert len(arrays["trace_seconds"]) == len(arrays["costs"])


def test_random_starts_end_at_the_same_cost(tmp_path: Path) -> None:
    costs = [outcome(tmp_path, seed=seed)[0].metrics["cost"] for seed in range(6)]
    assert max(costs) < 1.01 * min(costs)


def test_the_modes_kept_are_those_the_metrics_are_of(tmp_path: Path) -> None:
    found, arrays = outcome(tmp_path)
    domain = open_data(LINE, tmp_path, 1).content
    modes = arrays["modes"].astype(np.float64)
    assert modes.shape == (60, 4)
    np.testing.assert_allclose(modes.T @ modes, np.eye(4), atol=1e-6)
    assert modes_cost(domain.energy, domain.weight(0.3), modes) == pytest.approx(
        found.metrics["cost"], rel=1e-5
    )
    energies = np.diag(modes.T @ (domain.energy @ modes))
    assert np.all(np.diff(energies) > -1e-5)
    assert np.all(modes.sum(axis=0) > 0)


def test_no_point_nearby_costs_less(tmp_path: Path) -> None:
    """Along orthonormal curves that keep the zeros or not, the cost rises."""
    _, arrays = outcome(tmp_path, MadmmModesSettings(iterations=3000, relative=1e-7, absolute=1e-9))
    domain = open_data(LINE, tmp_path, 1).content
    weight, manifold = domain.weight(0.3), Stiefel(60, 4)
    modes = manifold.retract(arrays["modes"].astype(np.float64), np.zeros((60, 4)), 0.0)
    cost = modes_cost(domain.energy, weight, modes)
    rng = np.random.default_rng(0)
    for _ in range(200):
        ambient = rng.standard_normal((60, 4)) * rng.choice([0.0, 1.0], (60, 4))
        tangent = manifold.project(modes, ambient)
        near = manifold.retract(modes, tangent, 1e-3 / np.linalg.norm(tangent))
        assert modes_cost(domain.energy, weight, near) > cost - 1e-6


def test_equal_seeds_give_equal_bytes_and_others_do_not(tmp_path: Path) -> None:
    hashes = [outcome(tmp_path, seed=seed)[0].predictions_sha256 for seed in (1, 1, 2)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_modes_of_a_mesh_leave_the_mesh_for_a_picture(tmp_path: Path) -> None:
    (tmp_path / "square.obj").write_text(square(9, 1.0))
    dataset = CompressedModesDataset(mesh="square", measure=20.0)
    found, arrays = outcome(tmp_path, dataset=dataset)
    assert (arrays["vertices"].shape, arrays["triangles"].shape) == ((100, 3), (162, 3))
    assert found.metrics["sparsity"] > 20
    data = open_data(dataset, tmp_path, 1)
    assert (data.sizes.n_train, data.sources[0]["path"]) == (100, str(tmp_path / "square.obj"))


def test_of_no_weight_to_speak_of_the_modes_are_eigenvectors(tmp_path: Path) -> None:
    found, _ = outcome(tmp_path, task=CompressedModesTask(modes=4, mu=1e-6))
    expected = sum((np.pi * j / 20.0) ** 2 for j in range(4))
    assert found.metrics["cost"] == pytest.approx(expected, rel=1e-2)


def test_unfinished_modes_that_no_zeros_allow_are_the_orthonormal_copy(tmp_path: Path) -> None:
    """After one iteration of SOC the sparse copy is empty or far from orthonormal."""
    found, arrays = outcome(tmp_path, SocModesSettings(iterations=1, rho=1e-3))
    assert found.metrics["orthogonality"] < 1e-6
    assert np.count_nonzero(arrays["modes"]) == arrays["modes"].size


def test_more_modes_than_vertices(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line-3: 4 modes of 3 vertices"):
        outcome(tmp_path, dataset=CompressedModesDataset(line=3))


def job_of(settings: object, dataset=LINE, modes: int = 4) -> SimpleNamespace:
    task = CompressedModesTask(modes=modes)
    return SimpleNamespace(task=task, dataset=dataset, method=SimpleNamespace(settings=settings))


@pytest.mark.parametrize(
    "settings",
    [
        MadmmModesSettings(iterations=3),
        MadmmModesSettings(iterations=3, solver="trust_region"),
        SocModesSettings(iterations=3),
        NeumannModesSettings(iterations=3),
    ],
    ids=lambda settings: f"{settings.model}-{getattr(settings, 'solver', '')}",
)
@pytest.mark.parametrize(("stage", "modes"), [("solver", 20), ("polish", 8)])
def test_the_memory_asked_for_is_about_what_the_arrays_take(
    tmp_path: Path, stage: str, modes: int, settings: object
) -> None:
    """Of modes without zeros yet; 20 of them are too many for the polish, which then takes none."""
    dataset = CompressedModesDataset(line=4000)
    job = job_of(settings, dataset, modes)
    data = open_data(dataset, tmp_path, 1)
    asked = next(each.task for each in memory(job, data, 1).stages if each.name == stage)
    job.seed = 0
    tracemalloc.start()
    run(job, data, tmp_path, None)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < asked < 1.5 * taken


def test_memory_grows_with_vertices_and_modes(tmp_path: Path) -> None:
    small, large = (
        memory(job_of(MADMM, modes=modes), open_data(dataset, tmp_path, 1), 1)
        for dataset, modes in ((LINE, 4), (CompressedModesDataset(line=60_000), 1000))
    )
    assert small.needed < 2**29
    # 17 arrays of 60000 x 1000 numbers
    assert large.needed == pytest.approx(small.needed + 17 * 8 * 60e6, rel=0.05)


def test_the_clock_holds_the_evaluation_of_the_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every solver alike: seconds by a clock that only costs move."""
    now = [0.0]

    def tick(*_: object) -> float:
        now[0] += 1.0
        return 1.0

    for module in ("optim.madmm", "tasks.compressed_modes.baselines"):
        monkeypatch.setattr(f"xcbench.{module}.perf_counter", lambda: now[0])
    monkeypatch.setattr("xcbench.tasks.compressed_modes.baselines.modes_cost", tick)
    monkeypatch.setattr(CompressedModes, "nonsmooth", tick)
    domain = open_data(LINE, tmp_path, 1).content
    start = Stiefel(60, 4).random_point(np.random.default_rng(0))
    for settings in (
        MadmmModesSettings(iterations=3),
        SocModesSettings(iterations=3),
        NeumannModesSettings(iterations=3),
    ):
        now[0] = 0.0
        assert solve(domain, 1.0, start, settings).seconds == [1.0, 2.0, 3.0, 4.0]


def test_there_is_one_split(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line-60-measure20 has one split; found 2"):
        open_data(LINE, tmp_path, 2)


# Of Neumann et al.'s splitting after 6000 iterations from each of 20 starts.
COST = 3.1581

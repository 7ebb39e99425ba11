"""All methods: recovery of the truth, robustness, orthonormality, determinism."""

import numpy as np
import pytest

from tests.tasks.functional_correspondence.conftest import BASIS, problem_of, scene_of
from xcbench.config.functional_correspondence import (
    CorrespondenceLeastSquaresSettings,
    CorrespondenceMadmmSettings,
    CorrespondenceSmoothedSettings,
)
from xcbench.tasks.functional_correspondence.evaluation import both_ways, map_errors, maps_between
from xcbench.tasks.functional_correspondence.problem import CoupledDiagonalisation
from xcbench.tasks.functional_correspondence.solvers import solve

METHODS = {
    "madmm": CorrespondenceMadmmSettings(),
    "least squares": CorrespondenceLeastSquaresSettings(),
    "smoothed": CorrespondenceSmoothedSettings(),
}


def error_of(scene, bases) -> float:
    pairs = both_ways(len(scene.shapes))
    maps = maps_between(scene.shapes, bases, pairs, scene.points)
    return float(map_errors(scene.shapes, pairs, maps, scene.points).mean())


@pytest.fixture(scope="module")
def solved(contaminated):
    return {name: solve(problem_of(contaminated), found) for name, found in METHODS.items()}


@pytest.mark.parametrize("name", METHODS)
def test_an_isometry_is_recovered_vertex_for_vertex(isometric, name):
    # Renumbering makes eigenvectors of other signs, so that the identity would not do.
    found = solve(problem_of(isometric), METHODS[name])
    assert error_of(isometric, found.bases) == 0.0
    assert error_of(isometric, (np.eye(BASIS), np.eye(BASIS))) > 0.1


@pytest.mark.parametrize("name", METHODS)
def test_bases_stay_orthonormal(solved, name):
    for X in solved[name].bases:
        np.testing.assert_allclose(X.T @ X, np.eye(BASIS), atol=1e-10)


def test_with_outliers_madmm_costs_least_and_errs_less_than_least_squares(contaminated, solved):
    problem = problem_of(contaminated)
    cost = {name: problem.cost(found.bases) for name, found in solved.items()}
    assert cost["madmm"] < 0.99 * cost["least squares"]
    assert cost["madmm"] == pytest.approx(cost["smoothed"], rel=0.01)
    error = {name: error_of(contaminated, found.bases) for name, found in solved.items()}
    assert error["madmm"] < 0.8 * error["least squares"]
    assert error["smoothed"] < 0.8 * error["least squares"]


def test_madmm_solves_to_the_optimality_conditions(contaminated):
    """With g's rows away from 0 the cost is smooth there, and its Riemannian gradient is small."""
    problem = problem_of(contaminated)
    found = solve(problem, CorrespondenceMadmmSettings(iterations=3000, tolerance=1e-7))
    residual = problem.forward(found.bases)
    lengths = np.linalg.norm(residual, axis=-1, keepdims=True)
    assert lengths.min() > 1e-4
    pulled = problem.adjoint(found.bases, residual / lengths)
    off = problem.smooth_gradient(found.bases)
    for X, a, b in zip(found.bases, pulled, off, strict=True):
        gradient = a + b
        skew = X.T @ gradient
        assert np.abs(skew - skew.T).max() < 1e-3 * np.abs(gradient).max()


def test_traces_begin_at_the_start_and_end_at_the_result(contaminated, solved):
    problem = problem_of(contaminated)
    for found in solved.values():
        assert found.costs.shape == found.seconds.shape == (found.iterations + 1,)
        assert found.costs[-1] == pytest.approx(problem.cost(found.bases), rel=1e-12)
        assert (np.diff(found.seconds) >= 0).all()
    starts = [found.costs[0] for found in solved.values()]
    assert starts == pytest.approx([starts[0]] * 3)


def test_the_clock_holds_the_evaluation_of_the_cost(contaminated, monkeypatch):
    """Of every method alike: seconds by a clock that only evaluations of the 2,1-norm move."""
    now = [0.0]

    def tick(*_):
        now[0] += 1.0
        return 1.0

    for module in ("optim.madmm", "tasks.functional_correspondence.solvers"):
        monkeypatch.setattr(f"xcbench.{module}.perf_counter", lambda: now[0])
    monkeypatch.setattr(CoupledDiagonalisation, "nonsmooth", tick)
    for settings in METHODS.values():
        now[0] = 0.0
        few = settings.model_copy(update={"iterations": 3})
        assert solve(problem_of(contaminated), few).seconds.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_least_squares_may_weigh_the_diagonals_otherwise(contaminated):
    own = solve(problem_of(contaminated, 1.0), CorrespondenceLeastSquaresSettings(mu=30.0))
    same = solve(problem_of(contaminated, 30.0), CorrespondenceLeastSquaresSettings())
    for a, b in zip(own.bases, same.bases, strict=True):
        np.testing.assert_array_equal(a, b)
    # Its cost is the task's all the same.
    assert own.costs[-1] == pytest.approx(problem_of(contaminated, 1.0).cost(own.bases))


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_bytes(sphere, name):
    first, second = (
        solve(problem_of(scene_of(sphere, deformation=0.3, outliers=15.0)), METHODS[name])
        for _ in range(2)
    )
    for a, b in zip(first.bases, second.bases, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_identity_is_a_start_too(contaminated):
    found = solve(problem_of(contaminated), CorrespondenceMadmmSettings(start="identity"))
    problem = problem_of(contaminated)
    assert found.costs[0] == pytest.approx(problem.cost((np.eye(BASIS),) * 3))
    assert found.costs[-1] < found.costs[0]

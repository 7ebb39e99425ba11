from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from tests.manifolds.laws import assert_gradient
from xcbench.data.surfaces.laplacian import line_laplacian
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.augmented import Augmented, Measure
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.tasks.compressed_modes.problem import (
    CompressedModes,
    ModesState,
    PreconditionedXStep,
    modes_cost,
)

N, K, RHO = 30, 4, 0.7
MANIFOLD = Stiefel(N, K)


@pytest.fixture
def modes() -> CompressedModes:
    return CompressedModes(line_laplacian(N), 0.3)


def made(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A point, a tangent vector there, a target."""
    rng = np.random.default_rng(seed)
    point = MANIFOLD.random_point(rng)
    tangent = MANIFOLD.project(point, rng.standard_normal((N, K)))
    return point, tangent, rng.standard_normal((N, K))


def full_cost(modes: CompressedModes, point: np.ndarray, target: np.ndarray) -> float:
    energy = np.trace(point.T @ modes.energy.toarray() @ point)
    return energy + 0.5 * RHO * np.sum((point - target) ** 2)


def test_costs_are_the_written_out_sums(modes: CompressedModes) -> None:
    point, _, _ = made(0)
    steps = np.sum((point[1:] - point[:-1]) ** 2)
    assert modes.smooth(point) == pytest.approx(steps)
    assert modes.nonsmooth(point) == pytest.approx(0.3 * np.abs(point).sum())
    assert modes_cost(modes.energy, 0.3, point) == pytest.approx(steps + modes.nonsmooth(point))


def test_the_prox_is_the_minimiser_entry_by_entry(modes: CompressedModes) -> None:
    values = np.array([[-2.0, -0.1], [0.05, 1.0]])
    for value, found in zip(values.flat, modes.prox(values, 0.5).flat, strict=True):
        best = minimize_scalar(
            lambda z, v=value: 0.5 * 0.3 * abs(z) + 0.5 * (z - v) ** 2,
            bounds=(-3, 3),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert found == pytest.approx(best.x, abs=1e-6)


def test_the_gradient_fits_the_cost(modes: CompressedModes) -> None:
    point, tangent, target = made(1)
    x_step = modes.augmented(target, RHO)
    gradient = x_step.gradient(x_step.start(point))
    np.testing.assert_allclose(MANIFOLD.project(point, gradient), gradient, atol=1e-12)
    assert_gradient(
        lambda t: full_cost(modes, MANIFOLD.retract(point, tangent, t), target),
        MANIFOLD.inner(point, gradient, tangent),
    )


@pytest.mark.parametrize("t", [0.0, 1e-3, 0.4, 5.0])
def test_the_line_is_the_cost_of_the_retracted_point(modes: CompressedModes, t: float) -> None:
    point, tangent, target = made(2)
    x_step = modes.augmented(target, RHO)
    line = x_step.line(x_step.start(point), tangent)
    reached = MANIFOLD.retract(point, tangent, t)
    constant = 0.5 * RHO * (K + np.sum(target**2))
    assert line.cost(t) + constant == pytest.approx(full_cost(modes, reached, target))
    state = line.move(t)
    np.testing.assert_allclose(state.point, reached, atol=1e-12)
    np.testing.assert_allclose(state.product, modes.energy @ reached, atol=1e-12)
    assert state.cost == pytest.approx(line.cost(t))


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_step_is_the_minimum_of_the_line(modes: CompressedModes, seed: int) -> None:
    point, _, target = made(seed)
    x_step = modes.augmented(target, RHO)
    state = x_step.start(point)
    gradient = x_step.gradient(state)
    line = x_step.line(state, -gradient)
    step = line.exact_step()
    best = minimize_scalar(line.cost, bounds=(0, 2), method="bounded")
    assert line.cost(step) <= best.fun + 1e-3 * (state.cost - best.fun)


def test_uphill_there_is_no_step(modes: CompressedModes) -> None:
    point, _, target = made(3)
    x_step = modes.augmented(target, RHO)
    state = x_step.start(point)
    assert x_step.line(state, x_step.gradient(state)).exact_step() == 0.0


def test_the_x_step_solves_what_the_generic_one_does(modes: CompressedModes) -> None:
    point, _, target = made(4)
    generic = Augmented(modes, MANIFOLD, Measure(modes)).aim(target, RHO)
    found = [
        conjugate_gradient(x_step, point, manifold=MANIFOLD, iterations=300, tolerance=1e-9).point
        for x_step in (modes.augmented(target, RHO), generic)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)


def test_the_preconditioner_is_symmetric_and_positive_on_the_tangent_space() -> None:
    """All of its entries in a basis of the tangent vectors."""
    x_step, state, basis = preconditioned(5)
    scaled = [x_step.precondition(state, tangent) for tangent in basis]
    matrix = np.array([[MANIFOLD.inner(state.point, u, v) for v in scaled] for u in basis])
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    assert np.linalg.eigvalsh(matrix).min() > 0
    for each in scaled:
        np.testing.assert_allclose(MANIFOLD.project(state.point, each), each, atol=1e-12)


def test_the_preconditioner_is_the_projected_inverse_of_the_matrix() -> None:
    x_step, state, basis = preconditioned(6)
    matrix = 2.0 * x_step.modes.energy.toarray() + RHO * np.eye(N)
    for tangent in basis[::10]:
        expected = MANIFOLD.project(state.point, np.linalg.solve(matrix, tangent))
        np.testing.assert_allclose(x_step.precondition(state, tangent), expected, atol=1e-10)


def test_preconditioned_steps_end_at_the_same_point_in_a_fraction_of_them() -> None:
    """Smooth modes and a target beside them, as in later rounds of MADMM."""
    energy = 1e3 * line_laplacian(N)
    rng = np.random.default_rng(7)
    smooth = np.linalg.eigh(energy.toarray())[1][:, :K]
    target = smooth + 0.3 * rng.standard_normal((N, K)) / np.sqrt(N)
    start = MANIFOLD.retract(smooth, rng.standard_normal((N, K)), 0.1)
    plain, scaled = (
        conjugate_gradient(
            CompressedModes(energy, 0.3, preconditioned).augmented(target, 1e2),
            start, manifold=MANIFOLD, iterations=500, tolerance=1e-6,
        )
        for preconditioned in (False, True)
    )  # fmt: skip
    np.testing.assert_allclose(scaled.point, plain.point, atol=1e-5)
    assert scaled.reason == plain.reason == "gradient norm below tolerance"
    assert 3 * scaled.iterations < plain.iterations


def test_the_matrix_is_factorised_once_for_a_penalty(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(
        "xcbench.tasks.compressed_modes.problem.shifted_solver",
        lambda energy, shift: asked.append(shift),
    )
    modes = CompressedModes(line_laplacian(N), 0.3, preconditioned=True)
    assert asked == []
    for rho in (1.0, 2.0, 1.0, 2.0):
        modes.augmented(np.zeros((N, K)), rho)
    assert asked == [1.0, 2.0]


def preconditioned(seed: int) -> tuple[PreconditionedXStep, ModesState, list[np.ndarray]]:
    """An X-step, a state of it and a basis of the tangent space there."""
    point, _, target = made(seed)
    x_step = CompressedModes(line_laplacian(N), 0.3, preconditioned=True).augmented(target, RHO)
    units = np.eye(N * K).reshape(-1, N, K)
    projected = np.array([MANIFOLD.project(point, unit).ravel() for unit in units])
    vectors = np.linalg.svd(projected)[2][: MANIFOLD.dimension]
    return x_step, x_step.start(point), list(vectors.reshape(-1, N, K))

"""Absolute errors of squared distances: the X-step against dense formulas, and what comes out."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from tests.manifolds import laws
from tests.optim.split_problems import DistanceGradients, spoiled_distances
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.optim.augmented import Augmented, Measure
from xcbench.optim.distances import classical_scaling
from xcbench.optim.madmm import madmm
from xcbench.optim.robust_embedding import AbsoluteDistances, DistanceFit

RHO = 3.0


@pytest.fixture
def step():
    """Points off the centre, a direction, and an X-step with its target over pairs."""
    rng = np.random.default_rng(1)
    target = rng.standard_normal(12 * 11 // 2)
    Z, U = rng.standard_normal((2, 12, 2)) + 0.5
    return AbsoluteDistances(np.abs(target)).augmented(target, RHO), Z, U, target


def test_cost_is_the_squared_distance_to_the_target_over_pairs(step):
    problem, Z, _, target = step
    expected = 0.5 * RHO * np.sum((pdist(Z, "sqeuclidean") - target) ** 2)
    assert problem.start(Z).cost == pytest.approx(expected)


def test_gradient_is_the_derivative_of_the_cost_and_horizontal(step):
    problem, Z, U, _ = step
    gradient = problem.gradient(problem.start(Z))
    direction = U / np.linalg.norm(U)
    laws.assert_gradient(
        lambda t: problem.start(Z + t * direction).cost,
        np.vdot(gradient, direction),
        np.logspace(-1.5, -3.5, 9),
    )
    np.testing.assert_allclose(Z.T @ gradient, gradient.T @ Z, atol=1e-9)


@pytest.mark.parametrize("t", [-0.7, 0.2, 1.5])
def test_line_and_moved_state_are_those_found_anew(step, t):
    problem, Z, U, _ = step
    line = problem.line(problem.start(Z), U)
    fresh = problem.start(Z + t * U)
    assert line.cost(t) == pytest.approx(fresh.cost)
    moved = line.move(t)
    np.testing.assert_allclose(moved.point, fresh.point)
    assert moved.cost == pytest.approx(fresh.cost)
    np.testing.assert_allclose(problem.gradient(moved), problem.gradient(fresh), atol=1e-9)


def test_exact_step_is_the_lowest_on_a_grid(step):
    problem, Z, _, _ = step
    state = problem.start(Z)
    line = problem.line(state, -problem.gradient(state))
    t = line.exact_step()
    assert line.cost(t) <= min(line.cost(s) for s in np.linspace(0.0, 4 * t, 400)) + 1e-12


def test_own_x_step_goes_the_way_of_the_generic_one():
    _, D = spoiled_distances(20, 0.1)
    manifold, start = PSDFixedRank(20, 2), classical_scaling(squareform(D), 2)
    problem = DistanceGradients(D)
    own = AbsoluteDistances(D).augmented(D, RHO)
    generic = Augmented(problem, manifold, Measure(problem), D, RHO)
    ours, theirs = own.start(start), generic.start(start)
    assert ours.cost == pytest.approx(theirs.cost)
    np.testing.assert_allclose(own.gradient(ours), generic.gradient(theirs), atol=1e-9)


def test_prox_finds_what_no_neighbour_betters():
    rng = np.random.default_rng(0)
    D, values = rng.uniform(0, 2, 30), rng.uniform(0, 2, 30)
    problem = AbsoluteDistances(D)

    def cost(z: np.ndarray) -> float:
        return 0.3 * problem.nonsmooth(z) + 0.5 * float(np.sum((z - values) ** 2))

    best = problem.prox(values, 0.3)
    for scale in (1e-1, 1e-3):
        assert all(cost(best) <= cost(best + scale * rng.standard_normal(30)) for _ in range(200))


@pytest.mark.parametrize("solver", ["conjugate_gradient", "steepest_descent"])
def test_doubled_distances_are_seen_through_where_classical_scaling_is_led_astray(solver):
    X, D = spoiled_distances(40, 0.05)
    start = classical_scaling(squareform(D), 2)
    solution = madmm(
        AbsoluteDistances(D), start, manifold=PSDFixedRank(40, 2), rho=10.0, iterations=500,
        inner_iterations=5, solver=solver,
    )  # fmt: skip

    def worst(points: np.ndarray) -> float:
        return float(np.abs(pdist(points) - pdist(X)).max())

    assert worst(start) > 0.1
    assert worst(solution.point) < 1e-3
    # the truth costs what the doubled distances are off by
    truth = np.abs(pdist(X, "sqeuclidean") - D).sum()
    assert solution.cost == pytest.approx(truth, rel=1e-3)
    assert solution.costs[0] > 1.5 * truth


def test_all_points_in_one_place_leave_nothing_undefined():
    fit = DistanceFit(np.zeros((6, 6)), 1.0)
    state = fit.start(np.zeros((6, 2)))
    np.testing.assert_array_equal(fit.gradient(state), 0.0)
    assert state.cost == 0.0

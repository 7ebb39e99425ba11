"""MADMM against the smooth solver, closed forms and a plain copy of its three steps."""

import numpy as np
import pytest

from tests.optim.split_problems import (
    DistanceGradients,
    Modes,
    path_laplacian,
    spoiled_distances,
)
from xcbench.manifolds.euclidean import Euclidean
from xcbench.manifolds.product import Product
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim import madmm as module
from xcbench.optim.augmented import Augmented, Measure
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.madmm import MadmmSolution, madmm
from xcbench.optim.prox import prox_l1
from xcbench.optim.robust_embedding import AbsoluteDistances

SOLVERS = ["conjugate_gradient", "steepest_descent"]


class Gram(Modes):
    """||Z Z^T - M||^2 / 4 with A Z = Z, for the quotient S_+(n, r)."""

    def smooth(self, point):
        return 0.25 * float(np.sum((point @ point.T - self.L) ** 2))

    def smooth_gradient(self, point):
        return (point @ point.T - self.L) @ point


class Lasso(Modes):
    """1/2 ||x - b||^2 + mu ||x||_1: soft thresholding."""

    def smooth(self, point):
        return 0.5 * float(np.sum((point - self.L) ** 2))

    def smooth_gradient(self, point):
        return point - self.L


def manifold_solution(problem, start, manifold):
    """The smooth part alone by the manifold solver."""
    alone = Augmented(problem, manifold, Measure(problem))
    return conjugate_gradient(alone, start, manifold=manifold, iterations=2000, tolerance=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_g_it_finds_the_eigenvectors_the_manifold_solver_finds(solver):
    L, manifold = path_laplacian(12), Stiefel(12, 3)
    start = manifold.random_point(np.random.default_rng(0))
    smooth = manifold_solution(Modes(L, 0.0), start, manifold)
    split = madmm(
        Modes(L, 0.0),
        start,
        manifold=manifold,
        rho=0.05,
        iterations=3000,
        solver=solver,
        absolute=1e-9,
        relative=0.0,
    )
    assert smooth.cost == pytest.approx(np.linalg.eigvalsh(L)[:3].sum(), rel=1e-9)
    assert split.cost == pytest.approx(smooth.cost, rel=1e-9)
    np.testing.assert_allclose(
        split.point @ split.point.T, smooth.point @ smooth.point.T, atol=1e-6
    )
    np.testing.assert_allclose(split.split, split.point, atol=1e-8)


def test_without_g_it_finds_the_psd_matrix_the_manifold_solver_finds():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((8, 8))
    M = A @ A.T / 8
    manifold, start = PSDFixedRank(8, 2), rng.standard_normal((8, 2))
    smooth = manifold_solution(Gram(M, 0.0), start, manifold)
    split = madmm(
        Gram(M, 0.0),
        start,
        manifold=manifold,
        rho=0.1,
        iterations=2000,
        absolute=1e-9,
        relative=0.0,
    )
    best = 0.25 * np.sum(np.linalg.eigvalsh(M)[:-2] ** 2)
    assert smooth.cost == pytest.approx(best, rel=1e-9)
    assert split.cost == pytest.approx(best, rel=1e-9)
    np.testing.assert_allclose(
        split.point @ split.point.T, smooth.point @ smooth.point.T, atol=1e-6
    )


@pytest.mark.parametrize("rho", [0.3, 1.0, 10.0])
@pytest.mark.parametrize("inner", [1, 3])
def test_the_lasso_in_a_flat_space_is_soft_thresholding(rho, inner):
    b = np.random.default_rng(0).standard_normal(50)
    solution = madmm(
        Lasso(b, 0.4),
        np.zeros(50),
        manifold=Euclidean(50),
        rho=rho,
        iterations=2000,
        inner_iterations=inner,
        absolute=1e-8,
        relative=0.0,
    )
    assert solution.reason == module.SMALL_RESIDUALS
    np.testing.assert_allclose(solution.split, prox_l1(b, 0.4), atol=1e-7)
    assert (solution.split == 0).any()
    # the multiplier is a subgradient of g
    np.testing.assert_allclose(rho * solution.dual, b - prox_l1(b, 0.4), atol=1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_modes_cost_the_same_from_any_start(solver):
    manifold, costs = Stiefel(40, 3), []
    for seed in range(3):
        start = manifold.random_point(np.random.default_rng(seed))
        solution = madmm(
            Modes(path_laplacian(40), 0.02),
            start,
            manifold=manifold,
            rho=1.0,
            iterations=3000,
            solver=solver,
        )
        costs.append(solution.cost)
        assert np.mean(solution.split == 0) > 0.5
        np.testing.assert_allclose(solution.point.T @ solution.point, np.eye(3), atol=1e-10)
    assert max(costs) < 1.01 * min(costs)


def plain_rounds(problem, start, manifold, rho, rounds):
    """The three steps as printed, with A X found anew wherever it is needed."""
    point = start
    split = problem.prox(problem.forward(point), 1.0 / rho)
    dual = problem.forward(point) - split
    costs = [problem.smooth(point) + problem.nonsmooth(problem.forward(point))]
    trial = None
    for _ in range(rounds):
        measure = Measure(problem)
        measure.trial = trial
        generic = Augmented(problem, manifold, measure, split - dual, rho)
        point = conjugate_gradient(
            generic, point, manifold=manifold, iterations=2, tolerance=0.0
        ).point
        trial = measure.trial
        split = problem.prox(problem.forward(point) + dual, 1.0 / rho)
        dual = dual + problem.forward(point) - split
        costs.append(problem.smooth(point) + problem.nonsmooth(problem.forward(point)))
    return point, split, dual, costs


def run(problem, manifold, **settings) -> MadmmSolution:
    start = manifold.random_point(np.random.default_rng(0))
    return madmm(problem, start, manifold=manifold, rho=1.0, **settings)


def test_rounds_are_the_three_steps_and_the_traces_say_what_happened():
    problem, manifold = Modes(path_laplacian(15), 0.2), Stiefel(15, 2)
    seen = []
    solution = run(
        problem,
        manifold,
        iterations=6,
        inner_iterations=2,
        absolute=0.0,
        relative=0.0,
        callback=lambda X: seen.append(X),
    )
    start = manifold.random_point(np.random.default_rng(0))
    point, split, dual, costs = plain_rounds(problem, start, manifold, 1.0, 6)
    np.testing.assert_allclose(solution.point, point, atol=1e-12)
    np.testing.assert_allclose(solution.split, split, atol=1e-12)
    np.testing.assert_allclose(solution.dual, dual, atol=1e-12)
    np.testing.assert_allclose(solution.costs, costs)
    assert solution.cost == solution.costs[-1]
    assert len(seen) == solution.iterations == len(solution.primal) == 6
    assert len(solution.dual_residuals) == 6
    assert len(solution.seconds) == len(solution.costs) == 7
    assert (np.diff(solution.seconds) >= 0).all()
    assert solution.primal[-1] == pytest.approx(np.linalg.norm(seen[-1] - solution.split))
    before = run(problem, manifold, iterations=5, inner_iterations=2, absolute=0.0, relative=0.0)
    assert solution.dual_residuals[-1] == pytest.approx(
        np.linalg.norm(solution.split - before.split)
    )


def test_it_stops_at_the_first_round_with_both_residuals_below_tolerance():
    problem, manifold = Modes(path_laplacian(30), 0.05), Stiefel(30, 2)
    absolute, relative = 1e-5, 1e-3
    every = run(problem, manifold, iterations=400, absolute=0.0, relative=0.0)
    stopped = run(problem, manifold, iterations=400, absolute=absolute, relative=relative)
    assert stopped.reason == module.SMALL_RESIDUALS
    assert every.reason == module.ITERATION_LIMIT
    rounds = stopped.iterations
    assert 5 < rounds < 400
    np.testing.assert_array_equal(stopped.costs, every.costs[: rounds + 1])
    floor = absolute * 60**0.5
    size = max(np.linalg.norm(stopped.point), np.linalg.norm(stopped.split))
    small = np.array(every.primal) <= floor + relative * size
    # ||U|| has settled long before, so its last value stands for all
    small &= np.array(every.dual_residuals) <= floor + relative * np.linalg.norm(stopped.dual)
    assert np.flatnonzero(small)[0] + 1 == rounds


def test_a_x_is_found_once_for_every_trial_step_and_never_again():
    class Counted(Modes):
        points: list = []  # noqa: RUF012

        def forward(self, point):
            self.points.append(point)
            return point

    problem = Counted(path_laplacian(15), 0.2)
    run(problem, Stiefel(15, 2), iterations=20, inner_iterations=2)
    assert len({id(point) for point in problem.points}) == len(problem.points)


def test_an_x_step_of_its_own_and_the_generic_one_by_gradients_come_to_the_same():
    """Neither problem has what the other's X-step needs."""
    _, D = spoiled_distances(20, 0.05)
    start = np.random.default_rng(0).standard_normal((20, 2))
    own, generic = (
        madmm(problem, start, manifold=PSDFixedRank(20, 2), rho=1.0, iterations=800, relative=1e-6)
        for problem in (AbsoluteDistances(D), DistanceGradients(D))
    )
    assert own.cost == pytest.approx(generic.cost, rel=1e-4)
    assert own.cost < 0.5 * own.costs[0]


def test_factors_of_a_product_are_solved_together():
    class Pair:
        """tr(X^T L X) + 1/2 ||y - b||^2 + mu ||y||_1: two problems side by side."""

        def __init__(self):
            self.L, self.b = path_laplacian(8), np.linspace(-1, 1, 5)

        def smooth(self, point):
            X, y = point
            return float(np.vdot(X, self.L @ X)) + 0.5 * float(np.sum((y - self.b) ** 2))

        def smooth_gradient(self, point):
            return 2.0 * self.L @ point[0], point[1] - self.b

        def forward(self, point):
            return point[1]

        def adjoint(self, point, values):
            return np.zeros_like(point[0]), values

        def nonsmooth(self, values):
            return 0.3 * float(np.abs(values).sum())

        def prox(self, values, step):
            return prox_l1(values, 0.3 * step)

    problem = Pair()
    solution = run(
        problem,
        Product([Stiefel(8, 2), Euclidean(5)]),
        iterations=2000,
        absolute=1e-9,
        relative=0.0,
    )
    np.testing.assert_allclose(solution.split, prox_l1(problem.b, 0.3), atol=1e-6)
    least = np.linalg.eigvalsh(problem.L)[:2].sum()
    X = solution.point[0]
    assert np.vdot(X, problem.L @ X) == pytest.approx(least, rel=1e-6)


def test_no_rounds_leave_the_start():
    problem, manifold = Modes(path_laplacian(8), 0.2), Stiefel(8, 2)
    start = manifold.random_point(np.random.default_rng(0))
    solution = run(problem, manifold, iterations=0)
    np.testing.assert_array_equal(solution.point, start)
    assert solution.iterations == 0
    assert solution.reason == module.ITERATION_LIMIT
    assert len(solution.costs) == 1


def test_a_cost_that_is_no_number_ends_it():
    problem = Lasso(np.array([1.0, np.nan]), 0.1)
    solution = madmm(problem, np.zeros(2), manifold=Euclidean(2), rho=1.0, iterations=50)
    assert solution.reason == module.NOT_FINITE
    assert solution.iterations == 1


def test_an_x_step_of_the_problems_own_is_used():
    class Own(Lasso):
        def augmented(self, target, rho):
            self.asked = rho
            return Augmented(self, Euclidean(4), Measure(self)).aim(target, rho)

    problem = Own(np.arange(4.0), 0.5)
    solution = madmm(problem, np.zeros(4), manifold=Euclidean(4), rho=2.0, iterations=500)
    assert problem.asked == 2.0
    np.testing.assert_allclose(solution.split, [0.0, 0.5, 1.5, 2.5], atol=1e-3)


def test_a_solver_may_be_a_callable():
    calls = []

    def solver(problem, point, *, manifold, iterations):
        calls.append(iterations)
        return conjugate_gradient(problem, point, manifold=manifold, iterations=iterations)

    run(Modes(path_laplacian(8), 0.2), Stiefel(8, 2), iterations=3, inner_iterations=7,
        solver=solver, relative=0.0, absolute=0.0)  # fmt: skip
    assert calls == [7, 7, 7]

"""The solver: equal to Manopt's scheme, right where the answer is known, honest about stopping."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pymanopt
import pytest
from pymanopt.manifolds import Sphere as PymanoptSphere
from pymanopt.optimizers import ConjugateGradient
from pymanopt.optimizers.line_search import AdaptiveLineSearcher

from xcbench.manifolds.base import Manifold
from xcbench.optim.conjugate_gradient import conjugate_gradient

BETAS = ["polak_ribiere", "hestenes_stiefel"]
SEARCHES = ["exact", "armijo"]


class Flat(Manifold[np.ndarray, np.ndarray]):
    """R^n."""

    dimension = 0

    def inner(self, point, u, v):
        return float(u @ v)

    def combine(self, a, u, b, v):
        return a * u + b * v

    def retract(self, point, u, t):
        return point + t * u

    def transport(self, old, new, u):
        return u


class Sphere(Flat):
    """Unit vectors."""

    def retract(self, point, u, t):
        moved = point + t * u
        return moved / np.linalg.norm(moved)

    def transport(self, old, new, u):
        return u - new * (new @ u)


@dataclass
class State:
    point: np.ndarray
    cost: float


class Quadratic:
    """1/2 x^T A x - b^T x on a manifold of vectors; ``exact`` gives the step along a line."""

    def __init__(self, manifold, A, b):
        self.manifold, self.A, self.b = manifold, A, b

    def cost(self, x):
        return float(0.5 * x @ self.A @ x - self.b @ x)

    def start(self, point):
        return State(point, self.cost(point))

    def gradient(self, state):
        x = state.point
        return self.manifold.transport(x, x, self.A @ x - self.b)

    def line(self, state, direction):
        return QuadraticLine(self, state, direction)


class QuadraticLine:
    def __init__(self, problem, state, direction):
        self.problem, self.state, self.direction = problem, state, direction

    def exact_step(self):
        gradient = self.problem.A @ self.state.point - self.problem.b
        return -(gradient @ self.direction) / (self.direction @ self.problem.A @ self.direction)

    def cost(self, t):
        return self.move(t).cost

    def move(self, t):
        return self.problem.start(
            self.problem.manifold.retract(self.state.point, self.direction, t)
        )


def positive_definite(n, rng):
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return (Q * np.linspace(1.0, 30.0, n)) @ Q.T


@pytest.fixture
def flat():
    rng = np.random.default_rng(0)
    manifold = Flat()
    return manifold, Quadratic(manifold, positive_definite(8, rng), rng.standard_normal(8))


@pytest.mark.parametrize("beta", BETAS)
def test_on_a_quadratic_the_exact_search_ends_within_n_steps(flat, beta):
    manifold, problem = flat
    solution = conjugate_gradient(
        problem, np.ones(8), manifold=manifold, iterations=50, beta=beta, tolerance=1e-8
    )
    assert solution.reason == "gradient norm below tolerance"
    assert solution.iterations <= 9
    np.testing.assert_allclose(solution.point, np.linalg.solve(problem.A, problem.b), atol=1e-6)


class Preconditioned(Quadratic):
    """A Quadratic with the projection of ``P g``."""

    def __init__(self, quadratic, P):
        super().__init__(quadratic.manifold, quadratic.A, quadratic.b)
        self.P = P

    def precondition(self, state, gradient):
        return self.manifold.transport(state.point, state.point, self.P @ gradient)


def badly_scaled(manifold, n=60):
    """Eigenvalues from 1 to 10 000, coordinates turned, and a start."""
    rng = np.random.default_rng(5)
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    A = (Q * np.geomspace(1.0, 1e4, n)) @ Q.T
    start = rng.standard_normal(n)
    return Quadratic(manifold, A, rng.standard_normal(n)), start / np.linalg.norm(start)


@pytest.mark.parametrize(("line_search", "scale"), [("armijo", 1.0), ("exact", 1.0), ("exact", 4)])
@pytest.mark.parametrize("beta", BETAS)
def test_a_multiple_of_the_identity_changes_nothing(flat, beta, line_search, scale):
    """To the last bit; a power of two rounds nothing, but Armijo's trials would differ."""
    manifold, problem = flat
    plain, scaled = (
        conjugate_gradient(
            each, np.ones(8), manifold=manifold, iterations=7, beta=beta, line_search=line_search
        )
        for each in (problem, Preconditioned(problem, scale * np.eye(8)))
    )
    assert len(plain.costs) == 8
    assert plain.costs == scaled.costs
    np.testing.assert_array_equal(plain.point, scaled.point)


@pytest.mark.parametrize("beta", BETAS)
def test_steps_are_those_of_plain_ones_in_scaled_coordinates(beta):
    """x = S y turns P = S S^T into the identity (Hager and Zhang, section 8)."""
    problem, start = badly_scaled(Flat(), 12)
    S = np.linalg.cholesky(positive_definite(12, np.random.default_rng(6)))
    inner = Quadratic(Flat(), S.T @ problem.A @ S, S.T @ problem.b)
    options = {"manifold": Flat(), "iterations": 6, "beta": beta, "tolerance": 0.0}
    expected = conjugate_gradient(inner, np.linalg.solve(S, start), **options)
    found = conjugate_gradient(Preconditioned(problem, S @ S.T), start, **options)
    np.testing.assert_allclose(found.costs, expected.costs, rtol=1e-8)
    np.testing.assert_allclose(found.point, S @ expected.point, rtol=1e-5)


@pytest.mark.parametrize("beta", BETAS)
def test_an_approximate_inverse_needs_a_fraction_of_the_steps(beta):
    problem, start = badly_scaled(Flat())
    P = np.linalg.inv(problem.A + 0.1 * np.eye(60))
    plain, scaled = (
        conjugate_gradient(each, start, manifold=Flat(), iterations=500, beta=beta)
        for each in (problem, Preconditioned(problem, P))
    )
    assert scaled.reason == "gradient norm below tolerance"
    np.testing.assert_allclose(scaled.point, np.linalg.solve(problem.A, problem.b), atol=1e-4)
    assert 5 * scaled.iterations < plain.iterations


@pytest.mark.parametrize("line_search", SEARCHES)
@pytest.mark.parametrize("beta", BETAS)
def test_projected_preconditioners_lead_downhill_on_a_sphere(beta, line_search):
    """Every direction, restarts included, on a problem whose P is no inverse of the Hessian."""
    problem, start = badly_scaled(Sphere(), 12)
    P = positive_definite(12, np.random.default_rng(7))
    problem, slopes = Preconditioned(problem, P), []
    line = problem.line

    def watched(state, direction):
        slopes.append(problem.gradient(state) @ direction)
        assert abs(state.point @ direction) < 1e-8 * np.linalg.norm(direction)
        return line(state, direction)

    problem.line = watched
    solution = conjugate_gradient(
        problem, start, manifold=Sphere(), iterations=40, beta=beta, line_search=line_search
    )
    assert len(slopes) > 10
    assert max(slopes) < 0
    assert all(after <= before for before, after in pairwise(solution.costs))


@pytest.mark.parametrize("line_search", SEARCHES)
@pytest.mark.parametrize("beta", BETAS)
def test_costs_never_rise_and_belong_to_the_point(flat, beta, line_search):
    manifold, problem = flat
    solution = conjugate_gradient(
        problem, np.ones(8), manifold=manifold, iterations=7, beta=beta, line_search=line_search
    )
    assert len(solution.costs) == solution.iterations + 1
    assert all(after <= before for before, after in pairwise(solution.costs))
    assert solution.costs[0] == problem.cost(np.ones(8))
    assert solution.cost == solution.costs[-1] == problem.cost(solution.point)


@pytest.mark.parametrize(
    ("beta", "rule"), [(BETAS[0], "PolakRibiere"), (BETAS[1], "HestenesStiefel")]
)
def test_every_cost_equals_manopts_with_its_line_search(beta, rule):
    """The same start on the sphere; pymanopt is Manopt's port and allows one evaluation more."""
    rng = np.random.default_rng(1)
    A = positive_definite(12, rng)
    start = rng.standard_normal(12)
    start /= np.linalg.norm(start)
    sphere = PymanoptSphere(12)
    quadratic = Quadratic(Sphere(), A, np.zeros(12))

    @pymanopt.function.numpy(sphere)
    def cost(x):
        return quadratic.cost(x)

    @pymanopt.function.numpy(sphere)
    def gradient(x):
        return A @ x

    peer = ConjugateGradient(
        beta_rule=rule, line_searcher=AdaptiveLineSearcher(), max_iterations=25, verbosity=0,
        log_verbosity=2, min_gradient_norm=0.0, min_step_size=0.0,
    )  # fmt: skip
    theirs = peer.run(
        pymanopt.Problem(sphere, cost, euclidean_gradient=gradient), initial_point=start
    )
    ours = conjugate_gradient(
        quadratic, start, manifold=Sphere(), iterations=24, beta=beta, line_search="armijo",
        tolerance=0.0,
    )  # fmt: skip
    expected = theirs.log["iterations"]["cost"]
    assert len(expected) == 25
    np.testing.assert_allclose(ours.costs, expected, rtol=1e-10)


def test_iteration_limit_and_no_iterations(flat):
    manifold, problem = flat
    few = conjugate_gradient(problem, np.ones(8), manifold=manifold, iterations=3)
    assert (few.iterations, few.reason) == (3, "iteration limit")
    none = conjugate_gradient(problem, np.ones(8), manifold=manifold, iterations=0)
    assert (none.iterations, none.reason) == (0, "iteration limit")
    np.testing.assert_array_equal(none.point, np.ones(8))


def test_a_start_at_the_minimum_stops_at_once():
    manifold = Flat()
    problem = Quadratic(manifold, np.eye(3), np.zeros(3))
    solution = conjugate_gradient(problem, np.zeros(3), manifold=manifold, iterations=5)
    assert (solution.iterations, solution.reason) == (0, "gradient norm below tolerance")


def test_a_short_step_stops(flat):
    manifold, problem = flat
    solution = conjugate_gradient(
        problem, np.ones(8), manifold=manifold, iterations=5, minimum_step=1e6
    )
    assert (solution.iterations, solution.reason) == (1, "step below minimum")


@pytest.mark.parametrize("line_search", SEARCHES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_cost_that_is_no_number_stops_at_the_last_good_point(flat, value, line_search):
    manifold, problem = flat
    good = problem.cost
    problem.cost = lambda x: good(x) if np.array_equal(x, np.ones(8)) else value
    solution = conjugate_gradient(
        problem, np.ones(8), manifold=manifold, iterations=5, line_search=line_search
    )
    assert solution.reason == "no decrease along the line"
    np.testing.assert_array_equal(solution.point, np.ones(8))


def test_a_gradient_of_nan_is_not_taken_for_convergence(flat):
    manifold, problem = flat
    problem.gradient = lambda state: np.full(8, np.nan)
    solution = conjugate_gradient(problem, np.ones(8), manifold=manifold, iterations=5)
    assert solution.reason == "gradient not finite"


def test_an_ascent_direction_restarts_from_the_gradient(flat):
    """A transport that turns directions round makes -g + beta T d an ascent direction."""
    manifold, problem = flat
    taken = []
    line = problem.line
    problem.line = lambda state, direction: (
        taken.append((state.point, direction)) or line(state, direction)
    )
    manifold.transport = lambda old, new, u: -50.0 * u
    manifold.inner_transported = lambda old, new, u, v: -1.0
    problem.gradient = lambda state: problem.A @ state.point - problem.b
    conjugate_gradient(problem, np.ones(8), manifold=manifold, iterations=3, line_search="armijo")
    for point, direction in taken:
        assert direction @ (problem.A @ point - problem.b) < 0
    np.testing.assert_allclose(taken[1][1], problem.b - problem.A @ taken[1][0])


def test_only_the_point_of_a_state_is_used_after_it_moved(flat):
    """A line may take over its state's buffers; the solver must not look at them again."""
    manifold, problem = flat
    expected = conjugate_gradient(problem, np.ones(8), manifold=manifold, iterations=5)
    line = problem.line

    def spoiling(state, direction):
        made = line(state, direction)
        move = made.move

        def moving(t):
            new = move(t)
            state.cost = np.nan
            return new

        made.move = moving
        made.cost = lambda t: move(t).cost
        return made

    problem.line = spoiling
    solution = conjugate_gradient(problem, np.ones(8), manifold=manifold, iterations=5)
    assert solution.costs == expected.costs


@pytest.mark.parametrize("line_search", SEARCHES)
def test_a_callback_sees_the_point_after_every_step_and_changes_nothing(flat, line_search):
    manifold, problem = flat
    seen = []

    def solve(callback=None):
        return conjugate_gradient(
            problem, np.ones(8), manifold=manifold, iterations=4, line_search=line_search,
            callback=callback,
        )  # fmt: skip

    watched, alone = solve(lambda point: seen.append(point.copy())), solve()
    assert [problem.cost(point) for point in seen] == pytest.approx(watched.costs[1:])
    assert len(seen) == watched.iterations
    assert watched.costs == alone.costs
    np.testing.assert_array_equal(watched.point, alone.point)
    np.testing.assert_array_equal(seen[-1], alone.point)

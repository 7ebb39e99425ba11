from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from xcbench.manifolds.euclidean import Euclidean
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.conjugate_gradient import SMALL_GRADIENT
from xcbench.optim.trust_region import truncated_cg, trust_region


@dataclass
class Smooth:
    """A cost on an embedded manifold, by its value and its ambient gradient."""

    manifold: object
    value: object
    ambient: object

    def start(self, point):
        return SimpleNamespace(point=point, cost=self.value(point))

    def gradient(self, state):
        return self.manifold.project(state.point, self.ambient(state.point))


def trace_problem(seed: int, n: int = 20, k: int = 3) -> tuple[Smooth, np.ndarray]:
    """min tr(X^T B X) on the Stiefel manifold: the sum of the smallest eigenvalues."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    B = B @ B.T
    problem = Smooth(Stiefel(n, k), lambda X: np.trace(X.T @ B @ X), lambda X: 2 * B @ X)
    return problem, B


@pytest.mark.parametrize("seed", range(3))
def test_the_trace_is_lowered_to_the_sum_of_the_smallest_eigenvalues(seed: int) -> None:
    problem, B = trace_problem(seed)
    start = problem.manifold.random_point(np.random.default_rng(seed + 100))
    found = trust_region(problem, start, manifold=problem.manifold, iterations=60, tolerance=1e-7)
    assert found.reason == SMALL_GRADIENT
    assert found.cost == pytest.approx(np.linalg.eigvalsh(B)[:3].sum(), rel=1e-8)
    assert np.all(np.diff(found.costs) <= 0)
    assert found.iterations == len(found.costs) - 1


def test_convergence_is_superlinear() -> None:
    """On a cost that is no parabola the last steps square the gap, up to the inner tolerance."""
    target = np.arange(1.0, 5.0)
    problem = Smooth(
        Euclidean(4),
        lambda x: float(np.sum(np.cosh(x - target))),
        lambda x: np.sinh(x - target),
    )
    found = trust_region(problem, np.zeros(4), manifold=problem.manifold, iterations=30)
    gaps = np.array(found.costs) - 4.0
    assert gaps[-1] < 1e-11
    small = gaps[(gaps < 0.5) & (gaps > 1e-12)]
    assert np.all(small[1:] < 0.05 * small[:-1])


def test_steps_that_raise_the_cost_are_refused() -> None:
    problem, _ = trace_problem(0)
    value = problem.value
    start = problem.manifold.random_point(np.random.default_rng(0))
    problem.value = lambda X: value(X) if X is start else np.nan
    found = trust_region(problem, start, manifold=problem.manifold, iterations=5)
    assert (found.point is start, found.iterations, found.costs) == (True, 0, [value(start)])


def test_the_radius_shrinks_until_the_model_can_be_trusted() -> None:
    """log cosh is flat far out: a Newton step from 3 goes to about -100, and costs more."""
    problem = Smooth(Euclidean(1), lambda x: float(np.log(np.cosh(x[0]))), np.tanh)
    start = np.array([3.0])
    found = trust_region(
        problem, start, manifold=problem.manifold, iterations=30, radius=1e2, tolerance=1e-9
    )
    assert found.reason == SMALL_GRADIENT
    assert found.cost == pytest.approx(0.0, abs=1e-12)


def test_the_radius_grows_where_the_model_foretells_the_cost() -> None:
    """A parabola 1023 radii away: doubled every step, it is reached in ten."""
    target = np.array([1023.0, 0.0])
    problem = Smooth(
        Euclidean(2), lambda x: 0.5 * float(np.sum((x - target) ** 2)), lambda x: x - target
    )
    found = trust_region(problem, np.zeros(2), manifold=problem.manifold, iterations=11)
    assert found.cost == pytest.approx(0.0, abs=1e-3)
    assert found.iterations <= 11


def test_no_iterations_only_evaluate_the_start() -> None:
    problem, _ = trace_problem(1)
    start = problem.manifold.random_point(np.random.default_rng(0))
    found = trust_region(problem, start, manifold=problem.manifold, iterations=0)
    assert found.point is start
    assert found.costs == [problem.value(start)]


def model(H: np.ndarray, g: np.ndarray, radius: float, products: int = 50):
    step, decrease, at_edge = truncated_cg(
        lambda u: H @ u, Euclidean(len(g)), np.zeros(len(g)), g, radius, products
    )
    assert decrease == pytest.approx(-(g @ step + 0.5 * step @ H @ step))
    assert np.linalg.norm(step) <= radius * (1 + 1e-12)
    return step, at_edge


def test_a_wide_region_holds_nearly_the_newton_step() -> None:
    rng = np.random.default_rng(2)
    H = rng.standard_normal((6, 6))
    H, g = H @ H.T + np.eye(6), rng.standard_normal(6)
    step, at_edge = model(H, g, 1e3)
    assert not at_edge
    assert np.linalg.norm(H @ step + g) <= 0.1 * np.linalg.norm(g)


def test_a_narrow_region_is_left_along_the_gradient() -> None:
    g = np.array([3.0, 4.0])
    step, at_edge = model(np.eye(2), g, 0.5)
    assert at_edge
    np.testing.assert_allclose(step, -0.1 * g)


def test_negative_curvature_is_followed_to_the_edge() -> None:
    step, at_edge = model(np.diag([-1.0, 1.0]), np.array([1e-3, 0.0]), 2.0)
    assert at_edge
    np.testing.assert_allclose(step, [-2.0, 0.0])


def test_products_are_counted() -> None:
    H, g = np.diag(np.arange(1.0, 9.0)), np.ones(8)
    counted = []

    def product(u):
        counted.append(u)
        return H @ u

    truncated_cg(product, Euclidean(8), np.zeros(8), g, 1e3, 2)
    assert len(counted) == 2

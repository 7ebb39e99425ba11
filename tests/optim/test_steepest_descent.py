"""Steepest descent: the closed form of a first step, and where it ends."""

import numpy as np
import pytest

from tests.optim.split_problems import Modes, path_laplacian
from xcbench.manifolds.euclidean import Euclidean
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.augmented import Augmented, Measure
from xcbench.optim.conjugate_gradient import ITERATION_LIMIT, SMALL_GRADIENT, conjugate_gradient
from xcbench.optim.steepest_descent import steepest_descent


def smooth_problem(n: int, manifold):
    split = Modes(path_laplacian(n), 0.0)
    return Augmented(split, manifold, Measure(split)).aim(np.zeros(1), 0.0)


@pytest.mark.parametrize("line_search", ["exact", "armijo"])
def test_it_finds_the_least_eigenvalues(line_search):
    manifold = Stiefel(8, 2)
    start = manifold.random_point(np.random.default_rng(0))
    solution = steepest_descent(
        smooth_problem(8, manifold),
        start,
        manifold=manifold,
        iterations=5000,
        line_search=line_search,
        tolerance=1e-5,
    )
    assert solution.reason == SMALL_GRADIENT
    assert solution.cost == pytest.approx(np.linalg.eigvalsh(path_laplacian(8))[:2].sum())
    assert (np.diff(solution.costs) <= 0).all()
    assert len(solution.costs) == solution.iterations + 1


def test_the_first_step_is_that_of_conjugate_gradients_and_later_ones_are_not():
    manifold = Euclidean(8, 1)
    start = manifold.random_point(np.random.default_rng(0))
    for iterations, same in ((1, True), (4, False)):
        steepest, conjugate = (
            solver(smooth_problem(8, manifold), start, manifold=manifold, iterations=iterations)
            for solver in (steepest_descent, conjugate_gradient)
        )
        assert steepest.reason == ITERATION_LIMIT
        assert np.allclose(steepest.point, conjugate.point) == same
    assert conjugate.cost < steepest.cost


def test_no_iterations_leave_the_start():
    manifold = Stiefel(8, 2)
    start = manifold.random_point(np.random.default_rng(0))
    solution = steepest_descent(smooth_problem(8, manifold), start, manifold=manifold, iterations=0)
    assert solution.point is start
    assert solution.iterations == 0

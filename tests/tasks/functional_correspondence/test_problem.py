"""Coupled diagonalisation: derivatives against differences, the adjoint, the prox, the gauge."""

import numpy as np
import pytest

from tests.manifolds.laws import assert_gradient
from tests.tasks.functional_correspondence.conftest import BASIS, problem_of
from xcbench.manifolds.product import Product
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.augmented import Measure
from xcbench.tasks.functional_correspondence.baselines import Smoothed, least_squares
from xcbench.tasks.functional_correspondence.problem import procrustes_start

MANIFOLD = Product([Stiefel(BASIS, BASIS)] * 3)


@pytest.fixture
def problem(contaminated):
    return problem_of(contaminated)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def ambient(rng):
    return tuple(rng.standard_normal((3, BASIS, BASIS)))


def test_off_is_the_sum_of_squares_beside_the_diagonals(problem, rng):
    point = MANIFOLD.random_point(rng)
    expected = 0.0
    for X, values in zip(point, problem.eigenvalues, strict=True):
        A = X.T @ np.diag(values) @ X
        expected += sum(A[i, j] ** 2 for i in range(BASIS) for j in range(BASIS) if i != j)
    assert problem.smooth(point) == pytest.approx(30.0 * expected)


def test_the_gradient_of_off_agrees_with_differences(problem, rng):
    point, direction = ambient(rng), ambient(rng)
    slope = sum(
        np.vdot(g, u) for g, u in zip(problem.smooth_gradient(point), direction, strict=True)
    )
    assert_gradient(
        lambda t: problem.smooth(tuple(x + t * u for x, u in zip(point, direction, strict=True))),
        slope, np.logspace(-2.0, -5.0, 13),
    )  # fmt: skip


def test_the_adjoint_is_the_adjoint(problem, rng):
    point = ambient(rng)
    values = rng.standard_normal(problem.matches.F.shape)
    pulled = problem.adjoint(point, values)
    paired = sum(np.vdot(a, x) for a, x in zip(pulled, point, strict=True))
    assert np.vdot(values, problem.forward(point)) == pytest.approx(paired)


def test_the_residual_is_that_of_each_pair(problem, rng):
    X, matches = MANIFOLD.random_point(rng), problem.matches
    residual = problem.forward(X)
    assert list(zip(matches.first, matches.second, strict=True)) == [(0, 1), (0, 2), (1, 2)]
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        np.testing.assert_allclose(residual[pair], matches.F[pair] @ X[i] - matches.G[pair] @ X[j])


def test_the_prox_is_optimal_for_the_sum_of_row_lengths(problem, rng):
    values = rng.standard_normal((3, 20, BASIS))
    z = problem.prox(values, 3.5)
    zero = np.linalg.norm(z, axis=-1) == 0
    assert 0 < zero.sum() < zero.size
    # 0 is in step * (subgradient at z) + z - values
    subgradient = (values - z) / 3.5
    assert (np.linalg.norm(subgradient[zero], axis=-1) <= 1.0 + 1e-12).all()
    unit = z[~zero] / np.linalg.norm(z[~zero], axis=-1, keepdims=True)
    np.testing.assert_allclose(subgradient[~zero], unit)
    assert problem.nonsmooth(values) == pytest.approx(
        sum(np.linalg.norm(row) for row in values.reshape(-1, BASIS))
    )


def test_turning_all_bases_alike_leaves_the_data_term(problem, rng):
    point, turn = MANIFOLD.random_point(rng), Stiefel(BASIS, BASIS).random_point(rng)
    turned = tuple(X @ turn for X in point)
    data, turned_data = (problem.nonsmooth(problem.forward(x)) for x in (point, turned))
    assert turned_data == pytest.approx(data)
    assert problem.smooth(turned) != pytest.approx(problem.smooth(point))


@pytest.mark.parametrize("name", ["least squares", "smoothed"])
def test_the_gradients_of_the_baselines_agree_with_differences(problem, rng, name):
    smooth = (
        least_squares(problem, MANIFOLD) if name == "least squares"
        else Smoothed(problem, MANIFOLD, 0.1)
    )  # fmt: skip
    point = MANIFOLD.random_point(rng)
    direction = MANIFOLD.project(point, ambient(rng))
    state = smooth.start(point)
    slope = MANIFOLD.inner(point, smooth.gradient(state), direction)
    assert_gradient(
        lambda t: smooth.start(MANIFOLD.retract(point, direction, t)).cost, slope,
        np.logspace(-2.0, -5.0, 13),
    )  # fmt: skip


def test_the_baselines_minimise_what_they_say(problem, rng):
    point = MANIFOLD.random_point(rng)
    residual = problem.forward(point)
    squares = least_squares(problem, MANIFOLD).start(point).cost
    assert squares == pytest.approx(np.sum(residual**2) + problem.smooth(point))
    smoothed = Smoothed(problem, MANIFOLD, 0.1).start(point).cost
    rows = np.sqrt((residual**2).sum(axis=2) + 0.1)
    assert smoothed == pytest.approx(rows.sum() + problem.smooth(point))


def test_smoothing_by_next_to_nothing_is_the_2_1_norm(problem, rng):
    point = MANIFOLD.random_point(rng)
    assert Smoothed(problem, MANIFOLD, 1e-16).start(point).cost == pytest.approx(
        problem.cost(point), rel=1e-6
    )
    assert Measure(problem).smooth(point) == problem.smooth(point)


def test_the_start_fits_every_shape_to_the_first_best(contaminated, rng):
    matches = contaminated.matches
    start = procrustes_start(matches, 3)
    np.testing.assert_array_equal(start[0], np.eye(BASIS))
    for j, pair in ((1, 0), (2, 1)):
        np.testing.assert_allclose(start[j].T @ start[j], np.eye(BASIS), atol=1e-12)
        best = np.linalg.norm(matches.F[pair] - matches.G[pair] @ start[j])
        for _ in range(20):
            other = Stiefel(BASIS, BASIS).retract(
                start[j],
                Stiefel(BASIS, BASIS).project(start[j], rng.standard_normal((BASIS, BASIS))), 0.05,
            )  # fmt: skip
            assert np.linalg.norm(matches.F[pair] - matches.G[pair] @ other) > best

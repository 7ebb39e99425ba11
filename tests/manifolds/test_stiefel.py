"""Laws of the geometry of orthonormal matrices, with pymanopt's for an oracle."""

import numpy as np
import pytest
from pymanopt.manifolds import Stiefel as PymanoptStiefel
from scipy import linalg

from tests.manifolds import laws
from xcbench.manifolds.stiefel import Stiefel, polar_factor

# the last two are the orthogonal group and the sphere
SHAPES = [(9, 3), (5, 5), (6, 1)]


@pytest.fixture(params=SHAPES, ids=str)
def place(request):
    """Manifold, a point, two tangent vectors there, and a generator."""
    rng = np.random.default_rng(0)
    manifold = Stiefel(*request.param)
    X = manifold.random_point(rng)
    u, v = (manifold.project(X, rng.standard_normal(X.shape)) for _ in range(2))
    return manifold, X, u, v, rng


def assert_orthonormal(X: np.ndarray, atol: float = 1e-12) -> None:
    np.testing.assert_allclose(X.T @ X, np.eye(X.shape[1]), atol=atol)


def test_projection_is_idempotent_and_nearest(place):
    manifold, X, u, _, rng = place
    laws.assert_projection(lambda A: manifold.project(X, A), rng.standard_normal(X.shape), u)


def test_projection_is_self_adjoint(place):
    manifold, X, _, _, rng = place
    A, B = rng.standard_normal((2, *X.shape))
    assert np.vdot(manifold.project(X, A), B) == pytest.approx(np.vdot(A, manifold.project(X, B)))


def test_tangent_vectors_keep_the_columns_orthonormal_to_first_order(place):
    _, X, u, _, _ = place
    np.testing.assert_allclose(X.T @ u + u.T @ X, 0.0, atol=1e-12)


def test_retraction_stays_on_the_manifold_and_leaves_along_the_tangent(place):
    manifold, X, u, _, _ = place
    u = u / np.linalg.norm(u)
    assert_orthonormal(manifold.retract(X, u, 0.8))
    laws.assert_retraction(lambda t: manifold.retract(X, u, t), u, np.logspace(-1, -3, 9))


def test_projection_and_retraction_equal_those_of_pymanopt(place):
    manifold, X, u, _, rng = place
    theirs = PymanoptStiefel(manifold.n, manifold.k, retraction="polar")
    A = rng.standard_normal(X.shape)
    np.testing.assert_allclose(manifold.project(X, A), theirs.projection(X, A), atol=1e-12)
    np.testing.assert_allclose(manifold.retract(X, u, 1.0), theirs.retraction(X, u), atol=1e-12)
    assert manifold.dimension == theirs.dim


def test_transport_gives_tangent_vectors_and_their_inner_products(place):
    manifold, X, u, v, rng = place
    new = manifold.retract(X, v, 0.3)
    carried = manifold.transport(X, new, u)
    laws.assert_stays_tangent(carried, lambda A: manifold.project(new, A))
    w = manifold.project(new, rng.standard_normal(X.shape))
    assert manifold.inner_transported(X, new, u, w) == pytest.approx(
        manifold.inner(new, carried, w)
    )


def test_a_thousand_steps_do_not_wear_orthonormality_down():
    manifold, rng = Stiefel(20, 4), np.random.default_rng(0)
    X = manifold.random_point(rng)
    for _ in range(1000):
        X = manifold.retract(X, manifold.project(X, rng.standard_normal(X.shape)), 1.0)
    assert_orthonormal(X)


@pytest.mark.parametrize("shrink", [1.0, 1e-3, 1e-7, 1e-12])
def test_polar_factor_is_orthonormal_and_right_whatever_the_condition(shrink):
    matrix = np.random.default_rng(0).standard_normal((8, 3)) * [1.0, 1.0, shrink]
    factor = polar_factor(matrix)
    assert_orthonormal(factor, 1e-11)
    np.testing.assert_allclose(factor, linalg.polar(matrix)[0], atol=1e-9 / min(1, shrink * 1e6))


def test_random_points_have_no_preferred_direction():
    rng = np.random.default_rng(0)
    points = [Stiefel(3, 2).random_point(rng) for _ in range(4000)]
    np.testing.assert_allclose(np.mean(points, axis=0), 0.0, atol=0.04)
    np.testing.assert_allclose(
        np.mean([X @ X.T for X in points], axis=0), np.eye(3) * 2 / 3, atol=0.04
    )


@pytest.mark.parametrize("k", [0, 4])
def test_impossible_numbers_of_columns_are_refused(k):
    with pytest.raises(ValueError, match="orthonormal columns"):
        Stiefel(3, k)

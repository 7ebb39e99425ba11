"""Laws of the geometry of matrices of fixed rank, and the cases where pymanopt's breaks."""

import numpy as np
import pytest
from pymanopt.manifolds import FixedRankEmbedded

from tests.manifolds import laws
from xcbench.manifolds.fixed_rank import FixedRank, FixedRankPoint, FixedRankTangent

# rows, columns, rank; the last four have no room for 2r columns on one side or on both
SHAPES = [(9, 7, 3), (12, 11, 1), (7, 5, 4), (5, 5, 5), (8, 3, 3), (3, 8, 3)]


def dense(point: FixedRankPoint) -> np.ndarray:
    return (point.U * point.s) @ point.V.T


def dense_tangent(point: FixedRankPoint, u: FixedRankTangent) -> np.ndarray:
    return point.U @ u.M @ point.V.T + u.Up @ point.V.T + point.U @ u.Vp.T


def project(manifold: FixedRank, point: FixedRankPoint, G: np.ndarray) -> FixedRankTangent:
    return manifold.project(point, G @ point.V, G.T @ point.U)


def assert_valid(point: FixedRankPoint) -> None:
    identity = np.eye(len(point.s))
    np.testing.assert_allclose(point.U.T @ point.U, identity, atol=1e-10)
    np.testing.assert_allclose(point.V.T @ point.V, identity, atol=1e-10)
    assert (np.diff(point.s) <= 0).all()
    assert point.s[-1] >= 0


@pytest.fixture(params=SHAPES, ids=str)
def place(request):
    """Manifold, a point, two tangent vectors there, and a generator."""
    rng = np.random.default_rng(0)
    manifold = FixedRank(*request.param)
    point = manifold.random_point(rng)
    shape = request.param[:2]
    u, v = (project(manifold, point, rng.standard_normal(shape)) for _ in range(2))
    return manifold, point, u, v, rng


def test_random_point_is_on_the_manifold(place):
    assert_valid(place[1])


def test_projection_is_idempotent_and_nearest(place):
    manifold, point, u, _, rng = place
    G = rng.standard_normal((manifold.rows, manifold.columns))
    if manifold.dimension == G.size:
        G += dense(point)

    def nearest(matrix: np.ndarray) -> np.ndarray:
        return dense_tangent(point, project(manifold, point, matrix))

    laws.assert_projection(nearest, G, dense_tangent(point, u))


def test_tangent_blocks_are_orthogonal_to_the_point(place):
    _, point, u, _, _ = place
    np.testing.assert_allclose(point.U.T @ u.Up, 0, atol=1e-12)
    np.testing.assert_allclose(point.V.T @ u.Vp, 0, atol=1e-12)


def test_tangent_space_has_the_stated_dimension(place):
    manifold, point, _, _, _ = place
    size = manifold.rows * manifold.columns
    basis = np.eye(size).reshape(size, manifold.rows, manifold.columns)
    images = [dense_tangent(point, project(manifold, point, G)).ravel() for G in basis]
    assert np.linalg.matrix_rank(np.array(images)) == manifold.dimension


def test_inner_product_and_combination_are_those_of_the_ambient_space(place):
    manifold, point, u, v, _ = place
    a, b = dense_tangent(point, u), dense_tangent(point, v)
    assert manifold.inner(point, u, v) == pytest.approx(np.vdot(a, b))
    assert manifold.norm(point, u) == pytest.approx(np.linalg.norm(a))
    combined = manifold.combine(-1.5, u, 0.25, v)
    np.testing.assert_allclose(dense_tangent(point, combined), -1.5 * a + 0.25 * b, atol=1e-12)


def test_retraction_is_the_best_approximation_and_agrees_to_first_order(place):
    manifold, point, u, _, _ = place
    W, xi = dense(point), dense_tangent(point, u)
    for t in (0.3, -2.0):
        reached = manifold.retract(point, u, t)
        assert_valid(reached)
        left, s, right = np.linalg.svd(W + t * xi)
        best = (left[:, : manifold.rank] * s[: manifold.rank]) @ right[: manifold.rank]
        np.testing.assert_allclose(dense(reached), best, atol=1e-10)
    if manifold.rank < min(manifold.rows, manifold.columns):
        laws.assert_retraction(lambda t: dense(manifold.retract(point, u, t)), xi)


def test_at_full_rank_the_retraction_is_a_straight_line():
    manifold = FixedRank(6, 4, 4)
    rng = np.random.default_rng(1)
    point = manifold.random_point(rng)
    G = rng.standard_normal((6, 4))
    reached = manifold.retract(point, project(manifold, point, G), 0.7)
    np.testing.assert_allclose(dense(reached), dense(point) + 0.7 * G, atol=1e-12)


def test_transport_is_the_projection_at_the_new_point(place):
    manifold, old, u, v, _ = place
    new = manifold.retract(old, v, 0.5)
    carried = manifold.transport(old, new, u)
    ambient = dense_tangent(old, u)
    expected = project(manifold, new, ambient)
    np.testing.assert_allclose(
        dense_tangent(new, carried), dense_tangent(new, expected), atol=1e-10
    )
    laws.assert_stays_tangent(
        dense_tangent(new, carried),
        lambda matrix: dense_tangent(new, project(manifold, new, matrix)),
    )


def test_inner_transported_is_the_inner_product_after_transport(place):
    manifold, old, u, v, rng = place
    new = manifold.retract(old, v, 0.5)
    other = project(manifold, new, rng.standard_normal((manifold.rows, manifold.columns)))
    expected = manifold.inner(new, manifold.transport(old, new, u), other)
    assert manifold.inner_transported(old, new, u, other) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("shape", [(30, 20), (6, 5), (4, 4)])
def test_a_walk_along_vanishing_directions_keeps_orthonormal_columns(shape):
    """Rank-1 directions at points with vanishing singular values leave QR columns to chance."""
    rng = np.random.default_rng(2)
    manifold = FixedRank(*shape, 4)
    point = manifold.random_point(rng)
    for _ in range(20):
        point = point._replace(s=np.array([1.0, 0.0, 0.0, 0.0]))
        G = np.outer(rng.standard_normal(shape[0]), rng.standard_normal(shape[1]))
        u = project(manifold, point, G)
        point = manifold.retract(point, u._replace(Vp=np.zeros_like(u.Vp)), 1.0)
        assert_valid(point)


def test_projection_retraction_and_transport_equal_pymanopt():
    rng = np.random.default_rng(3)
    ours, theirs = FixedRank(9, 7, 3), FixedRankEmbedded(9, 7, 3)
    point = ours.random_point(rng)
    peer = (point.U, point.s, point.V.T)
    G = rng.standard_normal((9, 7))
    u, w = project(ours, point, G), theirs.projection(peer, G)
    for mine, other in ((u.M, w.M), (u.Up, w.Up), (u.Vp, w.Vp)):
        np.testing.assert_allclose(mine, other, atol=1e-12)
    new, there = ours.retract(point, u, 0.4), theirs.retraction(peer, 0.4 * w)
    np.testing.assert_allclose(dense(new), (there[0] * there[1]) @ there[2], atol=1e-12)
    carried = ours.transport(point, new, u)
    moved = theirs.transport(peer, (new.U, new.s, new.V.T), w)
    np.testing.assert_allclose(carried.M, moved.M, atol=1e-12)
    np.testing.assert_allclose(carried.Vp, moved.Vp, atol=1e-12)


@pytest.mark.parametrize("rank", [0, 6])
def test_an_impossible_rank_is_refused(rank):
    with pytest.raises(ValueError, match=f"rank {rank} of a 8 x 5 matrix"):
        FixedRank(8, 5, rank)


def test_velocity_is_the_derivative_of_the_retracted_line(place):
    manifold, point, u, _, _ = place
    curve = manifold.curve(point, u)

    def core(t: float) -> np.ndarray:
        A, s, B = curve.truncate(t)
        return (A * s) @ B.T

    expected = (core(0.3 + 1e-5) - core(0.3 - 1e-5)) / 2e-5
    np.testing.assert_allclose(curve.velocity(0.3), expected, atol=1e-7)

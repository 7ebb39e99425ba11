"""Laws of the geometry of S_+(n, r)."""

import numpy as np
import pytest
from pymanopt.manifolds import PSDFixedRank as PymanoptPSD

from xcbench.manifolds.psd_fixed_rank import PSDFixedRank


@pytest.fixture
def at_a_point():
    rng = np.random.default_rng(0)
    return PSDFixedRank(9, 3), rng.standard_normal((9, 3)), rng


def vertical(Z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    skew = rng.standard_normal((Z.shape[1],) * 2)
    return Z @ (skew - skew.T)


def test_projection_is_horizontal_idempotent_and_removes_the_vertical_part(at_a_point):
    manifold, Z, rng = at_a_point
    H = manifold.project(Z, rng.standard_normal(Z.shape))
    np.testing.assert_allclose(Z.T @ H, H.T @ Z, atol=1e-10)
    np.testing.assert_allclose(manifold.project(Z, H), H, atol=1e-10)
    np.testing.assert_allclose(manifold.project(Z, H + vertical(Z, rng)), H, atol=1e-10)


def test_projection_is_nearest(at_a_point):
    manifold, Z, rng = at_a_point
    A = rng.standard_normal(Z.shape)
    rest = A - manifold.project(Z, A)
    H = manifold.project(Z, rng.standard_normal(Z.shape))
    assert manifold.inner(Z, rest, H) == pytest.approx(0.0, abs=1e-10)


def test_projection_equals_pymanopt(at_a_point):
    manifold, Z, rng = at_a_point
    A = rng.standard_normal(Z.shape)
    np.testing.assert_allclose(
        manifold.project(Z, A), PymanoptPSD(9, 3).projection(Z, A), atol=1e-10
    )


def test_transported_vectors_are_horizontal_at_the_new_point(at_a_point):
    manifold, Z, rng = at_a_point
    U = manifold.project(Z, rng.standard_normal(Z.shape))
    new = manifold.retract(Z, U, 0.7)
    moved = manifold.transport(Z, new, U)
    np.testing.assert_allclose(new.T @ moved, moved.T @ new, atol=1e-10)


def test_a_direction_is_its_own_transport_along_its_line(at_a_point):
    manifold, Z, rng = at_a_point
    U = manifold.project(Z, rng.standard_normal(Z.shape))
    new = manifold.retract(Z, U, 0.7)
    np.testing.assert_allclose(
        manifold.transport_along(Z, new, U), manifold.transport(Z, new, U), atol=1e-10
    )


def test_inner_transported_is_the_inner_product_with_the_transport(at_a_point):
    manifold, Z, rng = at_a_point
    U = manifold.project(Z, rng.standard_normal(Z.shape))
    new = manifold.retract(Z, U, 0.7)
    V = manifold.project(new, rng.standard_normal(Z.shape))
    assert manifold.inner_transported(Z, new, U, V) == pytest.approx(
        manifold.inner(new, manifold.transport(Z, new, U), V)
    )


def test_retraction_agrees_to_first_order_with_the_curve_of_matrices(at_a_point):
    """M(t) = R(tU) R(tU)^T has derivative Z U^T + U Z^T at 0: the error has slope 2."""
    manifold, Z, rng = at_a_point
    U = manifold.project(Z, rng.standard_normal(Z.shape))
    steps = np.logspace(-1, -4, 7)
    errors = []
    for t in steps:
        moved = manifold.retract(Z, U, t)
        errors.append(np.linalg.norm(moved @ moved.T - Z @ Z.T - t * (Z @ U.T + U @ Z.T)))
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.01)


def test_distance_moved_does_not_depend_on_the_representative(at_a_point):
    manifold, Z, rng = at_a_point
    Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    A = rng.standard_normal(Z.shape)
    np.testing.assert_allclose(
        manifold.project(Z @ Q, A @ Q), manifold.project(Z, A) @ Q, atol=1e-10
    )


def test_inner_product_adds_up_in_float64():
    manifold = PSDFixedRank(40_000, 2)
    u = np.full((40_000, 2), 1e18, np.float32)  # the sum of squares is beyond float32
    assert manifold.inner(u, u, u) == pytest.approx(80_000 * 1e36, rel=1e-6)


def test_rank_deficient_point_gives_finite_projection():
    manifold = PSDFixedRank(5, 3)
    Z = np.zeros((5, 3))
    Z[:, 0] = 1.0
    H = manifold.project(Z, np.random.default_rng(0).standard_normal(Z.shape))
    assert np.all(np.isfinite(H))
    np.testing.assert_allclose(Z.T @ H, H.T @ Z, atol=1e-10)


def test_dimension_is_that_of_the_quotient():
    assert PSDFixedRank(10, 4).dimension == 34


@pytest.mark.parametrize("r", [0, 6])
def test_impossible_rank_is_refused(r):
    with pytest.raises(ValueError, match="rank is"):
        PSDFixedRank(5, r)

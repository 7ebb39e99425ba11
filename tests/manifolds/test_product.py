"""A product acts factor by factor; the Euclidean space is the plainest factor."""

import numpy as np
import pytest

from tests.manifolds import laws
from xcbench.manifolds.euclidean import Euclidean
from xcbench.manifolds.product import Product
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.manifolds.stiefel import Stiefel

MANIFOLD = Product([Stiefel(5, 2), Euclidean(3), PSDFixedRank(4, 2)])
SHAPES = [(5, 2), (3,), (4, 2)]


def flat(parts) -> np.ndarray:
    return np.concatenate([part.ravel() for part in parts])


def parts(vector: np.ndarray) -> tuple[np.ndarray, ...]:
    cuts = np.cumsum([np.prod(shape) for shape in SHAPES])[:-1]
    pieces = np.split(vector, cuts)
    return tuple(p.reshape(shape) for p, shape in zip(pieces, SHAPES, strict=True))


@pytest.fixture
def place():
    rng = np.random.default_rng(0)
    point = MANIFOLD.random_point(rng)
    u, v = (MANIFOLD.project(point, parts(rng.standard_normal(21))) for _ in range(2))
    return point, u, v, rng


def test_projection_is_idempotent_and_nearest(place):
    point, u, _, rng = place
    laws.assert_projection(
        lambda A: flat(MANIFOLD.project(point, parts(A))), rng.standard_normal(21), flat(u)
    )


def test_retraction_leaves_along_the_tangent(place):
    point, u, _, _ = place
    scaled = MANIFOLD.combine(1.0 / MANIFOLD.norm(point, u), u, 0.0, u)
    curve = lambda t: flat(MANIFOLD.retract(point, scaled, t))  # noqa: E731
    laws.assert_retraction(curve, flat(scaled), np.logspace(-1, -3, 9))


def test_metric_and_combinations_are_those_of_the_stacked_vectors(place):
    point, u, v, _ = place
    assert MANIFOLD.inner(point, u, v) == pytest.approx(flat(u) @ flat(v))
    np.testing.assert_allclose(
        flat(MANIFOLD.combine(2.0, u, -3.0, v)), 2.0 * flat(u) - 3.0 * flat(v)
    )


def test_transport_is_that_of_every_factor(place):
    point, u, v, _ = place
    new = MANIFOLD.retract(point, v, 0.5)
    for transport in ("transport", "transport_along"):
        carried = getattr(MANIFOLD, transport)(point, new, v)
        for factor, *rest in zip(MANIFOLD.factors, point, new, v, carried, strict=True):
            np.testing.assert_array_equal(getattr(factor, transport)(*rest[:3]), rest[3])
    w = MANIFOLD.project(new, u)
    assert MANIFOLD.inner_transported(point, new, u, w) == pytest.approx(
        MANIFOLD.inner(new, MANIFOLD.transport(point, new, u), w)
    )


def test_dimension_adds_up():
    assert MANIFOLD.dimension == (10 - 3) + 3 + (8 - 1)


def test_a_point_with_a_missing_factor_is_refused(place):
    point, u, _, _ = place
    with pytest.raises(ValueError, match="zip"):
        MANIFOLD.retract(point[:2], u, 1.0)

"""Side information of features that vary in few directions, or in none."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.models.side_features import SideFeatures


def constant(rng):
    return np.tile(rng.random(12), (40, 1))


def duplicated(rng):
    """Five rows eight times each."""
    return np.tile(rng.random((5, 12)), (8, 1))


def deficient(rng):
    return rng.random((40, 3)) @ rng.random((3, 12))


def repeated_columns(rng):
    return np.repeat(rng.random((40, 4)), 3, axis=1)


@pytest.mark.parametrize(
    ("make", "rank"), [(constant, 0), (duplicated, 4), (deficient, 3), (repeated_columns, 4)]
)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_columns_are_the_directions_in_which_the_features_vary_and_no_rounding(make, rank, scale):
    X = (scale * make(np.random.default_rng(0))).astype(np.float32)
    side = SideFeatures(sparse.csr_array(X), 10, np.random.default_rng(1))
    A = side.of_fitted()
    assert A.shape == (40, 1 + rank)
    assert side.directions.shape == (12, rank)
    assert side.lengths.shape == (1 + rank,)
    np.testing.assert_allclose(A.T @ A, np.eye(1 + rank), atol=1e-6)
    centred = X.astype(float) - X.astype(float).mean(axis=0)
    np.testing.assert_allclose(A @ (A.T @ centred), centred, atol=1e-4 * scale)


@pytest.mark.parametrize("make", [constant, duplicated, deficient])
def test_other_points_have_rows_of_the_size_of_those_seen(make):
    X = make(np.random.default_rng(0)).astype(np.float32)
    side = SideFeatures(sparse.csr_array(X), 10, np.random.default_rng(1))
    np.testing.assert_allclose(side.of(sparse.csr_array(X)), side.of_fitted(), atol=1e-3)

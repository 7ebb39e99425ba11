"""Each whitening is a square root of the inverse of what it says."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.optim import whitening as module
from xcbench.optim.whitening import (
    CholeskyWhitening,
    NoWhitening,
    NystromWhitening,
    make_whitening,
)


def features(n: int, d: int, seed: int = 0) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4) / np.arange(1, d + 1)
    return sparse.csr_array(dense)


def made(kind: str, X: sparse.csr_array, ridge: float):
    if kind == "none":
        return NoWhitening()
    if kind == "cholesky":
        return CholeskyWhitening(X, ridge)
    return NystromWhitening(X, ridge, 8, np.random.default_rng(0))


@pytest.mark.parametrize("kind", ["none", "cholesky", "nystrom"])
def test_the_two_products_are_each_others_transpose(kind):
    whitening = made(kind, features(30, 12), 0.5)
    there = whitening.to_weights(np.eye(12))
    back = whitening.to_whitened(np.eye(12))
    np.testing.assert_allclose(there.T, back, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "n", "ridge"), [("cholesky", 30, 0.5), ("cholesky", 30, 0.0), ("nystrom", 6, 0.5)]
)
def test_the_hessian_becomes_the_identity_where_p_is_exact(kind, n, ridge):
    """A sketch of rank 8 is exact for six points."""
    X = features(n, 12)
    H = (X.T @ X).toarray() + ridge * np.eye(12)
    whitening = made(kind, X, ridge)
    whitened = whitening.to_whitened(H @ whitening.to_weights(np.eye(12)))
    np.testing.assert_allclose(whitened, np.eye(12), atol=1e-6)


def test_a_sketch_improves_the_condition_of_the_hessian():
    X = features(200, 60)
    H = (X.T @ X).toarray() + 0.01 * np.eye(60)
    whitening = made("nystrom", X, 0.01)
    whitened = whitening.to_whitened(H @ whitening.to_weights(np.eye(60)))
    assert np.linalg.cond(whitened) < 0.05 * np.linalg.cond(H)


@pytest.mark.parametrize("kind", ["cholesky", "nystrom"])
@pytest.mark.parametrize("X", [features(4, 12), sparse.csr_array((5, 12))], ids=["thin", "empty"])
def test_features_of_less_than_full_rank_without_ridge_stay_finite(kind, X):
    whitening = made(kind, X, 0.0)
    assert np.isfinite(whitening.to_weights(np.eye(12))).all()


def test_wide_data_get_the_sketch_and_narrow_data_the_factor(monkeypatch):
    X, rng = features(30, 12), np.random.default_rng(0)
    assert isinstance(make_whitening("gram", X, 1.0, 3, rng), CholeskyWhitening)
    assert isinstance(make_whitening("none", X, 1.0, 3, rng), NoWhitening)
    monkeypatch.setattr(module, "CHOLESKY_FEATURES", 11)
    assert isinstance(make_whitening("gram", X, 1.0, 3, rng), NystromWhitening)

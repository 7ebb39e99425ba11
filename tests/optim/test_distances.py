"""Quadratic forms of distances and classical scaling, against dense formulas."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from xcbench.optim.distances import classical_scaling, laplacian_product, leading_factor


def dense_form(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    return np.einsum("ijk,ijk->ij", X[:, None] - X[None], Y[:, None] - Y[None])


def test_laplacian_of_a_form_acts_as_the_dense_one():
    V, W, Y = np.random.default_rng(0).standard_normal((3, 9, 2)) + 1.0
    form = dense_form(V, W)
    expected = np.diag(form.sum(axis=1)) @ Y - form @ Y
    np.testing.assert_allclose(laplacian_product(V, W, Y), expected, atol=1e-12)


@pytest.mark.parametrize("n", [4, 5, 6, 30, 90])
def test_classical_scaling_finds_points_in_the_plane(n):
    X = np.random.default_rng(n).standard_normal((n, 2)) + 3.0
    found = classical_scaling(squareform(pdist(X, "sqeuclidean")), 2)
    np.testing.assert_allclose(pdist(found), pdist(X), atol=1e-7)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-9)


def test_classical_scaling_is_the_truncated_spectrum_of_the_centred_distances():
    rng = np.random.default_rng(0)
    D = squareform(rng.uniform(1, 2, 80 * 79 // 2))
    H = np.eye(80) - 1 / 80
    values, vectors = np.linalg.eigh(-0.5 * H @ D @ H)
    expected = (vectors[:, -2:] * values[-2:]) @ vectors[:, -2:].T
    found = classical_scaling(D, 2)
    np.testing.assert_allclose(found @ found.T, expected, atol=1e-9)


@pytest.mark.parametrize("n", [4, 12, 80])
def test_negative_eigenvalues_count_as_zero(n):
    matrix = np.diag([2.0] + [-1.0] * (n - 1))
    factor = leading_factor(lambda v: matrix @ v, 2, np.ones(n))
    expected = np.zeros((n, n))
    expected[0, 0] = 2.0
    np.testing.assert_allclose(factor @ factor.T, expected, atol=1e-9)


@pytest.mark.parametrize("n", [12, 80])
def test_a_first_vector_of_zeros_begins_too(n):
    matrix = np.diag(np.arange(float(n)))
    factor = leading_factor(lambda v: matrix @ v, 2, np.zeros(n))
    np.testing.assert_allclose(np.diag(factor @ factor.T)[-2:], [n - 2, n - 1])

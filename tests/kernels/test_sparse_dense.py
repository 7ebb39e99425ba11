"""Sparse times dense and the Gram matrix, against scipy."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.optim.ridge import SparseOperator


@pytest.fixture
def matrix() -> sparse.csr_array:
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((23, 17)) * (rng.random((23, 17)) < 0.3)
    dense[5] = 0.0
    return sparse.csr_array(dense.astype(np.float32))


def test_products_equal_scipy(matrix):
    rng = np.random.default_rng(1)
    operator = SparseOperator(matrix)
    B = rng.standard_normal((17, 9)).astype(np.float32)
    C = rng.standard_normal((23, 9)).astype(np.float32)
    np.testing.assert_allclose(operator.multiply(B), matrix @ B, atol=1e-5)
    np.testing.assert_allclose(operator.transpose_multiply(C), matrix.T @ C, atol=1e-5)


def test_gram_products_and_diagonals_are_those_of_the_gram_matrices(matrix):
    rng = np.random.default_rng(2)
    operator, dense = SparseOperator(matrix), matrix.toarray()
    for gram, product, diagonal in (
        (dense.T @ dense, operator.gram_product, operator.gram_diagonal()),
        (dense @ dense.T, operator.outer_gram_product, operator.outer_gram_diagonal()),
    ):
        B = rng.standard_normal((len(gram), 9)).astype(np.float32)
        np.testing.assert_allclose(product(B), gram @ B, atol=1e-4)
        np.testing.assert_allclose(diagonal, np.diag(gram), atol=1e-5)


def test_gram_matrices_fill_the_lower_triangle(matrix):
    operator = SparseOperator(matrix)
    dense = matrix.toarray()
    np.testing.assert_allclose(operator.gram(), np.tril(dense.T @ dense), atol=1e-5)
    np.testing.assert_allclose(operator.outer_gram(), np.tril(dense @ dense.T), atol=1e-5)

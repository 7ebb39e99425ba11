"""Kernels on the pattern, against dense numpy."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.kernels import masked
from xcbench.optim.masked_completion import MaskedSymmetric


@pytest.fixture(params=[1, 5, 33], ids=lambda r: f"r{r}")
def problem(request):
    rng = np.random.default_rng(0)
    n, r = 30, request.param
    upper = sparse.csr_array(np.triu(rng.random((n, n)) < 0.3).astype(np.float32))
    upper.data[:] = rng.random(upper.nnz)
    Z, U = rng.standard_normal((2, n, r)).astype(np.float32)
    return upper.indptr.astype(np.int64), upper.indices.astype(np.int32), upper, Z, U


def on_pattern(upper: sparse.csr_array, dense: np.ndarray) -> np.ndarray:
    rows = np.repeat(np.arange(upper.shape[0]), np.diff(upper.indptr))
    return dense[rows, upper.indices]


def test_residual_is_the_target_less_the_inner_product(problem):
    indptr, columns, upper, Z, U = problem
    out = np.empty_like(upper.data)
    masked.residual(indptr, columns, upper.data, Z, U, out)
    np.testing.assert_allclose(out, upper.data - on_pattern(upper, Z @ U.T), atol=1e-5)


def test_line_products_are_both_parts_of_the_moved_inner_product(problem):
    indptr, columns, upper, Z, U = problem
    linear, quadratic = np.empty_like(upper.data), np.empty_like(upper.data)
    masked.line_products(indptr, columns, Z, U, linear, quadratic)
    np.testing.assert_allclose(linear, on_pattern(upper, Z @ U.T + U @ Z.T), atol=1e-4)
    np.testing.assert_allclose(quadratic, on_pattern(upper, U @ U.T), atol=1e-4)


def test_symmetric_product_counts_a_diagonal_entry_twice(problem):
    indptr, columns, upper, Z, _ = problem
    weights = np.full_like(upper.data, 2.0)
    out = MaskedSymmetric(indptr, columns, weights, upper.data).product(upper.data, Z)
    dense = 2.0 * upper.toarray()
    np.testing.assert_allclose(out, (dense + dense.T) @ Z, atol=1e-4)


def test_quartic_and_advance_agree_with_the_residual_along_the_line(problem):
    indptr, columns, upper, Z, U = problem
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 3, upper.nnz).astype(np.float32)
    linear, quadratic = np.empty_like(upper.data), np.empty_like(upper.data)
    masked.line_products(indptr, columns, Z, U, linear, quadratic)
    residual = np.empty_like(upper.data)
    masked.residual(indptr, columns, upper.data, Z, Z, residual)
    coefficients = np.empty(5)
    masked.quartic(weights, residual, linear, quadratic, coefficients)
    t = 0.3
    masked.advance(np.float32(t), linear, quadratic, residual)
    moved = Z + np.float32(t) * U
    expected = upper.data - on_pattern(upper, moved @ moved.T)
    np.testing.assert_allclose(residual, expected, atol=1e-4)
    cost = np.polynomial.polynomial.polyval(t, coefficients)
    assert cost == pytest.approx(float(weights @ expected.astype(float) ** 2), rel=1e-5)
    assert masked.weighted_square(weights, residual) == pytest.approx(cost, rel=1e-5)

"""Maxide's problem: what it computes on the pattern, and what it never forms."""

import tracemalloc

import numpy as np
import pytest

from tests.optim.test_proximal_gradient import made, observed, orthonormal
from xcbench.optim import side_information
from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import Descent, continuation
from xcbench.optim.side_information import Dense, SideInformation


@pytest.mark.parametrize("with_B", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_residual_and_adjoint_are_those_of_the_dense_matrices(with_B, dtype, monkeypatch):
    monkeypatch.setattr(side_information, "BLOCK_NUMBERS", 50)  # several blocks of rows
    A, B, M, mask = (x.astype(dtype) if x.dtype == float else x for x in made())
    problem = SideInformation(observed(M, mask), A, B if with_B else None)
    right = B if with_B else np.eye(30)
    Z = np.random.default_rng(1).standard_normal(problem.shape).astype(dtype)
    residual = problem.residual(Dense(Z, 0.0))
    assert residual.dtype == dtype
    tolerance = 1e-10 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(residual, (A @ Z @ right.T - M)[mask], atol=tolerance)
    R = np.zeros_like(M)
    R[mask] = residual
    np.testing.assert_allclose(problem.adjoint(residual), A.T @ R @ right, atol=tolerance)


def test_with_everything_observed_a_vanishing_penalty_gives_the_closed_form():
    A, B, M, _ = made()
    problem = SideInformation(observed(M, np.ones(M.shape, bool)), A, B)
    shares = [0.1**k for k in range(1, 11)]
    found = continuation(problem, shares, Descent(2.0, 1e-14, 500)).point.matrix
    np.testing.assert_allclose(found, A.T @ M @ B, atol=1e-7)


def test_a_matrix_in_the_span_is_recovered_from_few_entries():
    """30 of 80 x 60 entries a rank, far below what the matrix's size alone would ask for."""
    rng = np.random.default_rng(0)
    A, B = orthonormal(rng, 80, 10), orthonormal(rng, 60, 10)
    Z = rng.standard_normal((10, 2)) @ rng.standard_normal((2, 10))
    mask = rng.random((80, 60)) < 0.04
    problem = SideInformation(observed(A @ Z @ B.T, mask), A, B)
    shares = [0.5**k for k in range(1, 25)]
    found = continuation(problem, shares, Descent(2.0, 1e-8, 2000)).point.matrix
    assert np.linalg.norm(found - Z) <= 1e-4 * np.linalg.norm(Z)


@pytest.mark.parametrize("with_B", [True, False])
def test_no_dense_matrix_of_all_entries_is_formed(with_B):
    """20,000 x 5,000 numbers would be 800 MB; the factors are 3.2 and 0.8 MB."""
    rng = np.random.default_rng(0)
    n, m, r, per_row = 20_000, 5_000, 20, 3
    A = orthonormal(rng, n, r)
    B = orthonormal(rng, m, r) if with_B else None
    columns = np.sort(rng.integers(0, m, (n, per_row)), axis=1).astype(np.int32).ravel()
    indptr = np.arange(n + 1, dtype=np.int64) * per_row
    known = Observed(indptr, columns, rng.standard_normal(columns.size), m)
    tracemalloc.start()
    try:
        continuation(SideInformation(known, A, B), [0.5], Descent(2.0, 0.0, 2))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60e6

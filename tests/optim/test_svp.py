"""Eigenpairs, spectral start and SVP, against dense eigendecompositions."""

import numpy as np
import pytest

from tests.optim.conftest import dense, masked
from xcbench.optim.eigen import leading_eigenpairs, orthonormal
from xcbench.optim.masked_completion import MaskedSymmetric
from xcbench.optim.svp import singular_value_projection, spectral_factor


def project(M: np.ndarray, rank: int) -> np.ndarray:
    values, vectors = np.linalg.eigh(M)
    values = np.where(np.arange(values.size) >= values.size - rank, np.maximum(values, 0), 0)
    return vectors * values @ vectors.T


def test_leading_eigenpairs_equal_dense_ones():
    rng = np.random.default_rng(0)
    M = rng.standard_normal((50, 50))
    M = (M @ M.T).astype(np.float32)
    block = rng.standard_normal((50, 20)).astype(np.float32)
    values, vectors, basis = leading_eigenpairs(lambda B: M @ B, block, 5, 40)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M)[::-1][:5], rtol=1e-4)
    np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-2 * values[0])
    np.testing.assert_allclose(basis.T @ basis, np.eye(20), atol=1e-5)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e7], ids=lambda c: f"{c:g}")
def test_basis_is_orthonormal_whatever_the_condition_of_the_block(condition):
    rng = np.random.default_rng(0)
    block = (rng.standard_normal((200, 8)) * np.logspace(0, -np.log10(condition), 8)).astype("f4")
    basis = orthonormal(block @ np.linalg.qr(rng.standard_normal((8, 8)))[0].astype("f4"))
    np.testing.assert_allclose(basis.T @ basis, np.eye(8), atol=2e-3)


def test_rank_deficient_block_still_gives_an_orthonormal_basis():
    block = np.zeros((20, 3), np.float32)
    block[:, 0] = 1.0
    basis = orthonormal(block)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-5)


def test_spectral_start_is_the_best_psd_approximation_of_the_known_entries():
    known = masked(n=60, r=4, share=0.6, noise=0.0, seed=0)
    Z, _ = spectral_factor(known, 4, np.random.default_rng(0))
    half = dense(known, known.weights * known.targets) / 2
    expected = project(half + half.T, 4)
    assert np.linalg.norm(Z @ Z.T - expected) < 0.05 * np.linalg.norm(expected)


@pytest.mark.parametrize("iterations", [2, 5])
def test_svp_takes_the_printed_steps(iterations):
    known = masked(n=60, r=4, share=0.6, noise=0.0, seed=0)
    weights = dense(known, known.weights)
    sign = (weights + weights.T) / 2  # symmetric part of the mask; a diagonal entry is 1
    target = dense(known, known.targets)
    target = target + np.triu(target, 1).T
    M = np.zeros((60, 60))
    for _ in range(iterations):
        M = project(M + sign * (target - M), 4)
    Z = singular_value_projection(known, 4, iterations, np.random.default_rng(0))
    assert np.linalg.norm(Z @ Z.T - M) < 0.02 * np.linalg.norm(M)


def all_mutual(n: int, r: int) -> MaskedSymmetric:
    """Every pair known and mutual: one step of SVP has full length everywhere."""
    known = masked(n=n, r=r, share=1.0, noise=0.0, seed=1)
    known.weights[:] = 2.0
    known.weights[known.indptr[:-1]] = 1.0
    return known


def test_svp_recovers_a_completely_known_matrix():
    known = all_mutual(40, 3)
    Z = singular_value_projection(known, 3, 3, np.random.default_rng(0))
    assert np.abs(known.residual(Z)).max() < 1e-3 * np.abs(known.targets).max()


def test_rank_beyond_the_positive_eigenvalues_gives_zero_columns():
    known = all_mutual(12, 2)
    Z = singular_value_projection(known, 12, 4, np.random.default_rng(0))
    assert np.all(np.isfinite(Z))
    assert np.linalg.matrix_rank(Z, tol=1e-2) == 2


def test_a_callback_sees_every_step_and_changes_nothing():
    known = masked(n=40, r=3, share=0.4, noise=0.1, seed=0)
    seen = []
    Z = singular_value_projection(
        known, 3, 4, np.random.default_rng(0), lambda Z: seen.append(Z.copy())
    )
    assert len(seen) == 4
    for steps, point in enumerate(seen, start=1):
        alone = singular_value_projection(known, 3, steps, np.random.default_rng(0))
        np.testing.assert_array_equal(point, alone)
    np.testing.assert_array_equal(Z, seen[-1])

"""The completion of SLEEC's public code: alternating gradient steps on unsymmetric factors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from xcbench.kernels import masked, sparse_dense

STEP_SHARE = 0.3
RMS_TOLERANCE = 1e-3
FALL_TOLERANCE = 1e-4


def alternating_gradient(
    known: sparse.csr_array,
    rank: int,
    iterations: int,
    rng: np.random.Generator,
    callback: Callable[[tuple[np.ndarray, np.ndarray]], None] | None = None,
) -> np.ndarray:
    """Left factor of P_Omega(S) ~ P_Omega(U V^T), as the release of SLEEC finds it.

    Start: the rank-``rank`` SVD of P_Omega(S), its singular values shared between the factors. Then
    alternate U += eta R V and V += eta R^T U with eta = 1 / (0.3 ||P_Omega(S)||_F), R the residual
    on Omega, until its root mean square is below 1e-3 or falls by less than 1e-4.

    Parameters
    ----------
    known : csr_array of float32, shape (n, n)
        Similarities on Omega, explicit zeros included; not symmetric.
    rank, iterations : int
    rng : Generator
        Start vector of the SVD.
    callback : callable, optional
        Called with (U, V) after every pair of steps, which change both in place.

    Returns
    -------
    ndarray of float32, shape (n, rank)
        U; V is dropped, as the release does.
    """
    U, V = _svd_factors(known, rank, rng)
    step = np.float32(1.0 / (STEP_SHARE * max(float(np.linalg.norm(known.data)), 1e-12)))
    rows, columns = known.indptr.astype(np.int64), known.indices.astype(np.int32, copy=False)
    # the transpose of the residual has the same places at every step: only its values move
    places = sparse.csr_array((np.arange(known.nnz), known.indices, known.indptr), known.shape)
    mirrored = places.T.tocsr()
    mirrored_rows = mirrored.indptr.astype(np.int64)
    mirrored_columns = mirrored.indices.astype(np.int32, copy=False)
    residual = np.empty_like(known.data)
    change = np.empty_like(U)
    previous = np.inf
    for _ in range(iterations):
        masked.residual(rows, columns, known.data, U, V, residual)
        rms = float(np.sqrt(np.mean(np.square(residual, dtype=np.float64))))
        if rms < RMS_TOLERANCE or previous - rms < FALL_TOLERANCE:
            break
        previous = rms
        sparse_dense.multiply(rows, columns, residual, V, change)
        U += step * change
        masked.residual(rows, columns, known.data, U, V, residual)
        sparse_dense.multiply(mirrored_rows, mirrored_columns, residual[mirrored.data], U, change)
        V += step * change
        if callback is not None:
            callback((U, V))
    return U


def _svd_factors(
    known: sparse.csr_array, rank: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    n = known.shape[0]
    if rank >= n:
        left, values, right = np.linalg.svd(known.toarray())
        left, values, right = left[:, :rank], values[:rank], right[:rank]
    else:
        start = rng.standard_normal(n).astype(np.float32)
        left, values, right = svds(known, k=rank, v0=start)
    root = np.sqrt(values)
    return (
        np.ascontiguousarray(left * root, dtype=np.float32),
        np.ascontiguousarray(right.T * root, dtype=np.float32),
    )

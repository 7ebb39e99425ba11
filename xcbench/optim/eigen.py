"""Leading eigenpairs of a symmetric operator by warm-started block subspace iteration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh, lapack, qr

# Smallest ratio of the factor's diagonal at which float32 products stay orthonormal to 1e-3.
CHOLESKY_FLOOR = 1e-4


def leading_eigenpairs(
    apply: Callable[[np.ndarray], np.ndarray], start: np.ndarray, rank: int, iterations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Largest eigenvalues of a symmetric operator and their vectors, by Rayleigh-Ritz.

    Parameters
    ----------
    apply : callable
        Maps float32 (n, b) to the operator times it.
    start : ndarray of float32, shape (n, b), b >= rank
        Spans the first subspace: noise, or the basis of a nearby operator (warm start).
    rank : int
        How many pairs are wanted.
    iterations : int
        Applications of the operator, at least 1.

    Returns
    -------
    values : ndarray of float64, shape (rank,)
        Not increasing.
    vectors : ndarray of float32, shape (n, rank)
        Orthonormal columns.
    basis : ndarray of float32, shape (n, b)
        Orthonormal; start of the next call.
    """
    basis = orthonormal(start)
    image = apply(basis)
    for _ in range(iterations - 1):
        basis = orthonormal(image)
        image = apply(basis)
    projected = (basis.T @ image).astype(np.float64)
    values, coordinates = eigh((projected + projected.T) / 2.0)
    coordinates = np.ascontiguousarray(coordinates[:, ::-1], dtype=basis.dtype)
    return values[::-1][:rank], basis @ coordinates[:, :rank], basis @ coordinates


def orthonormal(block: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the columns of a float32 (n, b) block, b <= n.

    By the Cholesky factor of the Gram matrix in float64, several times faster than Householder QR
    on a tall block; a block too close to rank deficient for that goes to QR.
    """
    wide = block.astype(np.float64)
    gram = wide.T @ wide
    factor, info = lapack.dpotrf(gram, lower=0, clean=1)
    diagonal = np.abs(np.diag(factor))
    if info != 0 or diagonal.min() < CHOLESKY_FLOOR * diagonal.max():
        basis: np.ndarray = qr(block, mode="economic", check_finite=False)[0]
        return np.ascontiguousarray(basis)
    inverse = lapack.dtrtri(factor, lower=0)[0]
    found: np.ndarray = block @ inverse.astype(block.dtype)
    return found

"""Randomised low-rank approximations of matrices known only by products with thin matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

Product = Callable[[np.ndarray], np.ndarray]

OVERSAMPLING = 10


def randomized_svd(
    multiply: Product,
    multiply_transposed: Product,
    columns: int,
    rank: int,
    rng: np.random.Generator,
    power_iterations: int = 4,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leading singular triplets of an m x n matrix A by block power iteration.

    Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53 (2011),
    algorithms 4.4 and 5.1.

    Parameters
    ----------
    multiply, multiply_transposed : callable
        Q (n, p) -> A Q (m, p), and Q (m, p) -> A^T Q (n, p).
    columns : int
        n.
    rank : int
        How many triplets; at most min(m, n).
    rng : numpy Generator
    power_iterations : int

    Returns
    -------
    U : ndarray of float64, shape (m, rank)
    s : ndarray of float64, shape (rank,)
    V : ndarray of float64, shape (n, rank)
    """
    width = min(columns, rank + OVERSAMPLING)
    Q = _orthonormal(multiply(rng.standard_normal((columns, width))))
    for _ in range(power_iterations):
        Q = _orthonormal(multiply(_orthonormal(multiply_transposed(Q))))
    V, s, small = linalg.svd(multiply_transposed(Q), full_matrices=False, check_finite=False)
    return Q @ small[:rank].T, s[:rank], np.ascontiguousarray(V[:, :rank])


def nystrom(
    multiply: Product, size: int, rank: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Approximation ``Q diag(values) Q^T`` of a positive semidefinite matrix of order ``size``.

    Tropp, Yurtsever, Udell and Cevher, "Fixed-rank approximation of a positive-semidefinite
    matrix from streaming data", NeurIPS 2017, algorithm 3.

    Returns
    -------
    Q : ndarray of float64, shape (size, rank)
    values : ndarray of float64, shape (rank,), decreasing
    """
    test = _orthonormal(rng.standard_normal((size, rank)))
    sketch = multiply(test)
    shift = np.sqrt(size) * np.finfo(np.float64).eps * (float(np.linalg.norm(sketch)) or 1.0)
    sketch += shift * test
    core = test.T @ sketch
    factor = linalg.cholesky((core + core.T) / 2, lower=True, check_finite=False)
    half = linalg.solve_triangular(factor, sketch.T, lower=True, check_finite=False).T
    Q, s, _ = linalg.svd(half, full_matrices=False, check_finite=False)
    return np.ascontiguousarray(Q), np.maximum(s**2 - shift, 0.0)


def _orthonormal(matrix: np.ndarray) -> np.ndarray:
    return np.linalg.qr(matrix)[0]

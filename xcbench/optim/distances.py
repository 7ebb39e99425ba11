"""Squared distances as quadratic forms, and the points of classical scaling.

With q(X, Y)_ij = (x_i - x_j) . (y_i - y_j) the squared distances of Z are q(Z, Z), and for a
symmetric T the inner product <T, q(X, Y)> is 2 <X, L_T Y> with the Laplacian L_T = diag(T 1) - T.
Where T is itself such a q(V, W), of rank at most m + 2, its Laplacian costs O(n m^2) to apply.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh

# Where few eigenvalues differ, as in small matrices, Lanczos ends early and goes on at random. Up
# to here the whole spectrum takes no longer.
_SMALL = 64


def laplacian_product(V: np.ndarray, W: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """L_T Y for T = q(V, W); V, W and Y are (n, m)."""
    products = np.einsum("ij,ij->i", V, W)
    ones = np.ones(len(V))  # a product with it is several times faster than sum(axis=0)
    v, w, y = ones @ V, ones @ W, ones @ Y
    degrees = len(V) * products + products.sum() - V @ w - W @ v
    image: np.ndarray = degrees[:, np.newaxis] * Y
    image -= np.outer(products, y) + products @ Y
    image += V @ (W.T @ Y) + W @ (V.T @ Y)
    return image


def classical_scaling(distances: np.ndarray, rank: int) -> np.ndarray:
    """Centred points (n, rank) whose products are nearest to the doubly centred distances.

    Torgerson's classical scaling: the leading eigenpairs of -1/2 H D H with H = I - 1 1^T / n, a
    negative eigenvalue counting as 0.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, n)
        Squared, symmetric.
    rank : int
        Below n.
    """
    means = distances.mean(axis=0)
    centred = -0.5 * (distances - means - means[:, np.newaxis] + means.mean())
    start = np.linspace(-1.0, 1.0, len(distances))
    return leading_factor(lambda v: centred @ v, rank, start)


def leading_factor(
    apply: Callable[[np.ndarray], np.ndarray], rank: int, start: np.ndarray
) -> np.ndarray:
    """Z (n, rank) such that Z Z^T is the nearest positive semidefinite matrix of that rank.

    Parameters
    ----------
    apply : callable
        Maps (n,) to a symmetric matrix times it.
    rank : int
        Below n.
    start : ndarray of float64, shape (n,)
        First Lanczos vector; what the columns of a nearby Z add up to is a good one. Of zeros,
        which begin nothing, the whole spectrum is found.
    """
    n = len(start)
    if n <= _SMALL or not start.any():
        dense = np.column_stack([apply(column) for column in np.eye(n)])
        # The whole spectrum, as the driver for a part of it may find none of equal eigenvalues.
        values, vectors = (part[..., -rank:] for part in linalg.eigh(dense, driver="evd"))
    else:
        operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
        values, vectors = eigsh(operator, k=rank, which="LA", v0=start)
    factor: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
    return factor

"""Coupled diagonalisation of several Laplacians (Eynard et al.; the MADMM paper's second problem).

Over orthonormal k x k matrices X_1 .. X_L, with F, G (q, k) the coefficients of a pair (i, j):

    min  sum over pairs ||F X_i - G X_j||_{2,1} + mu sum_i off(X_i^T Lambda_i X_i)

The 2,1-norm adds up the lengths of rows, one for each function; off adds up the squares beside the
diagonal. The paper's sum over i != j names each pair twice, with the same functions twice the
value, and its mu is twice ours. Eigenvalues are divided by the mean of the shapes' largest, so that
mu has no unit.
"""

from __future__ import annotations

import numpy as np

from xcbench.optim.prox import prox_l21
from xcbench.tasks.functional_correspondence.matches import Matches

Bases = tuple[np.ndarray, ...]


class CoupledDiagonalisation:
    """The problem as MADMM splits it: f is mu times off, A the residual, g its 2,1-norm.

    A point is a sequence of L arrays (k, k); split values are (p, q, k).

    Parameters
    ----------
    matches : Matches
    eigenvalues : ndarray, shape (L, k)
    mu : float
    """

    def __init__(self, matches: Matches, eigenvalues: np.ndarray, mu: float) -> None:
        self.matches = matches
        self.eigenvalues = eigenvalues / max(float(np.mean(eigenvalues[:, -1])), 1e-300)
        self.mu = mu

    def smooth(self, point: Bases) -> float:
        """mu sum_i off(X_i^T Lambda_i X_i)."""
        return self.mu * float(np.sum(self._off_diagonal(np.stack(point)) ** 2))

    def smooth_gradient(self, point: Bases) -> tuple[np.ndarray, ...]:
        """4 mu Lambda_i X_i (X_i^T Lambda_i X_i without its diagonal), for every i."""
        X = np.stack(point)
        product = (self.eigenvalues[:, :, None] * X) @ self._off_diagonal(X)
        return tuple(4.0 * self.mu * product)

    def forward(self, point: Bases) -> np.ndarray:
        """F X_i - G X_j of every pair, float64 (p, q, k)."""
        X, matches = np.stack(point), self.matches
        residual: np.ndarray = matches.F @ X[matches.first] - matches.G @ X[matches.second]
        return residual

    def adjoint(self, point: Bases, values: np.ndarray) -> tuple[np.ndarray, ...]:
        """Gradient of <values, F X_i - G X_j>: F^T values at i, -G^T values at j, added up."""
        matches, gradient = self.matches, np.zeros((len(point), *np.shape(point[0])))
        np.add.at(gradient, matches.first, matches.F.transpose(0, 2, 1) @ values)
        np.subtract.at(gradient, matches.second, matches.G.transpose(0, 2, 1) @ values)
        return tuple(gradient)

    def nonsmooth(self, values: np.ndarray) -> float:
        """Sum of the lengths of rows."""
        return float(np.linalg.norm(values, axis=-1).sum())

    def prox(self, values: np.ndarray, step: float) -> np.ndarray:
        """Every row shortened by ``step``."""
        rows = values.reshape(-1, values.shape[-1])
        return prox_l21(rows, step, axis=1).reshape(values.shape)

    def cost(self, point: Bases) -> float:
        """The objective."""
        return self.smooth(point) + self.nonsmooth(self.forward(point))

    def _off_diagonal(self, X: np.ndarray) -> np.ndarray:
        """X_i^T Lambda_i X_i with a diagonal of zeros, (L, k, k)."""
        A: np.ndarray = X.transpose(0, 2, 1) @ (self.eigenvalues[:, :, None] * X)
        diagonal = np.arange(A.shape[-1])
        A[:, diagonal, diagonal] = 0.0
        return A


def procrustes_start(matches: Matches, count: int) -> tuple[np.ndarray, ...]:
    """X_1 = I and X_j the orthonormal matrix that fits its functions to those of shape 1 best.

    The orthonormal matrices are in two parts, of determinant 1 and -1, and no step leads from one
    to the other. Signs of eigenvectors are arbitrary, so half of the time the identity is in the
    wrong part; the least squares fit in closed form is in the right one where the functions
    tell.
    """
    start = [np.eye(matches.F.shape[-1])]
    for j in range(1, count):
        pair = int(np.flatnonzero((matches.first == 0) & (matches.second == j))[0])
        left, _, right = np.linalg.svd(matches.G[pair].T @ matches.F[pair])
        start.append(left @ right)
    return tuple(start)

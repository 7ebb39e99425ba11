"""Side information made of features and labels: the orthonormal A and B of Maxide."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.optim.randomized import randomized_svd

_LEAST = 1e-5  # of the largest singular value: directions shorter than that are rounding


class SideFeatures:
    """A constant and the left singular vectors of centred features, the columns of A.

    With X - 1 mu^T = U diag(s) V^T for the points it is made for, A = [1/sqrt(n), U] has
    orthonormal columns; any other point x has the row [1/sqrt(n), (x - mu) V / s].

    Parameters
    ----------
    X : csr_array, shape (n, d)
    rank : int
        Singular vectors; fewer where X has fewer.
    rng : numpy Generator

    Attributes
    ----------
    mean : float64, shape (d,)
    directions : float64, shape (d, r)
        V / s.
    lengths : float64, shape (1 + r,)
        s relative to the first; 1 for the constant.
    n_points : int
    """

    def __init__(self, X: sparse.csr_array, rank: int, rng: np.random.Generator) -> None:
        n, d = X.shape
        X = X.astype(np.float64)
        transposed = X.T.tocsr()
        self.n_points = n
        self.mean: np.ndarray = np.asarray(X.sum(axis=0)).ravel() / n

        def multiply(Q: np.ndarray) -> np.ndarray:
            found: np.ndarray = X @ Q - self.mean @ Q
            return found

        def multiply_transposed(Q: np.ndarray) -> np.ndarray:
            found: np.ndarray = transposed @ Q - np.outer(self.mean, Q.sum(axis=0))
            return found

        U, s, V = randomized_svd(multiply, multiply_transposed, d, min(rank, n, d), rng)
        # Where X is constant, what is left is as long as the rounding of its mean.
        length = max(float(s.max(initial=0.0)), float(np.linalg.norm(self.mean)) * np.sqrt(n))
        kept = s > _LEAST * length
        self._left = np.ascontiguousarray(U[:, kept])
        self.directions: np.ndarray = V[:, kept] / s[kept]
        self.lengths: np.ndarray = np.append(1.0, s[kept] / s.max(initial=1e-300))

    def of_fitted(self) -> np.ndarray:
        """A of the points it was made for, float64 (n, 1 + r)."""
        constant = np.full((self.n_points, 1), self.n_points**-0.5)
        return np.hstack([constant, self._left])

    def of(self, X: sparse.csr_array) -> np.ndarray:
        """The rows of other points, float64 (m, 1 + r)."""
        constant = np.full((X.shape[0], 1), self.n_points**-0.5)
        return np.hstack([constant, X @ self.directions - self.mean @ self.directions])


def correlation_basis(Y: sparse.csr_array, rank: int, rng: np.random.Generator) -> np.ndarray:
    """Leading eigenvectors of the labels' cosine matrix, the columns of B.

    Parameters
    ----------
    Y : csr_array, shape (n, l)
        1 where a point has a label.
    rank : int
        At most so many; n and l bound it too.
    rng : numpy Generator

    Returns
    -------
    float64, shape (l, r), C-contiguous
    """
    Y = Y.astype(np.float64)
    counts = np.asarray(Y.sum(axis=0)).ravel()
    scaled = Y.multiply(1 / np.sqrt(np.maximum(counts, 1.0))).tocsr()
    transposed = scaled.T.tocsr()
    n, m = scaled.shape
    _, _, V = randomized_svd(
        lambda Q: scaled @ Q, lambda Q: transposed @ Q, m, min(rank, n, m), rng
    )
    return V

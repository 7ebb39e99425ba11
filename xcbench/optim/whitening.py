"""Changes of variables ``W = P^{-1/2} W~`` that make least squares in X well conditioned.

P stands for ``X^T X + ridge I``. Where it is exact the Hessian of ``||XW - Y||^2 + ridge ||W||^2``
becomes the identity, so what is left of the problem is a low-rank approximation.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from scipy import linalg, sparse

from xcbench.optim.randomized import nystrom

WhiteningName = Literal["none", "gram"]

# A Cholesky factor of this order takes 200 MB and a few seconds; wider data gets the sketch.
CHOLESKY_FEATURES = 5000
SKETCH_RANK = 200
# Relative to the mean eigenvalue: keeps P positive definite when X lacks full column rank and
# there is no ridge. P need not be exact; it only has to be well conditioned.
JITTER = 1e-10


class Whitening(Protocol):
    """A square root of P^-1 as two products with thin matrices."""

    def to_weights(self, thin: np.ndarray) -> np.ndarray:
        """``P^{-1/2} thin``: from whitened coordinates (d, r) to weights (d, r)."""
        ...

    def to_whitened(self, thin: np.ndarray) -> np.ndarray:
        """``P^{-T/2} thin``: from a gradient in the weights to one in whitened coordinates."""
        ...


class NoWhitening:
    """P = I."""

    def to_weights(self, thin: np.ndarray) -> np.ndarray:
        """See Whitening."""
        return thin

    def to_whitened(self, thin: np.ndarray) -> np.ndarray:
        """See Whitening."""
        return thin


class CholeskyWhitening:
    """P = X^T X + ridge I = L L^T, ``P^{-1/2} = L^{-T}``; O(d^2 r) a product."""

    def __init__(self, X: sparse.csr_array, ridge: float) -> None:
        gram = (X.T @ X).toarray()
        d = gram.shape[0]
        scale = float(np.trace(gram)) / d
        gram[np.diag_indices(d)] += ridge + JITTER * scale if ridge + scale > 0 else 1.0
        # Column-major, as BLAS wants its triangle.
        self._lower = np.asfortranarray(linalg.cholesky(gram, lower=True, check_finite=False))

    def to_weights(self, thin: np.ndarray) -> np.ndarray:
        """See Whitening."""
        return self._solve(thin, transposed=False)

    def to_whitened(self, thin: np.ndarray) -> np.ndarray:
        """See Whitening."""
        return self._solve(thin, transposed=True)

    def _solve(self, thin: np.ndarray, transposed: bool) -> np.ndarray:
        # Solved from the right on the transpose: a row-major (d, r) array is column-major (r, d)
        # already, so nothing is copied into another order.
        solved: np.ndarray = linalg.blas.dtrsm(
            1.0, self._lower, thin.T, side=1, lower=1, trans_a=int(transposed)
        )
        return solved.T


class NystromWhitening:
    """P = Q diag(values + ridge) Q^T + rho (I - Q Q^T) from a randomised sketch of X^T X.

    rho = smallest value of the sketch + ridge: Frangella, Tropp and Udell, "Randomized Nystrom
    preconditioning", SIAM J. Matrix Anal. Appl. 44 (2023). O(d m) a column, m the sketch's rank.
    """

    def __init__(self, X: sparse.csr_array, ridge: float, rank: int, rng: np.random.Generator):
        d = X.shape[1]
        transposed = X.T
        self._Q, values = nystrom(lambda thin: transposed @ (X @ thin), d, min(rank, d), rng)
        values = np.maximum(values, JITTER * max(float(values[0]), 1e-300)) + ridge
        self._outside = float(values[-1]) ** -0.5
        self._inside = values**-0.5 - self._outside

    def to_weights(self, thin: np.ndarray) -> np.ndarray:
        """See Whitening."""
        result: np.ndarray = self._outside * thin
        result += self._Q @ (self._inside[:, np.newaxis] * (self._Q.T @ thin))
        return result

    def to_whitened(self, thin: np.ndarray) -> np.ndarray:
        """See Whitening; the root is symmetric."""
        return self.to_weights(thin)


def make_whitening(
    name: WhiteningName, X: sparse.csr_array, ridge: float, rank: int, rng: np.random.Generator
) -> Whitening:
    """The whitening of that name for float64 features X and models of the given rank."""
    if name == "none":
        return NoWhitening()
    if X.shape[1] <= CHOLESKY_FEATURES:
        return CholeskyWhitening(X, ridge)
    return NystromWhitening(X, ridge, max(SKETCH_RANK, 2 * rank), rng)

"""Matrix completion with side information, Maxide's problem.

    min over Z of penalty ||Z||_tr + 1/2 ||R_Omega(A Z B^T - M)||_F^2

A (n, ra) and B (m, rb) have orthonormal columns; Z is ra x rb. Of the n x m matrices only the
entries on Omega are ever formed. As R_Omega is a projection, L = 1 always bounds the curvature; it
starts at the share of entries observed, what it is on average, and grows from there. With all
entries observed ||A Z B^T - M||^2 is ||Z - A^T M B||^2 and a constant: the solution is A^T M B
``shrunk``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xcbench.kernels import observed
from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import shrunk

BLOCK_NUMBERS = 1 << 21  # of A Z and of R B, held at once


@dataclass(frozen=True, eq=False)
class Dense:
    """A matrix as an array, with its trace norm."""

    matrix: np.ndarray
    trace_norm: float


class SideInformation:
    """The problem, for ``proximal_gradient``.

    Parameters
    ----------
    known : Observed
    A : ndarray, shape (n, ra), C-contiguous
        Of the values' type. Columns orthonormal, or some rows of such a matrix, or shrunk ones.
    B : ndarray, shape (m, rb), C-contiguous, or None
        None is the identity.
    """

    bound = 1.0

    def __init__(self, known: Observed, A: np.ndarray, B: np.ndarray | None) -> None:
        self.known, self.A, self.B = known, A, B

    @property
    def shape(self) -> tuple[int, int]:
        """Of Z."""
        return self.A.shape[1], self.known.n_columns if self.B is None else self.B.shape[1]

    def zero(self) -> Dense:
        return Dense(np.zeros(self.shape, self.A.dtype), 0.0)

    @property
    def curvature(self) -> float:
        """Of a random direction, on average."""
        return self.known.share

    @cached_property
    def largest_penalty(self) -> float:
        """The least penalty at which Z is 0: the largest singular value of A^T R_Omega(M) B."""
        return float(np.linalg.norm(self.adjoint(self.known.values), 2))

    def residual(self, point: Dense) -> np.ndarray:
        """A Z B^T - M on Omega."""
        known, out = self.known, np.empty_like(self.known.values)
        if self.B is None:
            # Entries of A Z without A Z: it would be a full n x m matrix.
            right = np.ascontiguousarray(point.matrix.T)
            observed.entries(known.indptr, known.columns, self.A, right, out)
        else:
            for first, last in self._blocks():
                left = self.A[first:last] @ point.matrix
                indptr = known.indptr[first : last + 1]
                observed.entries(indptr, known.columns, left, self.B, out)
        out -= known.values
        return out

    def adjoint(self, values: np.ndarray) -> np.ndarray:
        """A^T R B for R of these values on Omega."""
        if self.B is None:
            return np.ascontiguousarray((self.known.holding(values).T @ self.A).T)
        out = np.zeros(self.shape, self.A.dtype)
        for first, last in self._blocks():
            out += self.A[first:last].T @ (self.known.holding(values, first, last) @ self.B)
        return out

    def step(
        self, base: Dense, previous: Dense, momentum: float, residual: np.ndarray, L: float,
        penalty: float,
    ) -> Dense:  # fmt: skip
        """See TraceNormProblem.step: singular value thresholding at penalty / L."""
        target = self.adjoint(residual)
        target *= -1 / L
        target += _extrapolated(base, previous, momentum)
        U, s, Vt = shrunk(target, penalty / L)
        return Dense((U * s) @ Vt, float(s.sum()))

    def squared_distance(
        self, point: Dense, base: Dense, previous: Dense, momentum: float
    ) -> float:
        """See TraceNormProblem.squared_distance."""
        return float(np.sum((point.matrix - _extrapolated(base, previous, momentum)) ** 2))

    def _blocks(self) -> list[tuple[int, int]]:
        n, step = self.known.shape[0], max(1, BLOCK_NUMBERS // max(self.shape[1], 1))
        return [(first, min(first + step, n)) for first in range(0, n, step)]


def _extrapolated(base: Dense, previous: Dense, momentum: float) -> np.ndarray:
    if momentum == 0.0:
        return base.matrix
    found: np.ndarray = base.matrix + momentum * (base.matrix - previous.matrix)
    return found

"""Matrix completion without side information, by singular value thresholding.

    min over X of penalty ||X||_tr + 1/2 ||R_Omega(X - M)||_F^2

X is kept as its singular triplets: with the residual, which is sparse, they give products with the
matrix whose singular values are shrunk in a step, so that none is ever formed where it would be
large (Cai, Candes and Shen, "A singular value thresholding algorithm for matrix completion", SIAM
J. Optim. 20, 2010; Toh and Yun, "An accelerated proximal gradient algorithm for nuclear norm
regularized linear least squares problems", Pacific J. Optim. 6, 2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse.linalg import LinearOperator, svds

from xcbench.kernels import observed
from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import shrunk

# A whole decomposition of a matrix of at most so many numbers, where more than one in PARTIAL of
# the triplets are asked for; else a partial one.
DENSE_NUMBERS = 1 << 22
PARTIAL = 8
_SPARE = 5  # triplets asked for beyond the rank of the point before


@dataclass(frozen=True, eq=False)
class LowRank:
    """A matrix U diag(s) Vt by its singular triplets: (n, r), (r,), (r, m)."""

    U: np.ndarray
    s: np.ndarray
    Vt: np.ndarray

    @property
    def trace_norm(self) -> float:
        return float(self.s.sum())

    @property
    def rank(self) -> int:
        return int(self.s.size)


class FullMatrix:
    """The problem, for ``proximal_gradient``.

    Parameters
    ----------
    known : Observed
        Of float64.
    """

    bound = 1.0  # R_Omega is a projection

    def __init__(self, known: Observed) -> None:
        self.known = known
        # Where the partial decompositions begin; fixed, so that equal problems give equal bits.
        self._first = np.random.default_rng(0).standard_normal(min(known.shape))

    def zero(self) -> LowRank:
        n, m = self.known.shape
        return LowRank(np.zeros((n, 0)), np.zeros(0), np.zeros((0, m)))

    @property
    def curvature(self) -> float:
        """Of a random direction, on average."""
        return self.known.share

    @cached_property
    def largest_penalty(self) -> float:
        """The least penalty at which X is 0: the largest singular value of R_Omega(M)."""
        values = self.known.values
        if not values.any():  # ARPACK would find no vector to start from
            return 0.0
        if self._is_whole(1):
            return float(np.linalg.norm(self._formed([], values), 2))
        return float(self._leading([], values, 1)[1].max())

    def residual(self, point: LowRank) -> np.ndarray:
        """X - M on Omega."""
        known, out = self.known, np.empty_like(self.known.values)
        left = np.ascontiguousarray(point.U * point.s)
        right = np.ascontiguousarray(point.Vt.T)
        observed.entries(known.indptr, known.columns, left, right, out)
        out -= known.values
        return out

    def step(
        self, base: LowRank, previous: LowRank, momentum: float, residual: np.ndarray, L: float,
        penalty: float,
    ) -> LowRank:  # fmt: skip
        """See TraceNormProblem.step."""
        terms, values = _terms(base, previous, momentum), residual / -L
        threshold, wanted = penalty / L, base.rank + _SPARE
        while not self._is_whole(wanted):
            U, s, Vt = self._leading(terms, values, wanted)
            if s.min() <= threshold:  # there are no others above it
                kept = s > threshold
                return LowRank(U[:, kept], s[kept] - threshold, Vt[kept])
            wanted *= 2
        return LowRank(*shrunk(self._formed(terms, values), threshold))

    def squared_distance(
        self, point: LowRank, base: LowRank, previous: LowRank, momentum: float
    ) -> float:
        """See TraceNormProblem.squared_distance."""
        terms = [(-1.0, point), *_terms(base, previous, momentum)]
        return squared_length(
            np.hstack([weight * term.U * term.s for weight, term in terms]),
            np.hstack([term.Vt.T for _, term in terms]),
        )

    def _is_whole(self, wanted: int) -> bool:
        """Whether a whole decomposition is the way to so many triplets.

        Where it is affordable and of use, or where they are too many for a partial one: of those
        the last singular value is never found.
        """
        n, m = self.known.shape
        affordable = n * m <= DENSE_NUMBERS and PARTIAL * wanted > min(n, m)
        return affordable or wanted >= min(n, m) - 1

    def _formed(self, terms: list[tuple[float, LowRank]], values: np.ndarray) -> np.ndarray:
        """The sum of the terms and the sparse matrix of ``values``."""
        whole: np.ndarray = self.known.holding(values).toarray()
        for weight, term in terms:
            whole += (weight * term.U * term.s) @ term.Vt
        return whole

    def _leading(
        self, terms: list[tuple[float, LowRank]], values: np.ndarray, wanted: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Leading singular triplets of the same sum, by products with it."""
        rest = self.known.holding(values)
        rest_transposed = rest.T.tocsr()

        def multiply(X: np.ndarray) -> np.ndarray:
            found: np.ndarray = rest @ X + sum(w * (t.U * t.s) @ (t.Vt @ X) for w, t in terms)
            return found

        def multiply_transposed(X: np.ndarray) -> np.ndarray:
            found: np.ndarray = rest_transposed @ X + sum(
                w * t.Vt.T @ (t.s * (t.U.T @ X)) for w, t in terms
            )
            return found

        operator = LinearOperator(
            self.known.shape, matvec=multiply, rmatvec=multiply_transposed, dtype=np.float64
        )
        found: tuple[np.ndarray, np.ndarray, np.ndarray] = svds(operator, wanted, v0=self._first)
        return found


def squared_length(left: np.ndarray, right: np.ndarray) -> float:
    """||left right^T||_F^2 of (n, k) and (m, k); by QR, which keeps the digits of a small one."""
    of_left, of_right = (np.linalg.qr(factor, "r") for factor in (left, right))
    return float(np.sum((of_left @ np.transpose(of_right)) ** 2))


def _terms(base: LowRank, previous: LowRank, momentum: float) -> list[tuple[float, LowRank]]:
    if momentum == 0.0:
        return [(1.0, base)]
    return [(1.0 + momentum, base), (-momentum, previous)]

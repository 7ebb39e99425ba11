"""Least squares over weights of fixed rank: ``||XW - Y||^2 + ridge ||W||^2``, rank(W) = r.

With ``W = U S V^T`` and factored tangent vectors, cost, gradient, exact step and retraction need
only products of the sparse X, X^T, Y, Y^T with thin matrices: one iteration takes
O((nnz X + nnz Y) r + (n + d + l) r^2 + r^3) and neither n x l nor d x l is ever formed.
The solver works in whitened coordinates ``W = P^{-1/2} W~`` (xcbench.optim.whitening).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xcbench.manifolds.fixed_rank import (
    FixedRank,
    FixedRankCurve,
    FixedRankPoint,
    FixedRankTangent,
    rotate,
)
from xcbench.optim.line_search import minimise_along
from xcbench.optim.randomized import randomized_svd
from xcbench.optim.whitening import Whitening


@dataclass(frozen=True)
class _State:
    """A whitened point W~ = U diag(s) V^T and the products its cost and gradient share.

    T = P^{-1/2} U (d, r), XT (n, r) and YV (n, r); gram = (XT)^T XT + ridge T^T T and
    cross = (XT)^T YV, both (r, r).
    """

    point: FixedRankPoint
    cost: float
    T: np.ndarray
    XT: np.ndarray
    YV: np.ndarray
    gram: np.ndarray
    cross: np.ndarray


class LowRankRegression:
    """The problem above for xcbench.optim.conjugate_gradient, in whitened coordinates.

    Parameters
    ----------
    X : csr_array of float64, shape (n, d)
    Y : csr_array of float64, shape (n, l)
    ridge : float
    whitening : Whitening
    rank : int
        1 <= rank <= min(d, l).
    """

    def __init__(
        self,
        X: sparse.csr_array,
        Y: sparse.csr_array,
        ridge: float,
        whitening: Whitening,
        rank: int,
    ) -> None:
        self.X, self.Y, self.ridge, self.whitening = X, Y, ridge, whitening
        # The transposes are views; making them here keeps scipy's checks out of the iterations.
        self.Xt, self.Yt = X.T, Y.T
        self.manifold = FixedRank(X.shape[1], Y.shape[1], rank)
        self.constant = float(np.vdot(Y.data, Y.data))

    def start(self, point: FixedRankPoint) -> _State:
        """State at a point in whitened coordinates."""
        T = self.whitening.to_weights(point.U)
        XT, YV = self.X @ T, self.Y @ point.V
        gram, cross = XT.T @ XT + self.ridge * (T.T @ T), XT.T @ YV
        cost = self._cost(np.diag(point.s), gram, cross)
        return _State(point, cost, T, XT, YV, gram, cross)

    def gradient(self, state: _State) -> FixedRankTangent:
        """Riemannian gradient, by one product each with X^T and Y^T."""
        s, V = state.point.s, state.point.V
        residual = state.XT * s
        residual -= state.YV
        weights = self.Xt @ residual
        if self.ridge:
            weights += (self.ridge * s) * state.T
        GtU = V @ (s[:, np.newaxis] * state.gram) - self.Yt @ state.XT
        return self.manifold.project(
            state.point, 2.0 * self.whitening.to_whitened(weights), 2.0 * GtU
        )

    def line(self, state: _State, direction: FixedRankTangent) -> _Line:
        """The cost along a retracted direction, by one product each with X and Y."""
        return _Line(self, state, self.manifold.curve(state.point, direction))

    def scaled(self, point: FixedRankPoint) -> FixedRankPoint:
        """The best multiple of a point (0 at worst), so that a start has the right size."""
        state = self.start(point)
        core = np.diag(point.s)
        quadratic = float(np.vdot(state.gram @ core, core))
        factor = float(np.vdot(state.cross, core)) / quadratic if quadratic > 0 else 0.0
        return FixedRankPoint(np.copysign(1.0, factor) * point.U, abs(factor) * point.s, point.V)

    def spectral_start(self, rng: np.random.Generator) -> FixedRankPoint:
        """Best rank-r approximation of ``P^{-T/2} X^T Y``: the solution itself where P is exact."""
        U, s, V = randomized_svd(
            lambda thin: self.whitening.to_whitened(self.Xt @ (self.Y @ thin)),
            lambda thin: self.Yt @ (self.X @ self.whitening.to_weights(thin)),
            self.manifold.columns,
            self.manifold.rank,
            rng,
        )
        return self.scaled(FixedRankPoint(U, s, V))

    def _cost(self, core: np.ndarray, gram: np.ndarray, cross: np.ndarray) -> float:
        return float(np.vdot(gram @ core, core) - 2.0 * np.vdot(cross, core)) + self.constant


class _Line:
    """Cost along ``retract(point, direction, t)``, all in the 2r-dimensional bases of the curve."""

    def __init__(self, problem: LowRankRegression, state: _State, curve: FixedRankCurve) -> None:
        self._problem, self._state, self._curve = problem, state, curve
        self._T = problem.whitening.to_weights(curve.Qu)
        self._X, self._Y = problem.X @ self._T, problem.Y @ curve.Qv
        gram_mixed = state.XT.T @ self._X
        gram_new = self._X.T @ self._X
        if problem.ridge:
            gram_mixed += problem.ridge * (state.T.T @ self._T)
            gram_new += problem.ridge * (self._T.T @ self._T)
        self._gram = np.block([[state.gram, gram_mixed], [gram_mixed.T, gram_new]])
        self._cross = np.block(
            [
                [state.cross, state.XT.T @ self._Y],
                [self._X.T @ state.YV, self._X.T @ self._Y],
            ]
        )

    def exact_step(self) -> float:
        """Minimiser of the cost along the retracted line.

        Along ``W + t xi`` the cost is a parabola, but where W is well conditioned the retraction
        bends the line so much that its vertex falls short by a factor of ten; it is only the
        first trial. A further one costs O(r^3).
        """
        origin, direction = self._curve.origin, self._curve.slope
        along = self._gram @ direction
        bend = float(np.vdot(along, direction))
        slope = 2.0 * float(np.vdot(along, origin) - np.vdot(self._cross, direction))
        if not (bend > 0 and slope < 0):
            return 0.0
        return minimise_along(self._derivative, slope, -slope / (2.0 * bend))

    def _derivative(self, t: float) -> float:
        """Derivative of the cost along the retracted line, in O(r^3)."""
        A, s, B = self._curve.truncate(t)
        gradient = (self._gram @ A * s) @ B.T - self._cross
        return 2.0 * float(np.vdot(gradient, self._curve.velocity(t)))

    def cost(self, t: float) -> float:
        """Cost at the retracted point, in O(r^3)."""
        A, s, B = self._curve.truncate(t)
        return self._problem._cost((A * s) @ B.T, self._gram, self._cross)

    def move(self, t: float) -> _State:
        """State at the retracted point; no product with the data is repeated."""
        A, s, B = self._curve.truncate(t)
        old, curve = self._state, self._curve
        U, _, V = old.point
        point = FixedRankPoint(rotate(U, curve.Qu, A), s, rotate(V, curve.Qv, B))
        gram, cross = A.T @ self._gram @ A, A.T @ self._cross @ B
        return _State(
            point,
            self._problem._cost(np.diag(s), gram, cross),
            rotate(old.T, self._T, A),
            rotate(old.XT, self._X, A),
            rotate(old.YV, self._Y, B),
            gram,
            cross,
        )


@dataclass(frozen=True)
class ClosedForm:
    """The global minimiser ``weights @ V.T`` and its cost."""

    weights: np.ndarray
    V: np.ndarray
    cost: float


def closed_form(X: sparse.csr_array, Y: sparse.csr_array, ridge: float, rank: int) -> ClosedForm:
    """Solve the problem by dense eigen-decompositions of the smaller Gram matrices.

    With ``X^T X + ridge I = N^-T N^-1`` on the row space of X, the cost is
    ``||Y||^2 - ||C||^2 + ||N^-1 W - C||^2`` for ``C = N^T X^T Y``: truncate C. Takes
    O(m^3 + min(m, l)^3 + m l min(m, l)) time and m l numbers, m = min(n, d).

    Parameters
    ----------
    X : csr_array of float64, shape (n, d); Y : csr_array of float64, shape (n, l)
    ridge : float
    rank : int
        Reduced to the rank of C where that is smaller.
    """
    n, d = X.shape
    if n < d:
        values, Q = _eigen((X @ X.T).toarray())
        # C = (values + ridge)^{-1/2} values^{1/2} Q^T Y and N = X^T Q values^{-1/2} (...)^{-1/2}.
        C = (Y.T @ Q).T * np.sqrt(values / (values + ridge))[:, np.newaxis]
    else:
        values, Q = _eigen((X.T @ X).toarray())
        C = (Y.T @ (X @ Q)).T / np.sqrt(values + ridge)[:, np.newaxis]
    U, s, V = _truncate(C, rank)
    if n < d:
        weights = X.T @ (Q @ (U * (s / np.sqrt(values * (values + ridge))[:, np.newaxis])))
    else:
        weights = Q @ (U * (s / np.sqrt(values + ridge)[:, np.newaxis]))
    return ClosedForm(weights, V, float(np.vdot(Y.data, Y.data) - np.vdot(s, s)))


def _eigen(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs above rounding, so that directions X does not have are left out."""
    values, Q = np.linalg.eigh(gram)  # scipy's would hold up every other thread, for minutes
    kept = values > len(values) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    return values[kept], Q[:, kept]


def _truncate(C: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leading singular triplets of C from the eigenpairs of its smaller Gram matrix."""
    wide = C.shape[0] <= C.shape[1]
    values, Q = np.linalg.eigh(C @ C.T if wide else C.T @ C)
    keep = slice(max(len(values) - rank, 0), None)
    values, Q = values[keep][::-1], Q[:, keep][:, ::-1]
    positive = values > len(values) * np.finfo(np.float64).eps * max(values.max(initial=0.0), 0.0)
    s, Q = np.sqrt(values[positive]), np.ascontiguousarray(Q[:, positive])
    if wide:
        return Q, s, (C.T @ Q) / s
    return (C @ Q) / s, s, Q

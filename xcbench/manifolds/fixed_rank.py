"""Matrices of fixed rank, embedded in the space of all matrices of their size.

Vandereycken, "Low-rank matrix completion by Riemannian optimization", SIAM J. Optim. 23 (2013).
A d x l matrix of rank r is kept as its thin singular value decomposition and a tangent vector
by three small blocks, so nothing here costs more than O((d + l) r^2 + r^3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from xcbench.manifolds.base import Manifold

# A column of Q that stands for a direction Up barely has may lean on U by rounding error over its
# size; it enters later points with that size only, so this much is harmless.
LEAK = 1e-8


class FixedRankPoint(NamedTuple):
    """The matrix ``U diag(s) V^T``.

    U : ndarray, shape (d, r), orthonormal columns; s : (r,), decreasing, not negative;
    V : (l, r), orthonormal columns. All float64.
    """

    U: np.ndarray
    s: np.ndarray
    V: np.ndarray


class FixedRankTangent(NamedTuple):
    """The matrix ``U M V^T + Up V^T + U Vp^T`` at a point, with ``U^T Up = 0`` and ``V^T Vp = 0``.

    M : ndarray, shape (r, r); Up : (d, r); Vp : (l, r). All float64.
    """

    M: np.ndarray
    Up: np.ndarray
    Vp: np.ndarray


class FixedRankCurve:
    """The retracted line t -> best rank-r approximation of ``W + t xi``.

    In the bases [U, Qu] and [V, Qv] every matrix of the line is a core of size at most 2r x 2r,
    so the bases are found once and a new t costs one small singular value decomposition.

    Attributes
    ----------
    point : FixedRankPoint
        Where the line starts.
    Qu, Qv : ndarray, shape (d, p) and (l, q)
        Orthonormal bases of what Up and Vp add; p = min(r, d - r), q = min(r, l - r).
    origin, slope : ndarray, shape (r + p, r + q)
        The core is ``origin + t slope``.
    """

    def __init__(self, point: FixedRankPoint, tangent: FixedRankTangent) -> None:
        r = len(point.s)
        self.point = point
        self.Qu, Ru = _complement(point.U, tangent.Up)
        self.Qv, Rv = _complement(point.V, tangent.Vp)
        self.origin = np.zeros((r + self.Qu.shape[1], r + self.Qv.shape[1]))
        self.origin[:r, :r] = np.diag(point.s)
        self.slope = np.zeros_like(self.origin)
        self.slope[:r, :r] = tangent.M
        self.slope[r:, :r] = Ru
        self.slope[:r, r:] = Rv.T
        self._decomposed: tuple[float, tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    def truncate(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Best rank-r approximation ``A diag(s) B^T`` of the core at t.

        Returns
        -------
        A : ndarray, shape (r + p, r)
        s : ndarray, shape (r,)
        B : ndarray, shape (r + q, r)
        """
        A, s, B = self._decompose(t)
        r = len(self.point.s)
        return A[:, :r], s[:r], B[:, :r]

    def velocity(self, t: float) -> np.ndarray:
        """Derivative in t of the truncated core, shape (r + p, r + q).

        First-order perturbation of the singular value decomposition: in its bases the part of
        ``slope`` between kept and dropped directions is weighed by their singular values and the
        part between dropped ones is lost.
        """
        A, s, B = self._decompose(t)
        r, shape, size = len(self.point.s), self.slope.shape, max(self.slope.shape)
        # Padded to a square: each mixed entry needs its mirror image, and a missing one is 0.
        turned = np.zeros((size, size))
        turned[: shape[0], : shape[1]] = A.T @ self.slope @ B
        kept, dropped = s[:r, np.newaxis], np.zeros(size - r)
        dropped[: len(s) - r] = s[r:]
        # Where a kept and a dropped value meet the projection has a corner, not a derivative.
        gap = np.maximum(kept**2 - dropped**2, np.finfo(np.float64).tiny)
        right, below = turned[:r, r:].copy(), turned[r:, :r].T.copy()
        turned[:r, r:] = (kept**2 * right + kept * dropped * below) / gap
        turned[r:, :r] = ((kept**2 * below + kept * dropped * right) / gap).T
        turned[r:, r:] = 0.0
        result: np.ndarray = A @ turned[: shape[0], : shape[1]] @ B.T
        return result

    def _decompose(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Full singular value decomposition of the core at t; the last one is kept."""
        if self._decomposed is None or self._decomposed[0] != t:
            core = self.origin + t * self.slope
            A, s, Bt = linalg.svd(core, overwrite_a=True, check_finite=False)
            self._decomposed = t, (A, s, Bt.T)
        return self._decomposed[1]

    def at(self, t: float) -> FixedRankPoint:
        """The point of the curve at t."""
        A, s, B = self.truncate(t)
        U, _, V = self.point
        return FixedRankPoint(rotate(U, self.Qu, A), s, rotate(V, self.Qv, B))


def rotate(first: np.ndarray, second: np.ndarray, small: np.ndarray) -> np.ndarray:
    """``[first, second] @ small`` without stacking the tall matrices."""
    r = first.shape[1]
    result: np.ndarray = first @ small[:r]
    result += second @ small[r:]
    return result


def _complement(basis: np.ndarray, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q, R with ``block = Q R`` and [basis, Q] orthonormal, for a block orthogonal to the basis.

    A block without full rank (Up of a gradient that vanishes, say) leaves columns of Q to chance;
    they must still be orthogonal to the basis or later points lose orthonormal columns.
    """
    d, r = basis.shape
    if d < 2 * r:
        Q = linalg.qr(basis, check_finite=False)[0][:, r:]
        return Q, Q.T @ block
    Q, R = np.linalg.qr(block)
    leak = basis.T @ Q
    if np.abs(leak).max() > LEAK:
        # Orthogonalising Q alone fails where the block is numerically zero: take both at once.
        Q = np.linalg.qr(np.hstack([basis, block]))[0][:, r:]
        R = Q.T @ block
    return Q, R


class FixedRank(Manifold[FixedRankPoint, FixedRankTangent]):
    """The d x l matrices of rank r, 1 <= r <= min(d, l), with the trace inner product.

    Everything is float64: costs are compared to 1e-6 and better, and the thin factors are small
    beside the data. A singular value may fall to zero; no formula divides by one.
    """

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        if not 1 <= rank <= min(rows, columns):
            raise ValueError(f"rank {rank} of a {rows} x {columns} matrix; expected 1..min")
        self.rows, self.columns, self.rank = rows, columns, rank

    @property
    def dimension(self) -> int:
        """r (d + l - r)."""
        return self.rank * (self.rows + self.columns - self.rank)

    def inner(self, point: FixedRankPoint, u: FixedRankTangent, v: FixedRankTangent) -> float:
        """Trace inner product; the three blocks are orthogonal to one another."""
        return float(sum(np.vdot(a, b) for a, b in zip(u, v, strict=True)))

    def combine(
        self, a: float, u: FixedRankTangent, b: float, v: FixedRankTangent
    ) -> FixedRankTangent:
        """``a u + b v``."""
        return FixedRankTangent(*(_combine(a, x, b, y) for x, y in zip(u, v, strict=True)))

    def project(self, point: FixedRankPoint, GV: np.ndarray, GtU: np.ndarray) -> FixedRankTangent:
        """Nearest tangent vector to an ambient matrix G, of which only two products are needed.

        Parameters
        ----------
        point : FixedRankPoint
        GV : ndarray, shape (d, r)
            G V.
        GtU : ndarray, shape (l, r)
            G^T U.
        """
        U, _, V = point
        M = U.T @ GV
        return FixedRankTangent(M, GV - U @ M, GtU - V @ M.T)

    def curve(self, point: FixedRankPoint, u: FixedRankTangent) -> FixedRankCurve:
        """The retracted line along u, for many steps t."""
        return FixedRankCurve(point, u)

    def retract(self, point: FixedRankPoint, u: FixedRankTangent, t: float) -> FixedRankPoint:
        """Best rank-r approximation of ``W + t xi`` (the metric projection, a second-order one)."""
        return self.curve(point, u).at(t)

    def transport(
        self, old: FixedRankPoint, new: FixedRankPoint, u: FixedRankTangent
    ) -> FixedRankTangent:
        """Orthogonal projection of the old tangent vector to the new tangent space."""
        left, right = old.U.T @ new.U, old.V.T @ new.V
        GV = (old.U @ u.M + u.Up) @ right + old.U @ (u.Vp.T @ new.V)
        GtU = (old.V @ u.M.T + u.Vp) @ left + old.V @ (u.Up.T @ new.U)
        return self.project(new, GV, GtU)

    def inner_transported(
        self, old: FixedRankPoint, new: FixedRankPoint, u: FixedRankTangent, v: FixedRankTangent
    ) -> float:
        """Ambient inner product of u at ``old`` and v at ``new``, by r x r products only."""
        UU, VV = old.U.T @ new.U, old.V.T @ new.V
        UtUp, VtVp = old.U.T @ v.Up, old.V.T @ v.Vp
        # <U M V', G> for G = U' M' V'^T + Up' V'^T + U' Vp'^T, then the same for Up V^T, U Vp^T.
        middle = (UU @ v.M + UtUp) @ VV.T + UU @ VtVp.T
        left = ((u.Up.T @ new.U) @ v.M + u.Up.T @ v.Up) @ VV.T + (u.Up.T @ new.U) @ VtVp.T
        right = (UU @ v.M + UtUp) @ (u.Vp.T @ new.V).T + UU @ (u.Vp.T @ v.Vp).T
        return float(np.vdot(u.M, middle) + np.trace(left) + np.trace(right))

    def random_point(self, rng: np.random.Generator) -> FixedRankPoint:
        """Independent uniform singular spaces; singular values uniform on (0, 1), decreasing."""
        U, _ = np.linalg.qr(rng.standard_normal((self.rows, self.rank)))
        V, _ = np.linalg.qr(rng.standard_normal((self.columns, self.rank)))
        return FixedRankPoint(U, np.sort(rng.uniform(size=self.rank))[::-1].copy(), V)


def _combine(a: float, x: np.ndarray, b: float, y: np.ndarray) -> np.ndarray:
    result: np.ndarray = a * x
    if b != 0.0:
        result += b * y
    return result

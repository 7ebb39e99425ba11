"""S_+(n, r): positive semidefinite n x n matrices of rank r, as the quotient R_*^{n x r} / O(r).

A point M = Z Z^T is kept as Z (n, r) of full column rank; Z and Z O stand for the same point.
Tangent vectors are horizontal lifts H (n, r) with Z^T H symmetric; the metric is tr(A^T B).
Source: the RXML paper, section on local embeddings; Journee, Bach, Absil and Sepulchre, "Low-rank
optimization on the cone of positive semidefinite matrices", SIAM J. Optim. 2010, Theorem 9.
"""

from __future__ import annotations

import numpy as np

from xcbench.manifolds.base import Embedded


class PSDFixedRank(Embedded[np.ndarray, np.ndarray]):
    """S_+(n, r) with points and tangent vectors as (n, r) arrays of one float dtype."""

    def __init__(self, n: int, r: int) -> None:
        if not 1 <= r <= n:
            raise ValueError(f"rank is {r}; expected between 1 and n = {n}")
        self.n = n
        self.r = r

    @property
    def dimension(self) -> int:
        """n r - r (r - 1) / 2."""
        return self.n * self.r - self.r * (self.r - 1) // 2

    def inner(self, point: np.ndarray, u: np.ndarray, v: np.ndarray) -> float:
        """tr(u^T v), rows added up in float64."""
        return float(np.einsum("ij,ij->i", u, v).sum(dtype=np.float64))

    def combine(self, a: float, u: np.ndarray, b: float, v: np.ndarray) -> np.ndarray:
        """See Manifold.combine."""
        found: np.ndarray = u.dtype.type(a) * u + v.dtype.type(b) * v
        return found

    def retract(self, point: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        """Z + t U."""
        found: np.ndarray = point + point.dtype.type(t) * u
        return found

    def project(self, point: np.ndarray, ambient: np.ndarray) -> np.ndarray:
        """Horizontal part H - Z E of an (n, r) array, E (Z^T Z) + (Z^T Z) E = Z^T H - H^T Z."""
        cross = (point.T @ ambient).astype(np.float64)
        values, vectors = np.linalg.eigh((point.T @ point).astype(np.float64))
        skew = vectors.T @ (cross - cross.T) @ vectors
        sums = values[:, None] + values[None, :]
        # a vanishing pair of eigenvalues has no vertical direction to remove
        floor = np.finfo(np.float64).eps * max(values[-1], np.finfo(np.float64).tiny)
        rotation = vectors @ np.where(sums > floor, skew / np.maximum(sums, floor), 0.0) @ vectors.T
        found: np.ndarray = ambient - point @ rotation.astype(point.dtype)
        return found

    def transport(self, old: np.ndarray, new: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Horizontal projection at the new point."""
        return self.project(new, u)

    def transport_along(self, old: np.ndarray, new: np.ndarray, u: np.ndarray) -> np.ndarray:
        """u itself: (Z + t U)^T U = Z^T U + t U^T U is symmetric, so U is horizontal there too."""
        return u

    def inner_transported(
        self, old: np.ndarray, new: np.ndarray, u: np.ndarray, v: np.ndarray
    ) -> float:
        """tr(u^T v): v is horizontal at ``new`` and the projection is orthogonal."""
        return self.inner(new, u, v)

    def random_point(self, rng: np.random.Generator) -> np.ndarray:
        """Independent standard normal entries, float64."""
        return rng.standard_normal((self.n, self.r))

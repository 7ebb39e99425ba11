"""The Stiefel manifold: n x k matrices with orthonormal columns, embedded in all n x k matrices.

Absil, Mahony and Sepulchre, "Optimization Algorithms on Matrix Manifolds" (2008), sections 3.5.7,
3.6.1 and 4.1.1: the metric is tr(U^T V), tangent vectors U have X^T U + U^T X = 0, transport is the
orthogonal projection and the retraction the polar factor.
"""

from __future__ import annotations

import numpy as np

from xcbench.manifolds.base import Embedded

# Below this ratio of the Gram matrix's eigenvalues its inverse root costs more than four of the
# sixteen digits of orthonormality.
WELL_CONDITIONED = 1e-4


class Stiefel(Embedded[np.ndarray, np.ndarray]):
    """St(n, k) with points and tangent vectors as (n, k) float64 arrays."""

    def __init__(self, n: int, k: int) -> None:
        if not 1 <= k <= n:
            raise ValueError(f"{k} orthonormal columns of length {n}; expected 1..{n}")
        self.n, self.k = n, k

    @property
    def dimension(self) -> int:
        """n k - k (k + 1) / 2."""
        return self.n * self.k - self.k * (self.k + 1) // 2

    def inner(self, point: np.ndarray, u: np.ndarray, v: np.ndarray) -> float:
        """tr(u^T v)."""
        return float(np.vdot(u, v))

    def combine(self, a: float, u: np.ndarray, b: float, v: np.ndarray) -> np.ndarray:
        """``a u + b v``."""
        return a * u + b * v

    def retract(self, point: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        """Nearest orthonormal matrix to ``point + t u`` (a second-order retraction)."""
        return polar_factor(point + t * u)

    def project(self, point: np.ndarray, ambient: np.ndarray) -> np.ndarray:
        """H - X sym(X^T H)."""
        cross = point.T @ ambient
        projected: np.ndarray = ambient - point @ (0.5 * (cross + cross.T))
        return projected

    def transport(self, old: np.ndarray, new: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Projection at the new point."""
        return self.project(new, u)

    def inner_transported(
        self, old: np.ndarray, new: np.ndarray, u: np.ndarray, v: np.ndarray
    ) -> float:
        """tr(u^T v): v is tangent at ``new`` and the projection is orthogonal."""
        return self.inner(new, u, v)

    def random_point(self, rng: np.random.Generator) -> np.ndarray:
        """A point of the uniform distribution."""
        return polar_factor(rng.standard_normal((self.n, self.k)))


def polar_factor(matrix: np.ndarray) -> np.ndarray:
    """Nearest matrix with orthonormal columns to a float64 (n, k) one, k <= n."""
    # A tangent step has a Gram matrix of at least I, so its k x k root is the cheap way.
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    factor: np.ndarray
    if values[0] > WELL_CONDITIONED * values[-1]:
        factor = matrix @ ((vectors / np.sqrt(values)) @ vectors.T)
    else:
        left, _, right = np.linalg.svd(matrix, full_matrices=False)
        factor = left @ right
    return factor

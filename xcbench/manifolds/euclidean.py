"""Arrays of a given shape with the ordinary inner product."""

from __future__ import annotations

from math import prod

import numpy as np

from xcbench.manifolds.base import Embedded


class Euclidean(Embedded[np.ndarray, np.ndarray]):
    """All arrays of one shape; every one is a tangent vector of every other."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape

    @property
    def dimension(self) -> int:
        """Number of entries."""
        return prod(self.shape)

    def inner(self, point: np.ndarray, u: np.ndarray, v: np.ndarray) -> float:
        """Sum of u v."""
        return float(np.vdot(u, v))

    def combine(self, a: float, u: np.ndarray, b: float, v: np.ndarray) -> np.ndarray:
        """``a u + b v``."""
        return a * u + b * v

    def retract(self, point: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        """``point + t u``."""
        return point + t * u

    def project(self, point: np.ndarray, ambient: np.ndarray) -> np.ndarray:
        """``ambient`` itself."""
        return ambient

    def transport(self, old: np.ndarray, new: np.ndarray, u: np.ndarray) -> np.ndarray:
        """u itself."""
        return u

    def random_point(self, rng: np.random.Generator) -> np.ndarray:
        """Independent standard normal entries."""
        return rng.standard_normal(self.shape)

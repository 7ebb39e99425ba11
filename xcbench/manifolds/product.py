"""The product of manifolds: points and tangent vectors are tuples, one entry a factor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from xcbench.manifolds.base import Embedded


class Product(Embedded[tuple[Any, ...], tuple[Any, ...]]):
    """M_1 x ... x M_p with the sum of the factors' metrics; everything acts factor by factor."""

    def __init__(self, factors: Iterable[Embedded[Any, Any]]) -> None:
        self.factors = tuple(factors)

    @property
    def dimension(self) -> int:
        """Sum of the factors' dimensions."""
        return sum(factor.dimension for factor in self.factors)

    def inner(self, point: tuple[Any, ...], u: tuple[Any, ...], v: tuple[Any, ...]) -> float:
        """Sum of the factors' inner products."""
        parts = zip(self.factors, point, u, v, strict=True)
        return sum(factor.inner(x, a, b) for factor, x, a, b in parts)

    def combine(
        self, a: float, u: tuple[Any, ...], b: float, v: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """``a u + b v``."""
        parts = zip(self.factors, u, v, strict=True)
        return tuple(factor.combine(a, x, b, y) for factor, x, y in parts)

    def retract(self, point: tuple[Any, ...], u: tuple[Any, ...], t: float) -> tuple[Any, ...]:
        """The same step t along every factor."""
        parts = zip(self.factors, point, u, strict=True)
        return tuple(factor.retract(x, a, t) for factor, x, a in parts)

    def project(self, point: tuple[Any, ...], ambient: tuple[Any, ...]) -> tuple[Any, ...]:
        """See Embedded.project."""
        parts = zip(self.factors, point, ambient, strict=True)
        return tuple(factor.project(x, a) for factor, x, a in parts)

    def transport(
        self, old: tuple[Any, ...], new: tuple[Any, ...], u: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """See Manifold.transport."""
        parts = zip(self.factors, old, new, u, strict=True)
        return tuple(factor.transport(x, y, a) for factor, x, y, a in parts)

    def transport_along(
        self, old: tuple[Any, ...], new: tuple[Any, ...], u: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """See Manifold.transport_along."""
        parts = zip(self.factors, old, new, u, strict=True)
        return tuple(factor.transport_along(x, y, a) for factor, x, y, a in parts)

    def inner_transported(
        self, old: tuple[Any, ...], new: tuple[Any, ...], u: tuple[Any, ...], v: tuple[Any, ...]
    ) -> float:
        """See Manifold.inner_transported."""
        parts = zip(self.factors, old, new, u, v, strict=True)
        return sum(factor.inner_transported(x, y, a, b) for factor, x, y, a, b in parts)

    def random_point(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """A random point of every factor, drawn in order."""
        return tuple(factor.random_point(rng) for factor in self.factors)

"""What a solver may ask of a manifold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

Point = TypeVar("Point")
Tangent = TypeVar("Tangent")


class Manifold(ABC, Generic[Point, Tangent]):
    """A Riemannian manifold as first-order solvers see it.

    Points and tangent vectors are whatever the manifold says (an array, a tuple of arrays);
    solvers hand them back to the manifold and never look inside. No method changes its
    arguments.
    """

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Dimension of the manifold."""

    @abstractmethod
    def inner(self, point: Point, u: Tangent, v: Tangent) -> float:
        """Inner product of two tangent vectors at ``point``."""

    @abstractmethod
    def combine(self, a: float, u: Tangent, b: float, v: Tangent) -> Tangent:
        """Tangent vector ``a u + b v``, where u and v belong to the same point."""

    @abstractmethod
    def retract(self, point: Point, u: Tangent, t: float) -> Point:
        """Point reached from ``point`` along ``t u``; agrees with the curve to first order."""

    @abstractmethod
    def transport(self, old: Point, new: Point, u: Tangent) -> Tangent:
        """Tangent vector at ``new`` that stands for ``u`` at ``old``."""

    def transport_along(self, old: Point, new: Point, u: Tangent) -> Tangent:
        """``transport(old, new, u)`` where ``new`` lies on the retracted line of ``u`` itself.

        What a solver does with its search direction after a step; cheaper on some manifolds.
        """
        return self.transport(old, new, u)

    def norm(self, point: Point, u: Tangent) -> float:
        """Length of a tangent vector."""
        # Rounding can leave a tiny negative number under the root of a vanishing vector.
        return float(max(self.inner(point, u, u), 0.0) ** 0.5)

    def inner_transported(self, old: Point, new: Point, u: Tangent, v: Tangent) -> float:
        """Inner product at ``new`` of ``transport(old, new, u)`` with the tangent vector ``v``.

        Where transport is an orthogonal projection this is the ambient inner product of u and v
        (v is tangent already), so such manifolds override it and save the projection.
        """
        return self.inner(new, self.transport(old, new, u), v)


class Embedded(Manifold[Point, Tangent]):
    """A manifold whose tangent vectors are projections of vectors of an ambient space.

    With the ambient inner product as its metric, the projected Euclidean gradient is the
    Riemannian one, which is all a cost given by its Euclidean gradient needs.
    """

    @abstractmethod
    def project(self, point: Point, ambient: Tangent) -> Tangent:
        """Tangent vector at ``point`` nearest to an ambient one."""

    @abstractmethod
    def random_point(self, rng: np.random.Generator) -> Point:
        """A point drawn at random."""

"""The X-step of MADMM for any problem: f(X) + rho/2 ||A X - target||^2 on a manifold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Generic, TypeVar

import numpy as np

from xcbench.manifolds.base import Embedded
from xcbench.optim.line_search import CONTRACTION, MAX_EVALUATIONS, MAX_GROWTH
from xcbench.optim.split import DifferentiableSplit, SplitProblem

Value = TypeVar("Value")

# A change of the cost below this share of it is mostly rounding.
ROUNDING = 1e-13


class Recall(Generic[Value]):
    """A function that keeps its last value and gives it again for the same point.

    The same object is meant, not an equal one: solvers hand points on and never change them, so
    what an X-step has found about its last point is there at the next one's start.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self._last: tuple[Any, Value] | None = None

    def __call__(self, point: Any) -> Value:
        """The function's value at ``point``."""
        if self._last is None or self._last[0] is not point:
            self._last = point, self._function(point)
        return self._last[1]

    def keep(self, point: Any, value: Value) -> None:
        """Take ``value``, found in another way, for the value at ``point``."""
        self._last = point, value


class Measure:
    """What one X-step finds and the next one uses.

    Attributes
    ----------
    smooth, image : Recall
        f(X) and A X. The problem's own Recall of A X, which its own X-step reads, is shared.
    trial : float or None
        Step length that fitted last, the first one to try on the next line.
    """

    def __init__(self, problem: SplitProblem) -> None:
        self.smooth = Recall(problem.smooth)
        forward = problem.forward
        self.image = forward if isinstance(forward, Recall) else Recall(forward)
        self.trial: float | None = None


@dataclass(frozen=True, eq=False)
class AugmentedState:
    """A point with its cost and what the gradient needs: A X - target."""

    problem: Augmented
    point: Any
    cost: float
    gap: np.ndarray

    @cached_property
    def gradient(self) -> Any:
        """Riemannian gradient."""
        split, manifold = self.problem.split, self.problem.manifold
        pulled = split.adjoint(self.point, self.problem.rho * self.gap)
        ambient = manifold.combine(1.0, split.smooth_gradient(self.point), 1.0, pulled)
        return manifold.project(self.point, ambient)


class Augmented:
    """The smooth problem of an X-step; f alone until it is aimed.

    States keep the problem that made them, so its target and rho never change.
    """

    def __init__(
        self,
        split: DifferentiableSplit,
        manifold: Embedded[Any, Any],
        measure: Measure,
        target: np.ndarray | float = 0.0,
        rho: float = 0.0,
    ) -> None:
        self.split = split
        self.manifold = manifold
        self.measure = measure
        self.target = target
        self.rho = rho

    def aim(self, target: np.ndarray, rho: float) -> Augmented:
        """The problem with another target, which goes on with what this one has measured."""
        return Augmented(self.split, self.manifold, self.measure, target, rho)

    def start(self, point: Any) -> AugmentedState:
        """State at a point of the manifold."""
        gap = self.measure.image(point) - self.target
        cost = self.measure.smooth(point) + 0.5 * self.rho * float(np.vdot(gap, gap))
        return AugmentedState(self, point, cost, gap)

    def gradient(self, state: AugmentedState) -> Any:
        """grad f + rho A^T (A X - target), projected to the tangent space."""
        return state.gradient

    def line(self, state: AugmentedState, direction: Any) -> AugmentedLine:
        """The cost along the retracted direction."""
        return AugmentedLine(self, state, direction)


class AugmentedLine:
    """The cost along a line, evaluated point by point; the last state is kept for ``move``."""

    def __init__(self, problem: Augmented, state: AugmentedState, direction: Any) -> None:
        self._problem = problem
        self._state = state
        self._direction = direction
        self._at = 0.0
        self._reached = state

    def cost(self, t: float) -> float:
        """Cost at the retracted point."""
        return self.move(t).cost

    def move(self, t: float) -> AugmentedState:
        """State at the retracted point."""
        if t != self._at:
            manifold = self._problem.manifold
            self._reached = self._problem.start(
                manifold.retract(self._state.point, self._direction, t)
            )
            self._at = t
        return self._reached

    def exact_step(self) -> float:
        """Where the parabola through cost, slope and the cost at a trial step is lowest.

        The last line's step is the trial, so that near a solution this is the minimiser.
        """
        problem, state = self._problem, self._state
        slope = problem.manifold.inner(state.point, state.gradient, self._direction)
        t = problem.measure.trial or 1.0 / problem.manifold.norm(state.point, self._direction)
        for _ in range(MAX_EVALUATIONS):
            rise = self.cost(t) - state.cost - t * slope
            if isfinite(rise):
                break
            t *= CONTRACTION
        if not abs(t * slope) > ROUNDING * abs(state.cost):
            return t  # the costs agree in all their digits and say nothing about the step
        # A parabola that opens downwards says to go further.
        lowest = -0.5 * slope * t * t / rise if rise > 0 else MAX_GROWTH * t
        problem.measure.trial = step = min(lowest, MAX_GROWTH * t)
        return step

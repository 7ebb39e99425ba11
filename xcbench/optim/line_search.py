"""Step lengths along a retracted line: exact with a safeguard, and Manopt's adaptive Armijo."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import Any, Literal, Protocol

LineSearchName = Literal["exact", "armijo"]

CONTRACTION = 0.5
MAX_EVALUATIONS = 10
# minimise_along: how fast a step may grow, and the share of the slope that counts as 0.
MAX_GROWTH = 8.0
SETTLED = 0.02


class State(Protocol):
    """A point with its cost and whatever the problem keeps beside them (a residual, products)."""

    @property
    def point(self) -> Any:
        """The point on the manifold."""
        ...

    @property
    def cost(self) -> float:
        """The cost at the point."""
        ...


class Line(Protocol):
    """The curve t -> retract(point, direction, t) from the state it was made of."""

    def exact_step(self) -> float:
        """The step t > 0 that minimises the cost along the line (0 if there is none)."""
        ...

    def cost(self, t: float) -> float:
        """Cost at the retracted point."""
        ...

    def move(self, t: float) -> State:
        """State at the retracted point.

        It may take over the old state's buffers: of that one only point and cost stay valid.
        A line whose ``cost`` builds the state anyway keeps the last one for ``move``.
        """
        ...


class LineSearch(Protocol):
    """Chooses a step length; 0 says that no step with a lower cost was found."""

    def __call__(self, line: Line, cost: float, slope: float, norm: float) -> float:
        """Step t >= 0 from ``cost`` with directional derivative ``slope`` < 0.

        ``norm`` is the length of the direction.
        """
        ...


class ExactLineSearch:
    """The line's own minimiser, halved while the retraction turns the decrease into a rise."""

    def __call__(self, line: Line, cost: float, slope: float, norm: float) -> float:
        """See LineSearch."""
        t = float(line.exact_step())
        if not (isfinite(t) and t > 0):
            return 0.0
        for _ in range(MAX_EVALUATIONS):
            if line.cost(t) <= cost:
                return t
            t *= CONTRACTION
        return 0.0


class AdaptiveArmijo:
    """Backtracking as MATLAB Manopt's ``linesearch_adaptive`` does it; one object per solve.

    Halve until the decrease is half of what the slope promises, at most 10 cost evaluations,
    and take what the last one found if it is a decrease at all. The first trial step is
    1/||direction||; the next one is the accepted step, doubled after 1 or at least 3
    evaluations. (pymanopt's AdaptiveLineSearcher allows 11 evaluations.)
    """

    sufficient_decrease = 0.5

    def __init__(self) -> None:
        self._next_trial: float | None = None

    def __call__(self, line: Line, cost: float, slope: float, norm: float) -> float:
        """See LineSearch."""
        t = 1.0 / norm if self._next_trial is None else self._next_trial
        evaluations = 1
        reached = line.cost(t)
        # Written so that a cost of nan counts as a rise.
        while evaluations < MAX_EVALUATIONS and not (
            reached <= cost + self.sufficient_decrease * t * slope
        ):
            t *= CONTRACTION
            reached = line.cost(t)
            evaluations += 1
        if not reached <= cost:
            t = 0.0
        self._next_trial = t if evaluations == 2 else 2.0 * t
        return t


def minimise_along(derivative: Callable[[float], float], slope: float, t: float) -> float:
    """Step t > 0 where a function's derivative has risen from ``slope`` < 0 to about 0.

    Secant steps on the derivative, kept well inside the bracket they find; two or three
    evaluations where the function is nearly a parabola.

    Parameters
    ----------
    derivative : callable
        Step -> derivative there.
    slope : float
        Derivative at 0.
    t : float
        First trial.
    """
    low, high = 0.0, inf
    before, at_before = 0.0, slope
    for _ in range(MAX_EVALUATIONS):
        here = derivative(t)
        if abs(here) <= SETTLED * -slope:
            break
        # A derivative that is no number counts as too far.
        low, high = (t, high) if here < 0 else (low, t)
        rise = here - at_before
        following = t - here * (t - before) / rise if rise else inf
        before, at_before = t, here
        if high == inf:
            t = min(following, MAX_GROWTH * t) if following > low else MAX_GROWTH * t
        elif low < following < high:
            margin = 0.1 * (high - low)
            t = min(max(following, low + margin), high - margin)
        else:
            t = 0.5 * (low + high)
    return t


def make_line_search(name: LineSearchName) -> LineSearch:
    """The line search of that name, fresh for one solve."""
    return ExactLineSearch() if name == "exact" else AdaptiveArmijo()

"""Nonlinear conjugate gradients on a Riemannian manifold; knows neither data nor manifold.

The scheme and the two beta rules are those of Manopt's ``conjugategradient`` (Hager and Zhang,
"A survey of nonlinear conjugate gradient methods", 2006, carried over to manifolds): with
gradients g, g' before and after the step, T the transport, d the direction before it, and P the
problem's preconditioner (the identity if it has none),

    Polak-Ribiere+        beta = max(0, <P g', g' - T g> / <g, P g>)
    Hestenes-Stiefel+     beta = max(0, <P g', g' - T g> / <g' - T g, T d>)
    next direction        -P g' + beta T d, or -P g' where that is no descent direction
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, Protocol

from xcbench.manifolds.base import Manifold
from xcbench.optim.line_search import Line, LineSearchName, State, make_line_search

BetaName = Literal["polak_ribiere", "hestenes_stiefel"]

ITERATION_LIMIT = "iteration limit"
SMALL_GRADIENT = "gradient norm below tolerance"
NO_DECREASE = "no decrease along the line"
SHORT_STEP = "step below minimum"
NOT_FINITE = "gradient not finite"


class Problem(Protocol):
    """A smooth cost on a manifold, as the solver sees it.

    The state a problem makes at a point carries what cost and gradient share, so nothing is
    computed twice; it is the problem's own business what that is.
    """

    def start(self, point: Any) -> State:
        """State at a given point."""
        ...

    def gradient(self, state: Any) -> Any:
        """Riemannian gradient, a tangent vector at ``state.point``."""
        ...

    def line(self, state: Any, direction: Any) -> Line:
        """The cost along the retracted ``direction``."""
        ...


class Preconditioned(Problem, Protocol):
    """A problem with an approximate inverse of its Hessian.

    Known by its method: to test for the protocol costs as much as a small gradient.
    """

    def precondition(self, state: Any, gradient: Any) -> Any:
        """P g, a tangent vector at ``state.point`` for another one there.

        P is linear, symmetric and positive on the tangent space, so that -P g leads downhill.
        """
        ...


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped and why.

    Attributes
    ----------
    point : the manifold's point
    cost : float
        Cost at the point.
    iterations : int
        Steps taken.
    reason : str
        Why it stopped, one phrase.
    costs : list of float
        Cost at the start and after every step (``iterations + 1`` values, not increasing).
    """

    point: Any
    cost: float
    iterations: int
    reason: str
    costs: list[float] = field(repr=False)


def conjugate_gradient(
    problem: Problem,
    point: Any,
    *,
    manifold: Manifold[Any, Any],
    iterations: int,
    beta: BetaName = "polak_ribiere",
    line_search: LineSearchName = "exact",
    tolerance: float = 1e-6,
    minimum_step: float = 1e-10,
    callback: Callable[[Any], None] | None = None,
) -> Solution:
    """Minimise ``problem`` over ``manifold`` from ``point``.

    Parameters
    ----------
    problem : Problem or Preconditioned
    point : point of the manifold
    manifold : Manifold
    iterations : int
        At most this many steps; 0 only evaluates the start.
    beta : {"polak_ribiere", "hestenes_stiefel"}
        Both clipped at 0 (which restarts).
    line_search : {"exact", "armijo"}
        See xcbench.optim.line_search.
    tolerance : float
        Stop once the gradient is this many times shorter than at the start (0: never).
    minimum_step : float
        Stop when the length of a step falls below this; the step itself is kept.
    callback : callable, optional
        Called with the point after every step.

    Returns
    -------
    Solution
    """
    search = make_line_search(line_search)
    precondition = getattr(problem, "precondition", _identity)
    state = problem.start(point)
    costs = [float(state.cost)]

    def stop(reason: str) -> Solution:
        return Solution(state.point, costs[-1], len(costs) - 1, reason, costs)

    if iterations == 0:
        return stop(ITERATION_LIMIT)
    gradient = problem.gradient(state)
    scaled = precondition(state, gradient)
    squared = manifold.inner(state.point, gradient, gradient)
    fall = squared if scaled is gradient else manifold.inner(state.point, gradient, scaled)
    target = tolerance * squared**0.5
    direction, slope = _steepest(manifold, scaled), -fall
    while True:
        if not isfinite(squared):
            return stop(NOT_FINITE)
        if squared**0.5 <= target:
            return stop(SMALL_GRADIENT)
        if not slope < 0:
            direction, slope = _steepest(manifold, scaled), -fall
        length = manifold.norm(state.point, direction)
        line = problem.line(state, direction)
        t = search(line, state.cost, slope, length)
        if t == 0.0:
            return stop(NO_DECREASE)
        old, state = state.point, line.move(t)
        costs.append(float(state.cost))
        if callback is not None:
            callback(state.point)
        if t * length < minimum_step:
            return stop(SHORT_STEP)
        if len(costs) > iterations:
            return stop(ITERATION_LIMIT)
        new = problem.gradient(state)
        scaled = precondition(state, new)
        carried = manifold.transport_along(old, state.point, direction)
        squared = manifold.inner(state.point, new, new)
        new_fall = squared if scaled is new else manifold.inner(state.point, new, scaled)
        change = new_fall - manifold.inner_transported(old, state.point, gradient, scaled)
        if beta == "polak_ribiere":
            scale = fall
        else:
            scale = manifold.inner(state.point, new, carried)
            scale -= manifold.inner_transported(old, state.point, gradient, carried)
        factor = max(0.0, change / scale) if scale else 0.0
        direction = manifold.combine(-1.0, scaled, factor, carried)
        gradient, fall = new, new_fall
        slope = manifold.inner(state.point, gradient, direction)


def _steepest(manifold: Manifold[Any, Any], scaled: Any) -> Any:
    return manifold.combine(-1.0, scaled, 0.0, scaled)


def _identity(state: Any, gradient: Any) -> Any:
    return gradient

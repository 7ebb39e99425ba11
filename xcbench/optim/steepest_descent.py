"""Steepest descent on a Riemannian manifold: the plainest solver of an X-step."""

from __future__ import annotations

from typing import Any

from xcbench.manifolds.base import Manifold
from xcbench.optim.conjugate_gradient import (
    ITERATION_LIMIT,
    NO_DECREASE,
    SMALL_GRADIENT,
    Problem,
    Solution,
)
from xcbench.optim.line_search import LineSearchName, make_line_search


def steepest_descent(
    problem: Problem,
    point: Any,
    *,
    manifold: Manifold[Any, Any],
    iterations: int,
    line_search: LineSearchName = "exact",
    tolerance: float = 1e-6,
) -> Solution:
    """Minimise ``problem`` over ``manifold`` along the negative gradient.

    Parameters
    ----------
    problem : Problem
    point : point of the manifold
    manifold : Manifold
    iterations : int
        At most this many steps.
    line_search : {"exact", "armijo"}
    tolerance : float
        Stop once the gradient is this many times shorter than at the start.

    Returns
    -------
    Solution
    """
    search = make_line_search(line_search)
    state = problem.start(point)
    costs = [float(state.cost)]
    first: float | None = None
    reason = ITERATION_LIMIT
    while len(costs) <= iterations:
        gradient = problem.gradient(state)
        length = manifold.norm(state.point, gradient)
        first = length if first is None else first
        if length <= tolerance * first:
            reason = SMALL_GRADIENT
            break
        line = problem.line(state, manifold.combine(-1.0, gradient, 0.0, gradient))
        t = search(line, state.cost, -(length**2), length)
        if t == 0.0:
            reason = NO_DECREASE
            break
        state = line.move(t)
        costs.append(float(state.cost))
    return Solution(state.point, costs[-1], len(costs) - 1, reason, costs)

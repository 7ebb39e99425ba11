"""Riemannian trust region with truncated conjugate gradients.

Absil, Baker and Gallivan, "Trust-region methods on Riemannian manifolds" (2007): within a radius
the model cost + <g, u> + 1/2 <H u, u> is lowered by the conjugate gradients of Steihaug and Toint,
and the radius follows how well the model foretold the cost. H u is a difference of gradients, so
that a problem needs no more than for first-order solvers; one costs as much as a gradient does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xcbench.manifolds.base import Manifold
from xcbench.optim.conjugate_gradient import (
    ITERATION_LIMIT,
    NO_DECREASE,
    SMALL_GRADIENT,
    Problem,
    Solution,
)

# Of the paper's Algorithms 10 and 11, and of Manopt's defaults.
ACCEPT, SHRINK_BELOW, GROW_ABOVE = 0.1, 0.25, 0.75
SUFFICIENT = 0.1  # residual, against the first one, that ends an inner solve
DIFFERENCE = 1e-6  # length of the step between two gradients, against a point of length 1

Product = Callable[[Any], Any]


def trust_region(
    problem: Problem,
    point: Any,
    *,
    manifold: Manifold[Any, Any],
    iterations: int,
    products: int = 20,
    radius: float = 1.0,
    tolerance: float = 1e-6,
) -> Solution:
    """Minimise ``problem`` over ``manifold`` by steps of a quadratic model.

    Parameters
    ----------
    problem : Problem
    point : point of the manifold
    manifold : Manifold
    iterations : int
        At most this many steps, refused ones included.
    products : int
        Hessian products in a step, at most.
    radius : float
        Of the first model.
    tolerance : float
        Stop once the gradient is this many times shorter than at the start.

    Returns
    -------
    Solution
        ``iterations`` counts the steps taken; refused ones leave no trace in ``costs``.
    """
    state = problem.start(point)
    costs = [float(state.cost)]
    gradient = problem.gradient(state)
    first = length = manifold.norm(state.point, gradient)
    reason = ITERATION_LIMIT
    for _ in range(iterations):
        if length <= tolerance * first:
            reason = SMALL_GRADIENT
            break
        hessian = _differences(problem, manifold, state.point, gradient)
        step, promised, at_edge = truncated_cg(
            hessian, manifold, state.point, gradient, radius, products
        )
        if not promised > 0:
            reason = NO_DECREASE
            break
        trial = problem.start(manifold.retract(state.point, step, 1.0))
        ratio = (costs[-1] - float(trial.cost)) / promised
        # Written so that a cost of nan counts as a rise.
        if not ratio >= SHRINK_BELOW:
            radius *= 0.25
        elif ratio > GROW_ABOVE and at_edge:
            radius *= 2.0
        if ratio > ACCEPT:
            state = trial
            costs.append(float(state.cost))
            gradient = problem.gradient(state)
            length = manifold.norm(state.point, gradient)
    return Solution(state.point, costs[-1], len(costs) - 1, reason, costs)


def truncated_cg(
    hessian: Product,
    manifold: Manifold[Any, Any],
    point: Any,
    gradient: Any,
    radius: float,
    products: int,
) -> tuple[Any, float, bool]:
    """Lower <g, u> + 1/2 <H u, u> over ||u|| <= radius.

    Returns
    -------
    step : tangent vector
    decrease : float
        What the model falls by, not negative.
    at_edge : bool
        Whether the radius, or a direction of negative curvature followed to it, ended it.
    """
    inner = manifold.inner
    residual = gradient
    step = manifold.combine(0.0, gradient, 0.0, gradient)
    curved = step  # H step
    direction = manifold.combine(-1.0, gradient, 0.0, gradient)
    squared = inner(point, residual, residual)
    target = SUFFICIENT * squared**0.5
    at_edge = False
    for _ in range(products):
        product = hessian(direction)
        curvature = inner(point, direction, product)
        edge = _to_edge(manifold, point, step, direction, radius)
        at_edge = not (curvature > 0 and squared / curvature < edge)
        t = edge if at_edge else squared / curvature
        step = manifold.combine(1.0, step, t, direction)
        curved = manifold.combine(1.0, curved, t, product)
        if at_edge:
            break
        residual = manifold.combine(1.0, residual, t, product)
        before, squared = squared, inner(point, residual, residual)
        if squared**0.5 <= target:
            break
        direction = manifold.combine(-1.0, residual, squared / before, direction)
    decrease = -inner(point, gradient, step) - 0.5 * inner(point, curved, step)
    return step, decrease, at_edge


def _to_edge(
    manifold: Manifold[Any, Any], point: Any, step: Any, direction: Any, radius: float
) -> float:
    """The t > 0 with ||step + t direction|| = radius."""
    a = manifold.inner(point, direction, direction)
    b = manifold.inner(point, step, direction)
    c = manifold.inner(point, step, step) - radius**2
    found: float = (-b + max(b * b - a * c, 0.0) ** 0.5) / a
    return found


def _differences(
    problem: Problem, manifold: Manifold[Any, Any], point: Any, gradient: Any
) -> Product:
    """Hessian at ``point``: how the gradient, brought back, changes a little way along a vector."""

    def product(direction: Any) -> Any:
        t = DIFFERENCE / manifold.norm(point, direction)
        near = manifold.retract(point, direction, t)
        there = manifold.transport(near, point, problem.gradient(problem.start(near)))
        return manifold.combine(1.0 / t, there, -1.0 / t, gradient)

    return product

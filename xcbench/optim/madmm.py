"""MADMM: min f(X) + g(A X) over a manifold, f smooth and g not, by the alternating directions.

Kovnatsky, Glashoff and Bronstein, "MADMM: a generic algorithm for non-smooth optimization on
manifolds" (2016). With Z standing for A X and the scaled multiplier U, a round is

    X   a few iterations of a smooth solver on f(X) + rho/2 ||A X - Z + U||^2, from the last X
    Z   prox of g / rho at A X + U
    U   U + A X - Z

and rounds end by the primal and dual residuals of Boyd, Parikh, Chu, Peleato and Eckstein
(2011), section 3.3.1. The dual one is taken where Z lives, rho ||Z - Z_old|| against rho ||U||,
before A^T is applied: where f = 0 a solution has A^T U = 0, and nothing is below a share of that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import isfinite, sqrt
from time import perf_counter
from typing import Any, Literal, Protocol

import numpy as np

from xcbench.manifolds.base import Embedded
from xcbench.optim.augmented import Augmented, Measure
from xcbench.optim.conjugate_gradient import (
    ITERATION_LIMIT,
    Problem,
    Solution,
    conjugate_gradient,
)
from xcbench.optim.split import DifferentiableSplit, OwnXStep
from xcbench.optim.steepest_descent import steepest_descent

SolverName = Literal["conjugate_gradient", "steepest_descent"]

SMALL_RESIDUALS = "residuals below tolerance"
NOT_FINITE = "cost not finite"


class Solver(Protocol):
    """A smooth solver for the X-step, as conjugate_gradient is one."""

    def __call__(
        self, problem: Problem, point: Any, *, manifold: Embedded[Any, Any], iterations: int
    ) -> Solution:
        """Improve ``point`` by at most ``iterations`` steps."""
        ...


# No tolerance: how far an X-step goes is the number of its iterations alone.
SOLVERS: dict[str, Solver] = {
    "conjugate_gradient": partial(conjugate_gradient, tolerance=0.0),
    "steepest_descent": partial(steepest_descent, tolerance=0.0),
}


@dataclass(frozen=True)
class MadmmSolution:
    """Where MADMM stopped and why.

    Attributes
    ----------
    point : the manifold's point
        X.
    split, dual : ndarray
        Z and the scaled multiplier U.
    cost : float
        f(X) + g(A X).
    costs : list of float
        At the start and after every round; need not fall.
    primal, dual_residuals : list of float
        ||A X - Z|| and rho ||Z - Z_old|| after every round.
    seconds : list of float
        Wall time at each entry of ``costs``, from the call on.
    iterations : int
        Rounds.
    reason : str
    """

    point: Any
    split: np.ndarray = field(repr=False)
    dual: np.ndarray = field(repr=False)
    cost: float
    costs: list[float] = field(repr=False)
    primal: list[float] = field(repr=False)
    dual_residuals: list[float] = field(repr=False)
    seconds: list[float] = field(repr=False)
    iterations: int
    reason: str


def madmm(
    problem: DifferentiableSplit | OwnXStep,
    start: Any,
    *,
    manifold: Embedded[Any, Any],
    rho: float,
    iterations: int,
    inner_iterations: int = 3,
    solver: SolverName | Solver = "conjugate_gradient",
    absolute: float = 1e-6,
    relative: float = 1e-4,
    callback: Callable[[Any], None] | None = None,
) -> MadmmSolution:
    """Minimise f(X) + g(A X) over ``manifold`` from ``start``.

    Parameters
    ----------
    problem : DifferentiableSplit or OwnXStep
        An X-step of its own is taken before the generic one.
    start : point of the manifold
        Z and U start as the prox of g / rho splits A X.
    manifold : Embedded
    rho : float
        Penalty, above 0; fixed.
    iterations : int
        At most this many rounds.
    inner_iterations : int
        Steps of the smooth solver in each round.
    solver : name or callable
    absolute, relative : float
        Tolerances: an entry of a residual may be ``absolute`` large, the whole of it ``relative``
        times what it is a difference of. With both 0 all rounds are run, unless one changes
        nothing.
    callback : callable, optional
        Called with X after every round.

    Returns
    -------
    MadmmSolution
    """
    began = perf_counter()
    solve = SOLVERS[solver] if isinstance(solver, str) else solver
    measure = Measure(problem)
    x_step: Callable[[np.ndarray, float], Problem] = (
        problem.augmented
        if isinstance(problem, OwnXStep)
        else Augmented(problem, manifold, measure).aim
    )
    trace = _Trace(began)
    point, image = start, measure.image(start)
    split = problem.prox(image, 1.0 / rho)
    dual = image - split
    trace.add(measure.smooth(point) + problem.nonsmooth(image))
    reason = ITERATION_LIMIT
    for _ in range(iterations):
        x_problem = x_step(split - dual, rho)
        point = solve(x_problem, point, manifold=manifold, iterations=inner_iterations).point
        image = measure.image(point)
        previous, split = split, problem.prox(image + dual, 1.0 / rho)
        gap = image - split
        dual = dual + gap
        trace.add(measure.smooth(point) + problem.nonsmooth(image))
        primal, change = _norm(gap), rho * _norm(split - previous)
        trace.primal.append(primal)
        trace.dual.append(change)
        if callback is not None:
            callback(point)
        if not isfinite(trace.costs[-1]):
            reason = NOT_FINITE
            break
        floor = sqrt(image.size) * absolute
        if primal <= floor + relative * max(
            _norm(image), _norm(split)
        ) and change <= floor + relative * rho * _norm(dual):
            reason = SMALL_RESIDUALS
            break
    return MadmmSolution(
        point,
        split,
        dual,
        trace.costs[-1],
        trace.costs,
        trace.primal,
        trace.dual,
        trace.seconds,
        len(trace.primal),
        reason,
    )


class _Trace:
    """What is written down every round."""

    def __init__(self, began: float) -> None:
        self._began = began
        self.costs: list[float] = []
        self.seconds: list[float] = []
        self.primal: list[float] = []
        self.dual: list[float] = []

    def add(self, cost: float) -> None:
        self.costs.append(float(cost))
        self.seconds.append(perf_counter() - self._began)


def _norm(values: np.ndarray) -> float:
    return float(np.linalg.norm(values))

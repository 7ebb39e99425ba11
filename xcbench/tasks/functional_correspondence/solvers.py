"""The settings of a method turned into a solver's run on coupled diagonalisation."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from xcbench.config.functional_correspondence import (
    CorrespondenceLeastSquaresSettings,
    CorrespondenceMadmmSettings,
    CorrespondenceSettings,
    CorrespondenceSmoothedSettings,
)
from xcbench.manifolds.product import Product
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.conjugate_gradient import Problem, conjugate_gradient
from xcbench.optim.madmm import madmm
from xcbench.tasks.functional_correspondence.baselines import Manifold, Smoothed, least_squares
from xcbench.tasks.functional_correspondence.problem import (
    Bases,
    CoupledDiagonalisation,
    procrustes_start,
)

# Of the gradient, against the start's: below what any figure or table shows.
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Solved:
    """Coupled bases and the way there.

    Attributes
    ----------
    bases : tuple of ndarray, each (k, k)
        X_i.
    costs : ndarray of float64, shape (iterations + 1,)
        The objective with the 2,1-norm at the start and after every iteration, whatever it is
        that the method minimises.
    seconds : ndarray of float64, shape (iterations + 1,)
        Wall time at each, evaluating these costs included for every method.
    """

    bases: Bases
    costs: np.ndarray
    seconds: np.ndarray

    @property
    def iterations(self) -> int:
        """Rounds of MADMM or steps of conjugate gradients."""
        return len(self.costs) - 1


def solve(problem: CoupledDiagonalisation, settings: CorrespondenceSettings) -> Solved:
    """Couple the bases by the method of these settings."""
    count, size = problem.eigenvalues.shape
    manifold = Product([Stiefel(size, size)] * count)
    start: Bases
    if settings.start == "procrustes":
        start = procrustes_start(problem.matches, count)
    else:
        start = tuple(np.eye(size) for _ in range(count))
    match settings:
        case CorrespondenceMadmmSettings():
            return _by_madmm(problem, start, manifold, settings)
        case CorrespondenceLeastSquaresSettings():
            smooth: Problem = least_squares(_reweighed(problem, settings.mu), manifold)
        case CorrespondenceSmoothedSettings():
            smooth = Smoothed(problem, manifold, settings.epsilon)
    return _by_conjugate_gradient(problem, smooth, start, manifold, settings.iterations)


def _reweighed(problem: CoupledDiagonalisation, mu: float | None) -> CoupledDiagonalisation:
    if mu is None:
        return problem
    return CoupledDiagonalisation(problem.matches, problem.eigenvalues, mu)


def _by_madmm(
    problem: CoupledDiagonalisation,
    start: Bases,
    manifold: Manifold,
    settings: CorrespondenceMadmmSettings,
) -> Solved:
    found = madmm(
        problem,
        start,
        manifold=manifold,
        rho=settings.rho,
        iterations=settings.iterations,
        inner_iterations=settings.inner_iterations,
        absolute=settings.tolerance,
        relative=settings.tolerance,
    )
    return Solved(found.point, np.array(found.costs), np.array(found.seconds))


def _by_conjugate_gradient(
    problem: CoupledDiagonalisation,
    smooth: Problem,
    start: Bases,
    manifold: Manifold,
    iterations: int,
) -> Solved:
    began = perf_counter()
    costs, seconds = [problem.cost(start)], [perf_counter() - began]

    def note(point: Bases) -> None:
        costs.append(problem.cost(point))
        seconds.append(perf_counter() - began)

    found = conjugate_gradient(
        smooth,
        start,
        manifold=manifold,
        iterations=iterations,
        beta="hestenes_stiefel",
        tolerance=_TOLERANCE,
        callback=note,
    )
    return Solved(found.point, np.array(costs), np.array(seconds))

"""The splittings MADMM is compared with, both of which keep orthonormality apart from the energy.

Each iteration solves (2 L + c I) X = R, with a sparse factorisation made once, and takes a polar
factor; U, V are scaled multipliers, w the weight of the absolute values:

    SOC (Lai and Osher, "A splitting method for orthogonality constrained problems", 2014)
        X = (2 L + (rho + r) I)^-1 (rho (Q - U) + r (P - V))
        Q = shrink(X + U, w / rho),  P = polar(X + V),  U += X - Q,  V += X - P
    Neumann et al. ("Compressed manifold modes for mesh processing", 2014)
        P = polar((E - U + S - V) / 2)
        E = (2 L + rho I)^-1 rho (P + U),  S = shrink(P + V, w / rho),  U += P - E,  V += P - S
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from scipy import sparse

from xcbench.config.compressed_modes import NeumannModesSettings, SocModesSettings
from xcbench.manifolds.stiefel import polar_factor
from xcbench.optim.conjugate_gradient import ITERATION_LIMIT
from xcbench.optim.madmm import SMALL_RESIDUALS
from xcbench.optim.prox import prox_l1
from xcbench.tasks.compressed_modes.problem import modes_cost
from xcbench.tasks.compressed_modes.shifted import shifted_solver

# The release of Neumann et al. looks at the residuals every so many iterations.
ADAPT_EVERY, ADAPT_RATIO, ADAPT_FACTOR = 10, 5.0, 2.0


@dataclass(frozen=True)
class Splitting:
    """Where a splitting stopped.

    Attributes
    ----------
    point : ndarray of float64, shape (n, k)
        The orthonormal copy.
    split : ndarray of float64, shape (n, k)
        The sparse copy.
    costs, seconds : list of float
        Cost of the orthonormal copy at the start and after every iteration, and the wall time at
        each, evaluating these costs included as in MADMM's.
    primal, dual_residuals : list of float
        After every iteration, of all copies together.
    iterations : int
    reason : str
    """

    point: np.ndarray
    split: np.ndarray
    costs: list[float] = field(repr=False)
    seconds: list[float] = field(repr=False)
    primal: list[float] = field(repr=False)
    dual_residuals: list[float] = field(repr=False)
    iterations: int
    reason: str


@dataclass(frozen=True)
class _Iterate:
    """Copies after an iteration; residuals and what they are measured against."""

    orthonormal: np.ndarray
    sparse: np.ndarray
    primal: float
    dual: float
    image: float
    multiplier: float


def soc(
    energy: sparse.csr_array, weight: float, start: np.ndarray, settings: SocModesSettings
) -> Splitting:
    """Compressed modes by splitting of orthogonality constraints.

    Parameters
    ----------
    energy : csr_array of float64, shape (n, n)
    weight : float
    start : ndarray of float64, shape (n, k)
        Orthonormal.
    settings : SocModesSettings
    """
    return _run(_soc(energy, weight, start, settings), energy, weight, start, settings)


def neumann(
    energy: sparse.csr_array, weight: float, start: np.ndarray, settings: NeumannModesSettings
) -> Splitting:
    """Compressed modes by the three-way splitting; arguments as those of ``soc``."""
    return _run(_neumann(energy, weight, start, settings), energy, weight, start, settings)


def _soc(
    energy: sparse.csr_array, weight: float, start: np.ndarray, settings: SocModesSettings
) -> Iterator[_Iterate]:
    rho, r = settings.rho, settings.orthogonal_rho
    solve = shifted_solver(energy, rho + r)
    Q, P = start, start
    U, V = np.zeros_like(start), np.zeros_like(start)
    while True:
        X = solve(rho * (Q - U) + r * (P - V))
        before = Q, P
        Q, P = prox_l1(X + U, weight / rho), polar_factor(X + V)
        U, V = U + X - Q, V + X - P
        yield _Iterate(
            P,
            Q,
            primal=_norm(X - Q, X - P),
            dual=_norm(rho * (Q - before[0]), r * (P - before[1])),
            image=max(_norm(X, X), _norm(Q, P)),
            multiplier=_norm(rho * U, r * V),
        )


def _neumann(
    energy: sparse.csr_array, weight: float, start: np.ndarray, settings: NeumannModesSettings
) -> Iterator[_Iterate]:
    rho = settings.rho
    solve = shifted_solver(energy, rho)
    E, S = start, start
    U, V = np.zeros_like(start), np.zeros_like(start)
    iteration = 0
    while True:
        iteration += 1
        P = polar_factor(0.5 * (E - U + S - V))
        before = E, S
        E, S = solve(rho * (P + U)), prox_l1(P + V, weight / rho)
        U, V = U + P - E, V + P - S
        primal = _norm(P - E, P - S)
        dual = rho * _norm(E - before[0], S - before[1])
        yield _Iterate(
            P,
            S,
            primal,
            dual,
            image=max(_norm(P, P), _norm(E, S)),
            multiplier=rho * _norm(U, V),
        )
        if settings.adapt and iteration % ADAPT_EVERY == 0:
            factor = _adapted(primal, dual)
            if factor != 1.0:
                rho, U, V = rho * factor, U / factor, V / factor
                solve = shifted_solver(energy, rho)


def _adapted(primal: float, dual: float) -> float:
    if primal > ADAPT_RATIO * dual:
        return ADAPT_FACTOR
    return 1.0 / ADAPT_FACTOR if dual > ADAPT_RATIO * primal else 1.0


def _run(
    iterates: Iterator[_Iterate],
    energy: sparse.csr_array,
    weight: float,
    start: np.ndarray,
    settings: SocModesSettings | NeumannModesSettings,
) -> Splitting:
    began = perf_counter()
    costs, seconds = [modes_cost(energy, weight, start)], [perf_counter() - began]
    primal: list[float] = []
    dual: list[float] = []
    # Two copies are held against one.
    floor = np.sqrt(2 * start.size) * settings.absolute
    reason = ITERATION_LIMIT
    for _ in range(settings.iterations):
        at = next(iterates)
        costs.append(modes_cost(energy, weight, at.orthonormal))
        seconds.append(perf_counter() - began)
        primal.append(at.primal)
        dual.append(at.dual)
        if (
            at.primal <= floor + settings.relative * at.image
            and at.dual <= floor + settings.relative * at.multiplier
        ):
            reason = SMALL_RESIDUALS
            break
    return Splitting(at.orthonormal, at.sparse, costs, seconds, primal, dual, len(primal), reason)


def _norm(*parts: np.ndarray) -> float:
    return float(np.hypot.reduce([np.linalg.norm(part) for part in parts]))

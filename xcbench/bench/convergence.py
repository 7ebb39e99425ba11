"""How fast the solvers of the completion stage bring its cost down on one and the same problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.models.local_embedding.neighbours import find_neighbours, locality_order
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion, MaskedSymmetric
from xcbench.optim.robust_completion import l1_completion
from xcbench.optim.svp import singular_value_projection, spectral_factor

# About the same wall time for each of them, and well beyond where P@1 settles.
ITERATIONS = {"rcg-spectral": 120, "rcg-random": 240, "svp": 40, "madmm": 70}


@dataclass(frozen=True)
class Problem:
    """A completion problem: the similarities on Omega, the rank, and MADMM's penalty."""

    known: MaskedSymmetric
    rank: int
    rho: float

    def costs(self, Z: np.ndarray) -> tuple[float, float]:
        """Weighted squared and absolute errors of Z Z^T on Omega, for every solver alike."""
        weights = self.known.weights.astype(np.float64)
        error = self.known.residual(Z).astype(np.float64)
        return float(weights @ np.square(error)), float(weights @ np.abs(error))


class Record:
    """A solver's callback: costs at every iterate, by a clock that stands still meanwhile.

    Attributes
    ----------
    rows : list of (seconds, squared, absolute)
        One for each call; seconds count from when the record was made.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rows: list[tuple[float, float, float]] = []
        self._spent = 0.0
        self._resumed = perf_counter()

    def __call__(self, Z: np.ndarray) -> None:
        self._spent += perf_counter() - self._resumed
        self.rows.append((self._spent, *self.problem.costs(Z)))
        self._resumed = perf_counter()


def problem_of(Y: sparse.csr_array, settings: LocalEmbeddingSettings) -> Problem:
    """The completion problem of the training labels Y (n, l) as one cluster."""
    Y = Y[np.flatnonzero(np.diff(Y.indptr))]
    position = np.argsort(locality_order(Y)).astype(np.int32)
    known = find_neighbours(Y, settings.neighbours).symmetrised(position)
    return Problem(known, min(settings.rank, known.n), settings.completion.rho)


def measure_convergence(
    problem: Problem, seed: int, iterations: dict[str, int] = ITERATIONS
) -> Iterator[dict[str, Any]]:
    """Run every solver once and give a row for every iterate.

    Parameters
    ----------
    problem : Problem
    seed : int
        Of the starts.
    iterations : dict
        Solvers to run and how far: rcg-spectral, rcg-random, svp, madmm.

    Yields
    ------
    dict
        solver, iteration, seconds, squared_cost, absolute_cost. Iteration 0 is the start, the time
        of its making included; SVP starts from zero. Rows of a solver follow one another.
    """
    for solver, steps in iterations.items():
        _solve(solver, problem, min(steps, 2), seed)  # compiles what is compiled at first use
        for number, (seconds, squared, absolute) in enumerate(_solve(solver, problem, steps, seed)):
            yield {
                "solver": solver,
                "iteration": number,
                "seconds": round(seconds, 6),
                "squared_cost": squared,
                "absolute_cost": absolute,
            }


def _solve(
    solver: str, problem: Problem, iterations: int, seed: int
) -> list[tuple[float, float, float]]:
    rng = np.random.default_rng(seed)
    known, shape = problem.known, (problem.known.n, problem.rank)
    zero = np.zeros(shape, np.float32)
    record = Record(problem)
    if solver == "svp":
        record(zero)
        singular_value_projection(known, problem.rank, iterations, rng, record)
        return record.rows
    if solver == "rcg-random":
        start = rng.standard_normal(shape, dtype=np.float32)
    else:
        start = spectral_factor(known, problem.rank, rng)[0]
    record(start)
    if solver == "madmm":
        l1_completion(known, start, rho=problem.rho, iterations=iterations, callback=record)
        return record.rows
    paper = solver == "rcg-random"
    conjugate_gradient(
        MaskedCompletion(known),
        start,
        manifold=PSDFixedRank(*shape),
        iterations=iterations,
        beta="hestenes_stiefel" if paper else "polak_ribiere",
        line_search="armijo" if paper else "exact",
        tolerance=0.0,
        callback=record,
    )
    return record.rows

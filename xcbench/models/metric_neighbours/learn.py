"""Learning a metric for each training part, gamma by two-fold cross-validation inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xcbench.config.metric_learning import (
    FixedMetricSettings,
    ItmlSettings,
    MetricLearnSettings,
    MetricMethodSettings,
)
from xcbench.models.base import Executor, InlineExecutor, Task
from xcbench.models.metric_neighbours.itml import fit_itml, prior_metric
from xcbench.models.metric_neighbours.library import fit_metric_learn
from xcbench.models.metric_neighbours.neighbours import majority

# What is drawn where; see _stream.
_FOLDS, _CANDIDATE, _FINAL = 0, 1, 2
# Multiplications of a fit below which starting processes takes longer than they save.
_LONG = 5e9

Part = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class LearnedFactors:
    """The metrics of all training parts.

    Attributes
    ----------
    factors : float64, shape (parts, d, d)
        G of each metric G G^T.
    gammas : float64, shape (parts,)
        As chosen; NaN where a metric has none.
    errors : float64, shape (parts, n_gammas)
        Percent, in cross-validation; no columns where there was none to choose.
    """

    factors: np.ndarray
    gammas: np.ndarray
    errors: np.ndarray


def learn(
    settings: MetricMethodSettings, parts: Sequence[Part], k: int, seed: int, executor: Executor
) -> LearnedFactors:
    """Learn a metric from each training part.

    Of gammas with equal errors the smallest is taken, which leaves the prior most alone.

    Parameters
    ----------
    settings : settings of the method
    parts : sequence of (X, y)
        float64 (n, d) and int64 (n,), in an order that does not tell the class.
    k : int
        Neighbours that vote in cross-validation.
    seed : int

    Raises
    ------
    TaskError
        Some metric could not be learned.
    """
    grid = () if isinstance(settings, FixedMetricSettings) else tuple(sorted(settings.gammas))
    executor = executor if _is_long(settings, parts[0][0].shape[1]) else InlineExecutor()
    errors = np.zeros((len(parts), 0))
    gammas = np.full(len(parts), grid[0] if grid else np.nan)
    if len(grid) > 1:
        tasks = [
            Task(f"half {p + 1}, gamma {gamma:g}", (settings, *parts[p], gamma, k, (seed, p)))
            for p in range(len(parts))
            for gamma in grid
        ]
        found = executor.map(_cross_validated, tasks, "cross_validation")
        errors = np.array(found).reshape(len(parts), len(grid))
        gammas = np.array(grid)[errors.argmin(axis=1)]
    tasks = [
        Task(f"half {p + 1}", (settings, *parts[p], float(gammas[p]), (seed, p, _FINAL)))
        for p in range(len(parts))
    ]
    return LearnedFactors(np.array(executor.map(_fit, tasks, "metric")), gammas, errors)


def _is_long(settings: MetricMethodSettings, d: int) -> bool:
    """Whether a fit to d features may take so long that processes should share the fits."""
    if isinstance(settings, ItmlSettings):
        return settings.projections * d * d > _LONG
    return isinstance(settings, MetricLearnSettings)


def _cross_validated(
    settings: MetricMethodSettings,
    X: np.ndarray,
    y: np.ndarray,
    gamma: float,
    k: int,
    seeds: tuple[int, ...],
) -> float:
    """The share of wrong classes, percent; folds and pairs are the same for every gamma."""
    order = _stream(*seeds, _FOLDS).permutation(len(y))
    folds, wrong = np.array_split(order, 2), 0
    for number, test in enumerate(folds):
        train = folds[1 - number]
        factor = _fit(settings, X[train], y[train], gamma, (*seeds, _CANDIDATE, number))
        found = majority(X[train], y[train], X[test], factor, k)
        wrong += int(np.count_nonzero(found != y[test]))
    return 100 * wrong / len(y)


def _fit(
    settings: MetricMethodSettings,
    X: np.ndarray,
    y: np.ndarray,
    gamma: float,
    seeds: tuple[int, ...],
) -> np.ndarray:
    """The factor (d, d) of one metric, with random numbers of these seeds."""
    if isinstance(settings, FixedMetricSettings):
        return np.linalg.cholesky(prior_metric(settings.metric, X))
    rng = _stream(*seeds)
    if isinstance(settings, MetricLearnSettings):
        return fit_metric_learn(settings, X, y, gamma, int(rng.integers(2**31)))
    return fit_itml(settings, X, y, gamma, rng)


def _stream(seed: int, *key: int) -> np.random.Generator:
    """The random numbers of a job's seed for one purpose: part, what for, and fold if any.

    A list of all would not do: zeros at its end tell no streams apart, nor one from the seed's own.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

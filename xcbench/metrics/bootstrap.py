"""The paired bootstrap over test rows: how far a difference of two methods is chance.

Test rows are drawn with replacement, the same rows for every method, and the metrics are computed
anew: what two methods find equally hard or easy cancels from their difference (Efron and
Tibshirani, "An introduction to the bootstrap", 1993; percentile intervals, chapter 13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xcbench.metrics.per_row import Contributions

LEVEL = 0.95

# Resamples: so many, or on large data as many as take WORK products of a count and a row's share of
# a metric (some ten seconds of one core), but never fewer than LEAST.
MOST, LEAST = 2000, 200
WORK = 50_000_000_000

_BLOCK_COUNTS = 1 << 22  # of drawn rows in memory at once


@dataclass(frozen=True)
class Interval:
    """A difference of two methods in points, and where it lies with 95 % confidence."""

    difference: float
    low: float
    high: float

    @property
    def is_tied(self) -> bool:
        """Whether the difference cannot be told from zero."""
        return self.low <= 0 <= self.high


def affordable(rows: int, methods: int, metrics: int) -> int:
    """How many resamples of so many test rows to draw."""
    return max(LEAST, min(MOST, WORK // max(1, rows * metrics * (methods + 1))))


def percent(gains: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Sums of what was earned, in percent of what there was to earn; 0 where that is nothing."""
    gains, norms = np.broadcast_arrays(gains, norms)
    found: np.ndarray = 100.0 * np.divide(gains, norms, out=np.zeros(gains.shape), where=norms > 0)
    return found


def resample(
    methods: Sequence[Contributions], resamples: int | None = None, seed: int = 0
) -> np.ndarray:
    """Metrics of the methods on resampled test rows.

    Parameters
    ----------
    methods : sequence of Contributions
        Of the same test rows and metrics.
    resamples : int, optional
        By default as many as are ``affordable``.
    seed : int

    Returns
    -------
    ndarray of float64, shape (resamples, len(methods), number of metrics)
        Percent; 0 where a resample has nothing to earn.
    """
    n, width = methods[0].gains.shape
    resamples = affordable(n, len(methods), width) if resamples is None else resamples
    # The rows' own norms come once: they are the same for every method.
    columns = np.hstack([*(method.gains for method in methods), methods[0].norms])
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, columns.shape[1]))
    step = max(1, _BLOCK_COUNTS // n)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        sums[start:stop] = _counts(rng, stop - start, n) @ columns
    gains, norms = sums[:, :-width].reshape(resamples, len(methods), width), sums[:, -width:]
    return percent(gains, norms[:, np.newaxis])


def interval(difference: float, resampled: np.ndarray) -> Interval:
    """The percentile interval of a difference from its values on resampled rows."""
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(difference, float(low), float(high))


def _counts(rng: np.random.Generator, resamples: int, n: int) -> np.ndarray:
    """How often each of n rows is in each resample of n rows, shape (resamples, n)."""
    drawn = rng.integers(n, size=(resamples, n))
    drawn += np.arange(resamples)[:, np.newaxis] * n
    counts = np.bincount(drawn.ravel(), minlength=resamples * n)
    return counts.reshape(resamples, n).astype(np.float64)

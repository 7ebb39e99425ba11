"""The mean of a few runs and how far chance may have moved it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from scipy.special import stdtrit

LEVEL = 0.95


def mean_interval(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean, and the reach of its 95 % interval by Student's t; None for a single value.

    The interval takes the values for independent. Runs that draw other splits of the same points
    are not quite, so theirs is somewhat too narrow.
    """
    n = len(values)
    if n < 2:
        return fmean(values), None
    return fmean(values), float(stdtrit(n - 1, (1 + LEVEL) / 2)) * stdev(values) / n**0.5

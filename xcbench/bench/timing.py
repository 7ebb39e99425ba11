"""How the benchmark times things, and the row it reports."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any


@dataclass(frozen=True)
class Row:
    """One comparison: the same work done by xcbench and by a peer, in the same run.

    Attributes
    ----------
    stage, work : str
        What was timed and its size.
    ours : float
        Median seconds.
    peer : str
        The library a user would call otherwise; empty where there is none.
    theirs : float or None
        Its median seconds.
    rate : str
        What the time means against the machine's measured rates, or the result's quality.
    """

    stage: str
    work: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    rate: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer."""
        return None if self.theirs is None else self.theirs / self.ours


def median_seconds(function: Callable[[], Any], repeats: int) -> float:
    """Median wall time of ``repeats`` calls after one that is not counted."""
    function()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return statistics.median(times)


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """Wall time of one call, and what it returned."""
    start = perf_counter()
    value = function()
    return perf_counter() - start, value

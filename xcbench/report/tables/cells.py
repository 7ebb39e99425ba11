"""Numbers as cells."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from xcbench.report.document import EMPTY, Cell, Standing
from xcbench.report.published import Published
from xcbench.report.tables.methods import Method


def measured(
    values: Sequence[float], digits: int = 2, standing: Standing = "", source: str = ""
) -> Cell:
    """The mean of some numbers and, of several, their sample standard deviation."""
    if not values:
        return EMPTY
    mean = statistics.fmean(values)
    if len(values) == 1:
        return Cell(f"{mean:.{digits}f}", mean, None, standing, source)
    spread = statistics.stdev(values)
    return Cell(f"{mean:.{digits}f} ± {spread:.{digits}f}", mean, spread, standing, source)


def published(number: Published, spread: Published | None = None, standing: Standing = "") -> Cell:
    """A published number in its own digits."""
    if spread is None:
        return Cell(number.text, number.value, None, standing, number.source)
    text = f"{number.text} ± {spread.text}"
    return Cell(text, number.value, spread.value, standing, number.source)


def runs(method: Method) -> Cell:
    return Cell(method.runs_text, len(method.runs))

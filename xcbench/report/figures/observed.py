"""Runs on data that is observed in part, as the figures of completion and recovery draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xcbench.report.figures.rows import finished, listed_value
from xcbench.report.rows import Row
from xcbench.report.tables.methods import methods_of

_OBSERVED = "task.observed"


def newest_runs(rows: Sequence[Row], kind: str) -> list[Row]:
    """Finished runs of a kind of task that compare with one another.

    Those of the newest protocol but for the share observed; on each dataset and share, of several
    settings under one label and of repeats the newest.
    """
    done = finished(rows, kind)
    if not done:
        return []
    newest = _protocol(max(done, key=lambda row: str(row["utc"])))
    groups: dict[tuple[str, float], list[Row]] = {}
    for row in done:
        if _protocol(row) == newest:
            groups.setdefault((str(row["dataset"]), percent_of(row)), []).append(row)
    return [
        run
        for key in sorted(groups)
        for method in methods_of(groups[key])[0]
        for run in method.runs
    ]


def percent_of(row: Row) -> float:
    """The one percentage observed of a run."""
    return listed_value(row, _OBSERVED)


def _protocol(row: Row) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k.startswith("task.") and k != _OBSERVED}

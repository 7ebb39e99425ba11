"""The table of runs of other tasks than extreme classification: one line a method, over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xcbench.report.interval import mean_interval
from xcbench.report.rows import Row, is_xc

# Metrics of these tasks in the order of their columns, each with its heading.
METRICS = {
    "error_rate": "error %",
    "AP_hidden": "AP hidden %",
    "AP_test": "AP test %",
    "recovery_error": "relative error",
    "recovered": "recovered",
    "cost": "cost",
    "sparsity": "zeros %",
    "orthogonality": "|Φ'Φ-I|",
    "correspondence_error": "geodesic error %",
    "within_5": "within 5 %",
    "median_error": "median error km",
    "iterations": "iterations",
    "ms_per_iteration": "ms/iteration",
}
_PERCENT = {"error_rate", "AP_hidden", "AP_test", "sparsity", "correspondence_error", "within_5"}


@dataclass(frozen=True)
class TaskTable:
    """Runs of one task on one dataset: a line a method, cell by cell."""

    title: str
    headings: list[str]
    lines: list[list[str]]


def task_tables(rows: Sequence[Row]) -> list[TaskTable]:
    """One table a dataset and value of what the protocol lists.

    Parameters
    ----------
    rows : sequence of Row
        Runs with their dotted config keys; finished ones of other tasks are taken.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["status"] == "done" and not is_xc(row):
            groups.setdefault(title_of(row), []).append(row)
    tables = []
    for title, group in groups.items():
        metrics = [name for name in METRICS if any(_has(row, name) for row in group)]
        methods: dict[str, list[Row]] = {}
        for row in group:
            methods.setdefault(str(row["method"]), []).append(row)
        headings = ["method", "runs", *(METRICS[name] for name in metrics), "train s"]
        lines = [
            [label, str(len(runs)), *(_cell(runs, name) for name in [*metrics, "train_s"])]
            for label, runs in methods.items()
        ]
        tables.append(TaskTable(title, headings, lines))
    return tables


def title_of(row: Row) -> str:
    """``spot-2, functional correspondence, outliers 16``: data, task, and what it lists."""
    listed = (
        f"{key.removeprefix('task.')} {', '.join(f'{value:g}' for value in values)}"
        for key, values in sorted(row.items())
        if key.startswith("task.") and isinstance(values, list | tuple)
    )
    return ", ".join([str(row["dataset"]), str(row["task"]).replace("_", " "), *listed])


def _has(row: Row, name: str) -> bool:
    return row.get(name) not in (None, "")


def _cell(runs: Sequence[Row], name: str) -> str:
    """The mean of the runs, with the reach of its 95 % interval where there are several."""
    values = [float(run[name]) for run in runs if _has(run, name)]
    if not values:
        return ""
    mean, reach = mean_interval(values)
    if reach is None or name in ("iterations", "ms_per_iteration", "train_s", "recovered"):
        return _number(mean, name)
    return f"{_number(mean, name)} ± {_number(reach, name)}"


def _number(value: float, name: str) -> Any:
    return f"{value:.2f}" if name in _PERCENT else f"{value:.4g}"

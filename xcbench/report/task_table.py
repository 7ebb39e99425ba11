"""The table of runs of other tasks than extreme classification: one line a method, over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xcbench.report.document import Cell, Column
from xcbench.report.interval import mean_interval
from xcbench.report.rows import Row, is_xc
from xcbench.report.settings import settings_of, told_apart, unusual, worded

# Metrics of these tasks in the order of their columns.
METRICS = {
    column.key: column
    for column in (
        Column("error_rate", "error %", "lower"),
        Column("AP_hidden", "AP hidden %", "higher"),
        Column("AP_test", "AP test %", "higher"),
        Column("recovery_error", "relative error", "lower"),
        Column("recovered", "recovered", "higher"),
        Column("cost", "cost", "lower"),
        Column("sparsity", "zeros %", "higher"),
        Column("orthogonality", "|Φ'Φ-I|", "lower"),
        Column("correspondence_error", "geodesic error %", "lower"),
        Column("within_5", "within 5 %", "higher"),
        Column("median_error", "median error km", "lower"),
        Column("iterations", "iterations", "lower"),
        Column("ms_per_iteration", "ms/iteration", "lower"),
    )
}
_RUNS, _TRAIN = Column("runs", "runs"), Column("train_s", "train s", "lower")
_PERCENT = {"error_rate", "AP_hidden", "AP_test", "sparsity", "correspondence_error", "within_5"}


@dataclass(frozen=True)
class TaskLine:
    """A method's runs: its label, their ids, and a cell for each column of the table."""

    label: str
    run_ids: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class TaskTable:
    """Runs of one task on one dataset: a line a method."""

    title: str
    columns: tuple[Column, ...]
    lines: tuple[TaskLine, ...]


def task_tables(rows: Sequence[Row]) -> list[TaskTable]:
    """One table for the same data and protocol, one line in it for the same settings of a method.

    Only seeds are gathered; of repeats of a run the newest counts. Settings of task and dataset
    that are not the default stand in the title, those of methods where one label has several.

    Parameters
    ----------
    rows : sequence of Row
        Runs with their dotted config keys; finished ones of other tasks are taken.
    """
    done = [row for row in rows if row["status"] == "done" and not is_xc(row)]
    groups = _grouped(done, _data_and_protocol)
    titles = told_apart([title_of(group[0]) for group in groups], map(_apart, groups), "{}, {}")
    return [_table(title, group) for title, group in zip(titles, groups, strict=True)]


def title_of(row: Row) -> str:
    """``line-500, compressed modes, modes 5``: data, task, and what is not usual."""
    words = (f"{key} {worded(value)}" for key, value in unusual(row).items())
    return ", ".join([str(row["dataset"]), str(row["task"]).replace("_", " "), *words])


def _table(title: str, group: Sequence[Row]) -> TaskTable:
    methods = _grouped(group, lambda row: {"": row["method"], **settings_of(row, "method.")})
    labels = told_apart(
        [str(runs[0]["method"]) for runs in methods],
        (settings_of(runs[0], "method.") for runs in methods),
        "{} ({})",
    )
    metrics = [column for key, column in METRICS.items() if any(_has(row, key) for row in group)]
    columns = (_RUNS, *metrics, _TRAIN)
    lines = (_line(label, runs, columns) for label, runs in zip(labels, methods, strict=True))
    return TaskTable(title, columns, tuple(lines))


def _line(label: str, runs: Sequence[Row], columns: Sequence[Column]) -> TaskLine:
    newest: dict[Any, Row] = {}
    for run in sorted(runs, key=lambda run: str(run.get("utc", ""))):
        newest[run["seed"]] = run
    kept = [newest[seed] for seed in sorted(newest)]
    cells = (_cell(kept, column.key) for column in columns)
    return TaskLine(label, tuple(str(run["run_id"]) for run in kept), tuple(cells))


def _data_and_protocol(row: Row) -> dict[str, Any]:
    return {"": row["dataset"], **_apart([row])}


def _apart(group: Sequence[Row]) -> dict[str, Any]:
    """What tells a table from another of the same title."""
    row = group[0]
    data = str(row.get("data_sha256", ""))[:8]
    return settings_of(row, "task.", "dataset.") | {"data": data}


def _grouped(rows: Iterable[Row], told: Any) -> list[list[Row]]:
    """Rows of equal settings together, in the order of their first."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        settings: Mapping[str, Any] = told(row)
        groups.setdefault(repr(sorted(settings.items())), []).append(row)
    return list(groups.values())


def _has(row: Row, name: str) -> bool:
    return row.get(name) not in (None, "")


def _cell(runs: Sequence[Row], name: str) -> Cell:
    """The mean of the runs, with the reach of its 95 % interval where there are several."""
    if name == _RUNS.key:
        return Cell(str(len(runs)), len(runs))
    values = [float(run[name]) for run in runs if _has(run, name)]
    if not values:
        return Cell("")
    mean, reach = mean_interval(values)
    if reach is None or name in ("iterations", "ms_per_iteration", "train_s", "recovered"):
        return Cell(_number(mean, name), mean)
    return Cell(f"{_number(mean, name)} ± {_number(reach, name)}", mean)


def _number(value: float, name: str) -> str:
    return f"{value:.2f}" if name in _PERCENT else f"{value:.4g}"

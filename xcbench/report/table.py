"""The table a run ends with, and the list of what did not end well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from xcbench.report.rows import Row, is_xc
from xcbench.report.task_table import TaskTable, task_tables

MEASURES = ("P", "nDCG", "PSP")
_WIDE = 100_000
_STYLES = {"failed": "red", "interrupted": "yellow"}


def print_results(rows: Sequence[Row], console: Console) -> None:
    """Print rows of the result table: one table a dataset and split, then what has no result.

    Runs of other tasks than extreme classification are gathered over their seeds.

    Parameters
    ----------
    rows : sequence of mapping
        Keyed by the columns of ``results.csv``, and dotted keys of the config.
    """
    if not console.is_terminal:
        console = Console(file=console.file, width=160)
    tables: dict[str, list[Row]] = {}
    for row in rows:
        if row["status"] == "done" and is_xc(row):
            tables.setdefault(f"{row['dataset']}, split {row['split']}", []).append(row)
    for title, group in tables.items():
        console.print(_table(title, group), "")
    for table in task_tables(rows):
        console.print(_task_table(table), "")
    for row in rows:
        if row["status"] != "done":
            line = f"{row['status']}: {row['dataset']}, {row['method']}: {row['error']}"
            console.print(literal(line, _STYLES[row["status"]]), soft_wrap=True)


def literal(value: object, style: str = "") -> Text:
    """A value as it is: brackets are no markup, and no control character reaches a terminal."""
    text = "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}"
        for c in str(value)
    )
    return Text(text, style)


def uncut(console: Console) -> Console:
    """The console, but one of a pipe so wide that rich cuts no column: a pipe has no width."""
    return console if console.is_terminal else Console(file=console.file, width=_WIDE)


def _task_table(of: TaskTable) -> Table:
    table = _empty(of.title)
    table.add_column("method", overflow="fold", min_width=12)
    for column in of.columns:
        table.add_column(column.heading, justify="right", no_wrap=True)
    for line in of.lines:
        table.add_row(literal(line.label), *(cell.text for cell in line.cells))
    return table


def _empty(title: str) -> Table:
    return Table(
        title=literal(title, "table.title"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
    )


def _table(title: str, rows: list[Row]) -> Table:
    # 80 characters hold it; on a narrower terminal, or with long labels, the labels are folded.
    table = _empty(title)
    table.padding = (0, 0)
    table.add_column("method", overflow="fold", min_width=12)
    seeds = len({row.get("seed") for row in rows}) > 1
    if seeds:
        table.add_column("seed", justify="right", no_wrap=True)
    metrics = metrics_of(rows)
    for name in metrics:
        table.add_column(name.replace("@", "\n@"), justify="right", no_wrap=True)
    for name in ("train\ns", "predict\nms/row", "model\nMB"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            literal(row["method"]),
            *([str(row["seed"])] if seeds else []),
            *(_number(row.get(name), 1, 2) for name in metrics),
            _number(row.get("train_s"), 1, 2),
            _number(row.get("predict_ms_per_point"), 1, 3),
            _number(row.get("model_bytes"), 1e6, 2),
        )
    return table


def metrics_of(rows: Iterable[Row]) -> list[str]:
    """The metrics the rows have, measure by measure and k by k; nDCG@1 repeats P@1."""
    found = {key for row in rows for key in row if _is_shown(key)}
    found.discard("nDCG@1")

    def order(key: str) -> tuple[int, int]:
        measure, _, k = key.partition("@")
        return MEASURES.index(measure), int(k)

    return sorted(found, key=order)


def _is_shown(key: str) -> bool:
    measure, _, k = key.partition("@")
    return measure in MEASURES and k.isdecimal()


def _number(value: Any, unit: float, digits: int) -> str:
    """Fewer decimals for large numbers, so that columns stay narrow; nothing for nothing."""
    if value in (None, ""):
        return ""
    number = float(value) / unit
    if number >= 100:
        digits = 1 if number < 1000 else 0
    return f"{number:.{digits}f}"

"""Rows of the result table as text: a plain table, CSV, JSON or markdown."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from xcbench.report.rows import Row
from xcbench.report.table import literal, uncut

_MARKDOWN = re.compile(r"([\\|`*\[\]])")


def print_listing(rows: Sequence[Row], columns: Sequence[str], console: Console) -> None:
    """Print one line a row and nothing grouped; numbers shortened."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for column in columns:
        table.add_column(
            literal(column),
            justify="right" if _is_numeric(rows, column) else "left",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(literal(shortened(row.get(column))) for column in columns))
    uncut(console).print(table)


def as_csv(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """CSV with a header; nothing shortened."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """A JSON list with an object for each row; nothing shortened, null for what a row lacks."""
    objects = [{column: row.get(column) for column in columns} for row in rows]
    return json.dumps(objects, indent=1) + "\n"


def as_markdown(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """A markdown table; numbers shortened, and no text in it is taken for markup."""
    dashes = ["---:" if _is_numeric(rows, column) else "---" for column in columns]
    lines = [[escaped(column) for column in columns], dashes]
    lines += [[escaped(shortened(row.get(column))) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def data_clashes(rows: Sequence[Row]) -> list[str]:
    """A line for each label, seed and split with finished runs on different data: which is which.

    In a table they look alike, though the data was changed or read otherwise in between.
    """
    alike: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row["status"] == "done":
            key = tuple(str(row[name]) for name in ("dataset", "split", "method", "seed", "task"))
            alike.setdefault(key, []).append(row)
    return [
        f"{dataset}, split {split}: {len(runs)} rows of {method}, seed {seed}, differ in their "
        f"data; in the order above: {', '.join(map(_run_and_data, runs))}"
        for (dataset, split, method, seed, _), runs in alike.items()
        if len({run["data_sha256"] for run in runs}) > 1
    ]


def _run_and_data(row: Row) -> str:
    return f"{row['run_id']} (data {row['data_sha256'][:8]}, {row['utc'][:19]})"


def shortened(value: Any) -> str:
    """A value for a reader: fractions to 2 decimals, small ones to 3 digits; "" for nothing."""
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"
    return "" if value is None else str(value)


def _is_numeric(rows: Sequence[Row], column: str) -> bool:
    values = [row.get(column) for row in rows]
    return all(value in (None, "") or isinstance(value, (int, float)) for value in values)


def escaped(text: str) -> str:
    """Text for a markdown cell: nothing in it is taken for markup."""
    return html.escape(_MARKDOWN.sub(r"\\\1", literal(text).plain), quote=False)

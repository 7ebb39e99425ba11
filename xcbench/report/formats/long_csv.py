"""A table as CSV in long form: a line for each number."""

from __future__ import annotations

import csv
import io

from xcbench.report.document import Table

COLUMNS = (
    "dataset", "method", "group", "metric", "value", "spread", "runs", "origin", "source",
    "standing", "block",
)  # fmt: skip
_RUNS = "runs"


def as_csv(table: Table) -> str:
    """Every cell of the table with its source, its dataset, and the title of its block."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for block in table.blocks:
        for line in block.lines:
            runs = line.cells.get(_RUNS)
            for column in table.columns:
                cell = line.cells.get(column.key)
                if cell is None or column.key == _RUNS:
                    continue
                writer.writerow(
                    (
                        _quoted(block.dataset_of(line)),
                        _quoted(line.label),
                        line.group,
                        column.key,
                        _quoted(cell.text) if cell.value is None else _digits(cell.value),
                        "" if cell.spread is None else _digits(cell.spread),
                        "" if runs is None or runs.value is None else f"{runs.value:.0f}",
                        line.origin,
                        _quoted(cell.source or line.source),
                        cell.standing,
                        _quoted(block.title),
                    )
                )
    return text.getvalue()


def _digits(value: float) -> str:
    """A number to six decimals, without the zeros at its end."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _quoted(text: str) -> str:
    """A spreadsheet takes a text that begins like this for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text

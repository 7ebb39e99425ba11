"""A table for a terminal: as many columns side by side as it has room for."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from xcbench.report.document import Block, Cell, Standing, Table
from xcbench.report.formats.common import columns_in, footnotes, grid
from xcbench.report.table import literal

_WIDE = 100_000  # A pipe has no width of its own, and rich would cut the columns.
_GAP = 3  # between two columns, as box.SIMPLE_HEAD draws them
_MARKS: dict[Standing, str] = {"best": "*", "tied": "~", "above": "↑", "": ""}
_LEGEND = "* best, ~ tied with it, ↑ published and above it"


def print_table(table: Table, console: Console) -> None:
    """Print it; on a narrow terminal the columns of a block come in several parts."""
    width = console.width if console.is_terminal else _WIDE
    if not console.is_terminal:
        console = Console(file=console.file, width=_WIDE)
    console.print(literal(table.title, "bold"))
    console.print("")
    for block in table.blocks:
        for part in _parts(table, block, width):
            console.print(part)
            console.print("")
        for note in footnotes(block):
            console.print(literal(f"  {note}"), soft_wrap=True)
        console.print("")
    marks = any(cell.standing for b in table.blocks for x in b.lines for cell in x.cells.values())
    for note in [*([_LEGEND] if marks else []), *table.notes]:
        console.print(literal(note), soft_wrap=True)


def as_text(table: Table) -> str:
    """The same without a terminal."""
    text = io.StringIO()
    print_table(table, Console(file=text, width=_WIDE))
    return text.getvalue()


def _parts(table: Table, block: Block, width: int) -> Iterator[Grid]:
    """The block's columns, in as few grids as fit the width; each begins with the labels."""
    headings, rows = grid(table, block, _marked)
    widths = [
        max(cell_len(text) for text in (heading, *(row[at] for row in rows))) + _GAP
        for at, heading in enumerate(headings)
    ]
    bold = {
        (at, heading)
        for at, line in enumerate(block.lines)
        for heading, column in enumerate(columns_in(table, block), start=1)
        if line.cells.get(column.key, Cell("")).standing == "best"
    }
    at = 1
    while at < len(headings):
        end, used = at + 1, widths[0] + widths[at]
        while end < len(headings) and used + widths[end] <= width:
            used += widths[end]
            end += 1
        yield _grid(block.title if at == 1 else "", headings, rows, [0, *range(at, end)], bold)
        at = end


def _grid(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    bold: set[tuple[int, int]],
) -> Grid:
    shown = Grid(
        title=literal(title, "table.title") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
    )
    for column in columns:
        is_text = column in (0, len(headings) - 1)
        shown.add_column(
            literal(headings[column]),
            justify="left" if is_text else "right",
            overflow="fold",
            no_wrap=not is_text,
        )
    for number, row in enumerate(rows):
        shown.add_row(*(_text(row[at], (number, at) in bold) for at in columns))
    return shown


def _text(text: str, is_best: bool) -> Text:
    return literal(text, "bold" if is_best else "")


def _marked(cell: Cell) -> str:
    """A cell and its mark; where another could stand there is a blank, so that digits align."""
    return f"{cell.text}{_MARKS[cell.standing] or ' '}" if cell.value is not None else cell.text

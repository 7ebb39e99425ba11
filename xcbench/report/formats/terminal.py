"""A table for a terminal: as many columns side by side as it has room for."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from xcbench.report.document import EMPTY, Block, Cell, Table
from xcbench.report.formats.common import LEGEND, MARKS, columns_in, footnotes, grid, has_marks
from xcbench.report.table import literal, uncut

_GAP = 3  # between two columns, as box.SIMPLE_HEAD draws them
_BEST = "*"


def print_table(table: Table, console: Console) -> None:
    """Print it; on a narrow terminal the columns of a block come in several parts."""
    console = uncut(console)
    console.print(literal(table.title, "bold"))
    console.print("")
    for block in table.blocks:
        for part in _parts(table, block, console.width):
            console.print(part)
            console.print("")
        for note in footnotes(block):
            console.print(literal(f"  {note}"), soft_wrap=True)
        console.print("")
    for note in [*([_BEST + LEGEND] if has_marks(table) else []), *table.notes]:
        console.print(literal(note), soft_wrap=True)


def as_text(table: Table) -> str:
    """The same without a terminal."""
    text = io.StringIO()
    print_table(table, Console(file=text, force_terminal=False))
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
        if line.cells.get(column.key, EMPTY).standing == "best"
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
    if cell.value is None:
        return cell.text
    mark = _BEST if cell.standing == "best" else MARKS[cell.standing]
    return f"{cell.text}{mark or ' '}"

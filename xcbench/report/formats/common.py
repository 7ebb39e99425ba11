"""What all formats do alike: which columns a block has, and its sources as numbered notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xcbench.report.document import Block, Cell, Column, Line, Table

EMPTY = Cell("")
_WHOSE = {
    "ours": "measured (ours)",
    "paper": "measured (paper)",
    "peer": "measured (peer)",
    "baseline": "measured (baseline)",
    "data": "counted",
}
SOURCE = "source"


def columns_in(table: Table, block: Block) -> list[Column]:
    """The table's columns that the block has anything in."""
    used = {key for line in block.lines for key, cell in line.cells.items() if cell.text}
    return [column for column in table.columns if column.key in used]


def published_sources(block: Block) -> list[str]:
    """The block's publications, in the order in which its lines cite them from 1 on."""
    return list(dict.fromkeys(line.source for line in block.lines if line.origin == "published"))


def origin(line: Line, sources: Sequence[str]) -> str:
    """What a line's last column says: "measured (peer)", or "published [2]"."""
    if line.origin == "measured":
        return _WHOSE[line.group]
    return f"published [{sources.index(line.source) + 1}]"


def grid(
    table: Table, block: Block, shown: Callable[[Cell], str]
) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a block as texts: the label, the cells, where the line is from."""
    columns, sources = columns_in(table, block), published_sources(block)
    headings = ["", *(column.heading for column in columns), SOURCE]
    rows = [
        [
            line.label,
            *(shown(line.cells.get(column.key, EMPTY)) for column in columns),
            origin(line, sources),
        ]
        for line in block.lines
    ]
    return headings, rows


def footnotes(block: Block) -> list[str]:
    """The block's publications and notes, a line each."""
    cited = [f"[{at}] {source}" for at, source in enumerate(published_sources(block), start=1)]
    return [*cited, *block.notes]

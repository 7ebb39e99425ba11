"""What all formats do alike: which columns a block has, and its sources as numbered notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xcbench.report.document import EMPTY, GROUPS, Block, Cell, Column, Line, Standing, Table

SOURCE = "source"
# Signs after a number; the best has a look of its own in each format, and LEGEND comes after it.
MARKS: dict[Standing, str] = {"best": "", "tied": "~", "above": "↑", "": ""}
LEGEND = ": best; ~: tied with it; ↑: published and above it."


def has_marks(table: Table) -> bool:
    """Whether any number of the table has a standing, so that the signs need a legend."""
    return any(cell.standing for b in table.blocks for x in b.lines for cell in x.cells.values())


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
        tag = GROUPS[line.group].tag
        return tag if line.group == "data" else f"measured ({tag})"
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

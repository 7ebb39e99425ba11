"""A table as markdown."""

from __future__ import annotations

from collections.abc import Iterator

from xcbench.report.document import Block, Cell, Table
from xcbench.report.formats.common import LEGEND, MARKS, footnotes, grid, has_marks
from xcbench.report.listing import escaped


def as_markdown(table: Table) -> str:
    """Headings, a table for each block, and notes; no text in it is taken for markup."""
    parts = [f"# {escaped(table.title)}"]
    for block in table.blocks:
        parts += [f"## {escaped(block.title)}"] if block.title else []
        parts.append("\n".join(_lines(table, block)))
        notes = [f"- {escaped(note)}" for note in footnotes(block)]
        parts += ["\n".join(notes)] if notes else []
    legend = [f"**bold**{LEGEND}"] if has_marks(table) else []
    notes = [*legend, *(escaped(note) for note in table.notes)]
    return "\n\n".join([*parts, *notes]) + "\n"


def _lines(table: Table, block: Block) -> Iterator[str]:
    headings, rows = grid(table, block, _marked)
    yield f"| {' | '.join(escaped(heading) for heading in headings)} |"
    dashes = ["---", *(["---:"] * (len(headings) - 2)), "---"]
    yield f"| {' | '.join(dashes)} |"
    for label, *values, source in rows:
        yield f"| {' | '.join([escaped(label), *values, escaped(source)])} |"


def _marked(cell: Cell) -> str:
    text = escaped(cell.text)
    if cell.standing == "best":
        return f"**{text}**"
    # GitHub takes a pair of tildes for strike-through.
    mark = MARKS[cell.standing].replace("~", r"\~")
    return f"{text} {mark}" if mark else text

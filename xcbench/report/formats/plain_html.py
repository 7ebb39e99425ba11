"""A table as a fragment of HTML, without style: for a page of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from xcbench.report.document import EMPTY, Block, Cell, Line, Table
from xcbench.report.formats.common import (
    LEGEND,
    MARKS,
    columns_in,
    footnotes,
    has_marks,
    origin,
    published_sources,
)


def as_html(table: Table) -> str:
    """A section with a table for each block; the source of each number is its title."""
    parts = [f'<section class="xcbench-table" id="table{escape(table.name)}">']
    parts.append(f"<h2>{escape(table.title)}</h2>")
    for block in table.blocks:
        parts += _block(table, block)
    parts += [f"<p><strong>bold</strong>{LEGEND}</p>"] if has_marks(table) else []
    parts += [f"<p>{escape(note)}</p>" for note in table.notes]
    return "\n".join([*parts, "</section>", ""])


def _block(table: Table, block: Block) -> Iterator[str]:
    columns, sources = columns_in(table, block), published_sources(block)
    yield "<table>"
    if block.title:
        yield f"<caption>{escape(block.title)}</caption>"
    headings = "".join(f'<th scope="col">{escape(column.heading)}</th>' for column in columns)
    yield f'<thead><tr><th></th>{headings}<th scope="col">source</th></tr></thead>'
    yield "<tbody>"
    for line in block.lines:
        found = "".join(_cell(line.cells.get(column.key, EMPTY), line) for column in columns)
        yield (
            f'<tr class="{line.group}"><th scope="row">{escape(line.label)}</th>{found}'
            f"<td>{escape(origin(line, sources))}</td></tr>"
        )
    yield "</tbody>"
    yield "</table>"
    if notes := footnotes(block):
        yield "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>"


def _cell(cell: Cell, line: Line) -> str:
    text = escape(cell.text)
    shown = f"<strong>{text}</strong>" if cell.standing == "best" else text
    source = escape(cell.source or line.source)
    title = f' title="{source}"' if text else ""
    mark = f" {MARKS[cell.standing]}" if MARKS[cell.standing] else ""
    return f"<td{title}>{shown}{mark}</td>"

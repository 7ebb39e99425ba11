"""A table as HTML: what JavaScript makes sortable and filterable, and is readable without."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from xcbench.report.document import GROUPS, Block, Cell, Column, Group, Line, Standing, Table
from xcbench.report.html.markup import Markup, anchor, element, hidden, joined
from xcbench.report.html.sources import Sources
from xcbench.report.task_table import TaskLine, TaskTable

_SIGNS: dict[Standing, tuple[str, str]] = {
    "best": ("★", "best"),
    "tied": ("~", "tied with the best"),
    "above": ("↑", "published, above the best measured"),
}
_SPREAD = " ± "
_BETTER = {"higher": ("↑", "higher is better"), "lower": ("↓", "lower is better")}


def table_markup(table: Table, sources: Sources, name: str, tools: bool = True) -> Markup:
    """A table and its notes, without a heading.

    Parameters
    ----------
    table : Table
    sources : Sources
        Gets the sources of the numbers.
    name : str
        The id of the table; its caption has ``<name>-caption``.
    tools : bool
        Whether rows can be searched and left out by group, and the signs are explained.
    """
    lines = [line for block in table.blocks for line in block.lines]
    wide = {key for line in lines for key, cell in line.cells.items() if _SPREAD in cell.text}
    first = "Dataset" if any(line.group == "data" for line in lines) else "Method"
    bodies = [_body(block, table.columns, sources, wide) for block in table.blocks]
    scroller = _scroller(table.title, name, first, table.columns, bodies)
    notes = [element("p", note, class_="note") for note in table.notes]
    above = [_legend(lines), _tools(lines, name)] if tools else []
    return joined([*above, scroller, *notes])


def task_table_markup(table: TaskTable, sources: Sources, name: str) -> Markup:
    """A table of another task; each number is a link to the runs it is the mean of."""
    wide = {
        column.key
        for line in table.lines
        for column, cell in zip(table.columns, line.cells, strict=True)
        if _SPREAD in cell.text
    }
    rows = (_task_row(line, table.columns, sources, wide) for line in table.lines)
    body = element("tbody", *rows, data_title="")
    return joined([_search(name), _scroller(table.title, name, "Method", table.columns, [body])])


def _task_row(
    line: TaskLine, columns: Sequence[Column], sources: Sources, wide: Collection[str]
) -> Markup:
    label = element("th", element("span", line.label, class_="label"), scope="row")
    source = ", ".join(line.run_ids)
    cells = (
        _cell(cell, source, sources, column.key in wide)
        for column, cell in zip(columns, line.cells, strict=True)
    )
    return element("tr", label, *cells, data_group="task")


def _scroller(
    title: str, name: str, first: str, columns: Sequence[Column], bodies: Iterable[Markup]
) -> Markup:
    """The table itself; whoever has no pointer scrolls it with the keys."""
    head = element(
        "tr",
        element("th", element("span", first, class_="name"), scope="col"),
        *map(_heading, columns),
    )
    return element(
        "div",
        element(
            "table",
            element("caption", title, class_="vh", id=f"{name}-caption"),
            element("thead", head),
            *bodies,
            id=name,
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_labelledby=f"{name}-caption",
    )


def of_dataset(table: Table, dataset: str) -> Table | None:
    """The part of a table that is about a dataset, or None when there is none."""
    blocks = []
    for block in table.blocks:
        lines = tuple(line for line in block.lines if block.dataset_of(line) == dataset)
        if lines:
            blocks.append(replace(block, lines=lines))
    return replace(table, blocks=tuple(blocks), notes=()) if blocks else None


def _tools(lines: list[Line], name: str) -> Markup:
    counts: Counter[Group] = Counter(line.group for line in lines)
    boxes = [
        element(
            "label",
            element("input", type="checkbox", value=group, checked=True),
            f" {name.tag} ({counts[group]})",
        )
        for group, name in GROUPS.items()
        if group in counts
    ]
    chosen = element("fieldset", element("legend", "Rows"), *boxes) if len(boxes) > 1 else ""
    return _search(name, chosen)


def _search(name: str, chosen: object = "") -> Markup:
    """What finds lines of a table by their words."""
    search = element("input", type="search", autocomplete="off", spellcheck="false")
    return element(
        "div",
        chosen,
        element("label", "Find ", search),
        element("output", role="status"),
        class_="tools",
        data_table=name,
        hidden=True,
    )


def _heading(column: Column) -> Markup:
    sign, words = _BETTER.get(column.better, ("", ""))
    mark = element("span", sign, class_="sign", aria_hidden="true") if sign else ""
    return element(
        "th", element("span", column.heading, class_="name"), mark,
        hidden(f", {words}") if words else "", scope="col", data_better=column.better or None,
    )  # fmt: skip


def _body(
    block: Block, columns: tuple[Column, ...], sources: Sources, wide: Collection[str]
) -> Markup:
    width = len(columns) + 1
    title = element("th", element("span", block.title), scope="rowgroup", colspan=width)
    notes = joined((element("span", note) for note in block.notes), element("br"))
    return element(
        "tbody",
        element("tr", title, class_="title") if block.title else "",
        *(_row(line, columns, sources, wide) for line in block.lines),
        element("tr", element("td", notes, colspan=width), class_="notes") if notes else "",
        data_title=block.title,
    )


def _row(
    line: Line, columns: tuple[Column, ...], sources: Sources, wide: Collection[str]
) -> Markup:
    tag = element("span", GROUPS[line.group].tag, class_="tag")
    label = element("th", element("span", line.label, class_="label"), " ", tag, scope="row")
    cells = (
        _cell(line.cells.get(column.key), line.source, sources, column.key in wide)
        for column in columns
    )
    return element("tr", label, *cells, data_group=line.group)


def _cell(cell: Cell | None, source: str, sources: Sources, is_wide: bool) -> Markup:
    """A number and its marks; in a wide column with room for a spread, so that digits line up."""
    if cell is None or not cell.text:
        return element("td", "–", class_="none")
    sign, words = _SIGNS.get(cell.standing, ("", ""))
    number, _, spread = cell.text.partition(_SPREAD)
    shown = joined([number, hidden(f" {words}") if words else ""])
    return element(
        "td",
        sources.link(cell.source or source, shown),
        element("span", f" ±{spread}" if spread else "", class_="spread") if is_wide else "",
        element("span", sign, class_="sign", aria_hidden="true") if sign else "",
        class_=cell.standing or None,
        data_value=None if cell.value is None or math.isnan(cell.value) else repr(cell.value),
    )


def _legend(lines: list[Line]) -> Markup:
    """How to see where a number comes from, and what the tags and signs of these lines mean."""
    groups = {line.group for line in lines}
    standings = {cell.standing for line in lines for cell in line.cells.values()}
    tags = (
        element("li", element("span", n.tag, class_="tag"), f" {n.meaning}", data_group=group)
        for group, n in GROUPS.items()
        if group in groups
    )
    signs = (
        element("li", f"{sign} {words}")
        for key, (sign, words) in _SIGNS.items()
        if key in standings
    )
    press = element("p", "Press a number to see where it comes from.", class_="note")
    return joined([press, element("ul", *tags, *signs, class_="legend")])


def dataset_anchor(dataset: str) -> str:
    """The id of a dataset's section."""
    return anchor(f"dataset-{dataset}")

"""What a table of the report is before it has a format: lines of cells, each with its source.

Builders (table1, table2, table3) make these; renderers (terminal, markdown, LaTeX, CSV, HTML) read
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

# Whose row it is: methods of this project, of the papers it reproduces (run here), peers and plain
# baselines (run here), what was counted in a dataset's files, and numbers read in a publication.
Group = Literal["ours", "paper", "peer", "baseline", "published", "data"]


class GroupName(NamedTuple):
    """How a group is called: on a row, several of it in a sentence, and what that means."""

    tag: str
    many: str
    meaning: str


# In the order of their rows.
GROUPS: Mapping[Group, GroupName] = {
    "ours": GroupName("ours", "ours", "this project's methods"),
    "paper": GroupName("paper", "the papers'", "methods of the papers it reproduces, run here"),
    "peer": GroupName("peer", "peers", "other libraries, run here"),
    "baseline": GroupName("baseline", "baselines", "plain baselines, run here"),
    "published": GroupName("published", "published", "read in a publication"),
    "data": GroupName("counted", "counted", "in the dataset's files"),
}

# "best" of its column in its block; "tied" with the best, from which it cannot be told; "above" the
# best measured number, for a published one.
Standing = Literal["best", "tied", "above", ""]


@dataclass(frozen=True)
class Cell:
    """One number of a table, or a text.

    Attributes
    ----------
    text : str
        As shown, without marks.
    value : float or None
        What it is sorted by; None for a text or where there is nothing.
    spread : float or None
        Sample standard deviation over the runs behind it, None for a single one.
    standing : Standing
    source : str
        Where it comes from: run ids of a measured number, the publication of another; "" when the
        line's own source says it.
    """

    text: str
    value: float | None = None
    spread: float | None = None
    standing: Standing = ""
    source: str = ""


EMPTY = Cell("")


@dataclass(frozen=True)
class Column:
    """A column: its key in the cells of a line, its heading, and which numbers are better."""

    key: str
    heading: str
    better: Literal["higher", "lower", ""] = ""


@dataclass(frozen=True)
class Line:
    """One row: a method (or a dataset), whose it is, where its numbers come from, and the cells.

    ``dataset`` is the data it is about where its block holds lines of several.
    """

    label: str
    group: Group
    source: str
    cells: Mapping[str, Cell]
    dataset: str = ""

    @property
    def origin(self) -> Literal["measured", "published"]:
        return "published" if self.group == "published" else "measured"


@dataclass(frozen=True)
class Block:
    """The lines that are compared with each other, usually those of a dataset.

    ``dataset`` is the name of that data; "" where the lines say it.
    """

    title: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    dataset: str = ""

    def dataset_of(self, line: Line) -> str:
        """The data that one of the lines is about."""
        return line.dataset or self.dataset


@dataclass(frozen=True)
class Table:
    """A table: ``name`` as in ``xcbench table NAME``, columns shared by all its blocks."""

    name: str
    title: str
    columns: tuple[Column, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()

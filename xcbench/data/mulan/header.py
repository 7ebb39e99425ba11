"""The head of an ARFF file: its attributes, and how a cell of each is read.

Keywords are read in upper or lower case; ``%`` begins a line of comment. Names and nominal values
may be quoted with ``'`` or ``"``, and then a backslash takes the character after it as it is, but
for ``\\n``, ``\\r`` and ``\\t``, as Weka writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from xcbench.data.texts.lines import TextLines

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s{{'\"][^\s{{]*(?=[\s{{]))\s*(\S.*)", re.IGNORECASE
)
_CELL = re.compile(rf"\s*({_QUOTED}|[^,]*?)\s*(,|$)")
_ENTRY = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^\s,'\"]+)\s*(?:,|$)")
_ESCAPED = re.compile(r"\\(.)")
_BREAKS = {"n": "\n", "r": "\r", "t": "\t"}
_NUMERIC = ("numeric", "real", "integer")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+#$&*/:;<=>?@!^|~-]+")

# Of files that xcbench writes: what their attribute names are made up or changed by.
UNNAMED = "% xcbench: made-up names of"
PREFIX = "% xcbench: label prefix"


@dataclass(frozen=True)
class Attribute:
    """A column of an ARFF file.

    Attributes
    ----------
    name : str
    kind : str
        ``number`` (also of a nominal attribute whose values are 0 and 1), or ``category``.
    values : tuple of str
        Of a nominal attribute, in the order of the file.
    """

    name: str
    kind: Literal["number", "category"]
    values: tuple[str, ...] = ()

    @property
    def default(self) -> float:
        """What a sparse row leaves out: of a nominal attribute the first value (Weka)."""
        return float(self.values[0]) if self.values and self.kind == "number" else 0.0


@dataclass
class Header:
    """What stands above the rows.

    Attributes
    ----------
    attributes : list of Attribute
    unnamed : set of str
        ``features`` and ``labels`` if their names are made up.
    prefix : str
        What was put before the names of labels.
    """

    attributes: list[Attribute] = field(default_factory=list)
    unnamed: set[str] = field(default_factory=set)
    prefix: str = ""


def read_header(lines: TextLines) -> Header:
    """Read up to the line ``@data``.

    Raises
    ------
    DataError
        With the line: no ARFF, an attribute of another type, or one twice.
    """
    header, lines_of = Header(), dict[str, int]()
    for line in lines:
        text = line.strip()
        if not text or text.startswith("%"):
            _read_note(header, text)
            continue
        keyword = text.split(None, 1)[0].lower()
        if keyword == "@data":
            return header
        if keyword == "@attribute":
            attribute = _attribute(lines, text)
            if attribute.name in lines_of:
                raise lines.fail(
                    f"the attribute {attribute.name!r} is there twice (first in line "
                    f"{lines_of[attribute.name]})"
                )
            lines_of[attribute.name] = lines.number
            header.attributes.append(attribute)
        elif keyword != "@relation":
            raise lines.fail(f"found {text[:40]!r}; expected @relation, @attribute or @data")
    raise lines.fail("the file ends without @data; expected an ARFF file")


def _read_note(header: Header, comment: str) -> None:
    if comment.startswith(UNNAMED):
        header.unnamed.update(comment.removeprefix(UNNAMED).split())
    elif comment.startswith(PREFIX):
        header.prefix = unquoted(comment.removeprefix(PREFIX).strip())


def _attribute(lines: TextLines, text: str) -> Attribute:
    found = _ATTRIBUTE.fullmatch(text)
    if found is None:
        raise lines.fail(f"found {text[:60]!r}; expected '@attribute NAME TYPE'")
    name, kind = unquoted(found[1]), found[2].strip()
    if kind.lower() in _NUMERIC:
        return Attribute(name, "number")
    if kind.startswith("{") and kind.endswith("}"):
        values = tuple(split_cells(kind[1:-1]))
        if len(set(values)) < len(values) or "" in values:
            raise lines.fail(f"attribute {name!r}: expected distinct values, found {kind[:60]}")
        return Attribute(name, "number" if {*values} <= {"0", "1"} else "category", values)
    raise lines.fail(
        f"attribute {name!r} is of type {kind[:40]!r}; expected numeric, real, integer or {{...}}"
        + ("; make features of texts first" if kind.lower() == "string" else "")
    )


def split_cells(text: str) -> Iterator[str]:
    """The cells between commas, without quotes and the spaces around them."""
    at = 0
    while True:
        cell = _CELL.match(text, at)
        if cell is None:  # text after a quote: the cell is as it stands
            end = text.find(",", at) % (len(text) + 1)
            yield text[at:end].strip()
            comma, at = text[end : end + 1], end + 1
        else:
            yield unquoted(cell[1])
            comma, at = cell[2], cell.end()
        if not comma:
            return


def split_entries(body: str) -> list[tuple[str, str]] | None:
    """The indices and values of a sparse row, without its braces; None if it is no such row."""
    if "'" not in body and '"' not in body:
        entries = [entry.split() for entry in body.split(",")] if body.strip() else []
        return [(a, b) for a, b in entries] if all(len(e) == 2 for e in entries) else None
    found, at = [], 0
    while at < len(body):
        entry = _ENTRY.match(body, at)
        if entry is None:
            return None
        found.append((entry[1], unquoted(entry[2])))
        at = entry.end()
    return found


def unquoted(text: str) -> str:
    """A name or value as it is meant."""
    if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]:
        return _ESCAPED.sub(lambda found: _BREAKS.get(found[1], found[1]), text[1:-1])
    return text


def quoted(name: str) -> str:
    """A name as it is written."""
    if _PLAIN_NAME.fullmatch(name) and not name.startswith("@"):
        return name
    escaped = re.sub(r"([\\'\"%])", r"\\\1", name)
    for letter, mark in _BREAKS.items():
        escaped = escaped.replace(mark, f"\\{letter}")
    return f"'{escaped}'"

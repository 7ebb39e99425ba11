"""Records with text and labels: CSV, TSV, JSON lines, or plain text of one document a line.

All are UTF-8 (a byte order mark is no part of them), plain or gzipped, and read row by row.

- CSV: a header, then rows of as many cells; cells may be quoted and then hold line breaks. Cells
  are separated by a comma, semicolon or tab: the one under which the header has the columns asked
  for. Blank lines are no rows.
- TSV: the same with tabs.
- JSON lines: an object a line, blank lines are no rows.
- Plain text: every line is a document, blank ones too.

NUL bytes, and lines longer than 32 MiB, are errors: a damaged file must not fill the memory.
"""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from xcbench.data.texts.lines import TextLines
from xcbench.errors import ConfigError, DataError

RecordForm = Literal["csv", "tsv", "jsonl", "txt"]
TEXT_COLUMN, LABELS_COLUMN = "text", "labels"

_SUFFIXES: dict[str, RecordForm] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "txt",
}
_DELIMITERS = (",", ";", "\t")
_SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
_LONGEST_CELL = 1 << 27
_MOST_SHOWN = 40  # characters of a user's text that a message quotes
_MOST_NAMES = 20

JSON_ARRAY = "found a JSON array; expected JSON lines, one object a line"


@dataclass(frozen=True)
class Record:
    """What one row has in the columns asked for, and the line it ends in.

    Attributes
    ----------
    line : int
        Counted from 1.
    values : tuple
        Of CSV and TSV: the cells. Of JSON lines: what JSON has there.
    """

    line: int
    values: tuple[Any, ...]


def form_by_name(path: Path) -> RecordForm | None:
    """The form a file's name tells, without a final .gz; None if it tells none.

    Raises
    ------
    DataError
        It is that of a spreadsheet.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if suffixes and suffixes[-1] in _SPREADSHEETS:
        raise DataError(f"{path}: is a spreadsheet ({suffixes[-1]}); save it as CSV")
    return _SUFFIXES.get(suffixes[-1]) if suffixes else None


def read_texts(
    path: Path,
    text_column: str | None = None,
    form: RecordForm | None = None,
    delimiter: str | None = None,
) -> Iterator[str]:
    """The texts of a file, one after the other, in constant memory.

    Parameters
    ----------
    path : Path
        ``-`` is the standard input.
    text_column : str, optional
        The column, or JSON key, that holds the text; ``text`` by default. Not of plain text.
    form : str, optional
        By default what the file's name tells. Where it tells none, or is that of plain text and a
        column is given: JSON lines if the first byte is ``{``, else CSV if a column is given, else
        plain text.
    delimiter : str, optional
        What separates the cells of CSV; by default the header tells.

    Raises
    ------
    DataError
        With file and line, once a text is asked for: what the form does not allow, a column that is
        not there, a text that is no text.
    """
    lines = TextLines(path)
    form = form or _form_of(lines, text_column)
    if form == "txt":
        if text_column is not None:
            raise ConfigError(f"{path} is plain text, a document a line; it has no columns")
        yield from (line.rstrip("\r\n") for line in lines)
        return
    column = text_column or TEXT_COLUMN
    for record in _records(lines, (column,), form, delimiter):
        yield text_of(lines, record, column)


def read_records(
    path: Path, columns: Sequence[str], form: RecordForm, delimiter: str | None = None
) -> Iterator[Record]:
    """The values of some columns, row by row, in constant memory (see ``read_texts``).

    Raises
    ------
    DataError
        With file and line, once a row is asked for.
    """
    return _records(TextLines(path), columns, form, delimiter)


def text_of(source: object, record: Record, column: str, at: int = 0) -> str:
    """The text of a record.

    Raises
    ------
    DataError
        It is no string, or no UTF-8 text.
    """
    text = record.values[at]
    if not isinstance(text, str) or "\0" in text:
        raise DataError(
            f"{source}, line {record.line}: {column} is {shown(text)}; expected a string without "
            "NUL"
        )
    return text


def shown(value: Any) -> str:
    """A JSON value as a message quotes it."""
    return _cut(json.dumps(value))


def quoted(text: str) -> str:
    """A name out of a file as a message quotes it."""
    return repr(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


def _form_of(lines: TextLines, text_column: str | None) -> RecordForm:
    form = form_by_name(lines.path)
    if form is None or (form == "txt" and text_column is not None):
        if lines.peek().startswith("{"):
            return "jsonl"
        return "txt" if text_column is None else "csv"
    return form


def _records(
    lines: TextLines, columns: Sequence[str], form: RecordForm, delimiter: str | None
) -> Iterator[Record]:
    if form not in get_args(RecordForm) or form == "txt":
        raise ValueError(f"{form} has no columns")
    if form == "jsonl":
        return _json_records(lines, columns)
    return _csv_records(lines, columns, "\t" if form == "tsv" else delimiter)


def _json_records(lines: TextLines, columns: Sequence[str]) -> Iterator[Record]:
    n_records = 0
    for line in lines:
        if not line.strip():
            continue
        if not n_records and line.lstrip().startswith("["):
            raise lines.fail(JSON_ARRAY)
        try:
            fields = json.loads(line, parse_constant=_refuse_constant, object_pairs_hook=_distinct)
            # A lone surrogate is JSON, and no text that could be written again.
            if "\\u" in line:
                json.dumps(fields, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", None) or str(error)
            raise lines.fail(f"no JSON ({reason}); expected an object a line") from None
        if not isinstance(fields, dict):
            raise lines.fail(f"found {shown(fields)}; expected an object {{...}} a line")
        for column in columns:
            if column not in fields:
                raise lines.fail(_lacks("key", column, list(fields)))
        yield Record(lines.number, tuple(fields[column] for column in columns))
        n_records += 1


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; JSON leaves open what a key means that is there twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} is there twice")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"found {name}")


def _csv_records(
    lines: TextLines, columns: Sequence[str], delimiter: str | None
) -> Iterator[Record]:
    csv.field_size_limit(_LONGEST_CELL)
    if not lines.peek():
        raise DataError(f"{lines}: the file is empty; expected a header and rows")
    first, places, width = 1, None, 0
    try:
        delimiter = delimiter or _delimiter_of(lines.peek(), columns)
        # Quotes after a space are part of the cell, unless the header has them so.
        spaced = re.search(f'{re.escape(delimiter)} +"', lines.peek()) is not None
        reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=spaced)
        for cells in reader:
            if not cells:
                continue
            if places is None:
                header = [cell.strip() for cell in cells]
                places, width = _places(lines, header, columns), len(header)
            elif len(cells) != width:
                raise lines.fail(
                    f"found {_count(len(cells), 'cell')}; expected {width} as in the header"
                )
            else:
                yield Record(lines.number, tuple(cells[place] for place in places))
            first = lines.number + 1
    except csv.Error as error:
        begun = f" in the row that begins in line {first}" if first < lines.number else ""
        raise lines.fail(f"no CSV ({error}){begun}") from None


def _delimiter_of(header: str, columns: Sequence[str]) -> str:
    """The delimiter under which the first line has the columns, else the most cells."""
    cells = {
        mark: {
            cell.strip()
            for cell in next(csv.reader([header], delimiter=mark, skipinitialspace=True), [])
        }
        for mark in _DELIMITERS
    }
    whole = (mark for mark in _DELIMITERS if cells[mark].issuperset(columns))
    return next(whole, max(_DELIMITERS, key=lambda mark: len(cells[mark])))


def _places(lines: TextLines, header: list[str], columns: Sequence[str]) -> list[int]:
    for column in columns:
        if column not in header:
            raise lines.fail(_lacks("column", column, header))
        if header.count(column) > 1:
            raise lines.fail(f"the column {quoted(column)} is in the header twice; rename one")
    return [header.index(column) for column in columns]


def _lacks(what: str, wanted: str, found: list[str]) -> str:
    close = difflib.get_close_matches(wanted.lower(), [name.lower() for name in found], n=1)
    near = next((name for name in found if close and name.lower() == close[0]), None)
    hint = f"; did you mean {quoted(near)}?" if near else ""
    names = ", ".join(map(quoted, found[:_MOST_NAMES]))
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return f"no {what} {quoted(wanted)}{hint} (found {names or 'none'}{more})"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"

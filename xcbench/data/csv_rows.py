"""CSV files with a header, row by row, each with its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from xcbench.errors import DataError

# A row's cells, without the spaces around them, and the line its text ends in.
CsvRow = tuple[int, list[str]]


def read_csv_rows(path: Path) -> Iterator[CsvRow]:
    """The header and then the rows of a UTF-8 file; blank lines and a byte order mark are no part.

    Raises
    ------
    DataError
        With file and line, once a row is asked for: the file cannot be read, is empty, not UTF-8
        or no CSV, or the row is not as long as the header.
    """
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    width = 0
    try:
        for fields in reader:
            cells = [cell.strip() for cell in fields]
            if cells in ([], [""]):
                continue
            width = width or len(cells)
            if len(cells) != width:
                raise DataError(
                    f"{path}:{reader.line_num}: found {len(cells)} cells; expected {width} as in "
                    "the header"
                )
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataError(f"{path}:{reader.line_num}: no CSV ({error})") from None
    if not width:
        raise DataError(f"{path}: the file is empty; expected a header and rows")


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}:{line}: found bytes that are not UTF-8 text") from None

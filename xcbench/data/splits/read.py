"""Split files: which rows of a data file form the training or test part.

One line a point, one column a split, spaces or tabs between; values are row numbers counted from 1.
Every line has the columns of the first, and nothing but numbers: also a split that is not asked for
shows that a file is damaged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from xcbench.data.byte_lines import BrokenStream, place_after, whole_lines
from xcbench.data.defects import shown, shown_number
from xcbench.errors import DataError


def read_split(path: str | os.PathLike[str], column: int, n: int) -> np.ndarray:
    """The rows of one split.

    Parameters
    ----------
    path : path
        Plain or gzipped.
    column : int
        The split, counted from 1 as the papers do.
    n : int
        Rows of the data file.

    Returns
    -------
    ndarray of int32
        Row numbers counted from 0, in the order of the file.

    Raises
    ------
    DataError
        The file is missing or malformed, has no such column, or names a row twice.
    """
    path = Path(path)
    rows: list[int] = []
    line_of = np.zeros(n, np.int32)
    n_columns = 0
    try:
        for number, line in enumerate(_lines(path), start=1):
            place = f"{path}, line {number}"
            words = _words(line, place, n)
            if len(words) < column:
                raise DataError(
                    f"{place}: found {len(words)} columns; "
                    f"expected column {column} for split {column}"
                )
            n_columns = n_columns or len(words)
            if len(words) != n_columns:
                raise DataError(
                    f"{place}: found {len(words)} columns; expected {n_columns} as in line 1"
                )
            row = _row(words[column - 1], place, n)
            if line_of[row]:
                raise DataError(
                    f"{place}: row {row + 1} is in split {column} twice "
                    f"(first in line {line_of[row]}); expected each row once"
                )
            line_of[row] = number
            rows.append(row)
    except BrokenStream as broken:
        raise DataError(f"{path}, {place_after(len(rows))}: {broken}") from None
    if not rows:
        raise DataError(f"{path}: the file is empty; expected one line of row numbers a point")
    return np.array(rows, np.int32)


def _lines(path: Path) -> Iterator[bytes]:
    for block in whole_lines(path):
        for line in block.tobytes()[:-1].split(b"\n"):
            yield line.removesuffix(b"\r")


def _words(line: bytes, place: str, n: int) -> list[bytes]:
    line = line.strip(b" \t")
    words = re.split(rb"[ \t]+", line) if line else []
    for word in words:
        if not word.isdigit():
            raise DataError(f"{place}: found {shown(word)}; expected a row number of 1 to {n}")
    return words


def _row(word: bytes, place: str, n: int) -> int:
    digits = word.lstrip(b"0")
    if not digits or len(digits) > len(str(n)) or int(digits) > n:
        raise DataError(f"{place}: row {shown_number(word)} is out of range; expected 1 to {n}")
    return int(digits) - 1

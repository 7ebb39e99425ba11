"""Split files: which rows of a data file form the training or test part.

One line a point, one column a split; values are row numbers counted from 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from xcbench.data.byte_lines import BrokenStream, whole_lines
from xcbench.data.defects import shown
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
    number = 0
    try:
        for number, line in enumerate(_lines(path), start=1):
            row = _row(line, column, n, f"{path}, line {number}")
            if line_of[row]:
                raise DataError(
                    f"{path}, line {number}: row {row + 1} is in split {column} twice "
                    f"(first in line {line_of[row]}); expected each row once"
                )
            line_of[row] = number
            rows.append(row)
    except BrokenStream as broken:
        raise DataError(f"{path}, line {number + 1}: {broken}") from None
    if not rows:
        raise DataError(f"{path}: the file is empty; expected one line of row numbers a point")
    return np.array(rows, np.int32)


def _lines(path: Path) -> Iterator[bytes]:
    for block in whole_lines(path):
        yield from block.tobytes()[:-1].split(b"\n")


def _row(line: bytes, column: int, n: int, place: str) -> int:
    words = line.split()
    if not 1 <= column <= len(words):
        raise DataError(
            f"{place}: found {len(words)} columns; expected column {column} for split {column}"
        )
    word = words[column - 1]
    if not word.isdigit():
        raise DataError(f"{place}: found {shown(word)}; expected a row number of 1 to {n}")
    if not 1 <= int(word) <= n:
        raise DataError(f"{place}: row {int(word)} is out of range; expected 1 to {n}")
    return int(word) - 1

"""Tables of classified points, as the UCI sets come: CSV, a header, the class last, `?` missing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np

from xcbench.config.problems import suggestion
from xcbench.data.csv_rows import CsvRow, read_csv_rows
from xcbench.errors import DataError

MISSING = "?"
# Squares of larger numbers, and products of them, overflow in distances and covariances.
LARGEST = 1e30


@dataclass(frozen=True)
class ClassTable:
    """Points with one class each.

    A column of numbers stays one feature, NaN where a cell is missing; one of words becomes a
    feature for each word (one-hot), all 0 where the cell is missing.

    Attributes
    ----------
    X : float64, shape (n, d)
    y : int64, shape (n,)
        Number of the class in ``classes``.
    features : tuple of str
        "petalwidth" of a number, "leaves=norm" of a word.
    classes : tuple of str
        In the order of the alphabet.
    """

    X: np.ndarray
    y: np.ndarray
    features: tuple[str, ...]
    classes: tuple[str, ...]


def find_class_table(name: str, data_root: Path) -> Path:
    """The file ``<data_root>/<name>.csv``.

    Raises
    ------
    DataError
        It is not there, or the name leaves the data folder.
    """
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise DataError(f"dataset name {name!r} leaves the data folder")
    path = data_root / f"{name}.csv"
    if not path.is_file():
        known = (f"{each.parent.name}/{each.stem}" for each in sorted(data_root.glob("*/*.csv")))
        hint = suggestion(name, known)
        raise DataError(f"dataset {name!r} is not in place: no file {path}{hint}")
    return path


def read_class_table(path: Path) -> ClassTable:
    """Read a table.

    Raises
    ------
    DataError
        The file cannot be read or is no such table; the text names file, line, what was found and
        what was expected. A column of both numbers and words is refused, as a slip of the pen
        would make one.
    """
    header, rows = _cells(path)
    *names, _ = header
    columns: list[np.ndarray] = []
    features: list[str] = []
    for number, name in enumerate(names):
        values, titles = _column(path, name, [(line, cells[number]) for line, cells in rows])
        columns.append(values)
        features += titles
    labels = [_class_of(path, line, cells[-1]) for line, cells in rows]
    classes, y = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        raise DataError(f"{path}: found the class {labels[0]!r} alone; expected at least two")
    X = np.ascontiguousarray(np.concatenate(columns, axis=1))
    return ClassTable(X, y.astype(np.int64), tuple(features), tuple(map(str, classes)))


def _cells(path: Path) -> tuple[list[str], list[CsvRow]]:
    """The header, and the rows with the line of each."""
    (line, header), *rows = read_csv_rows(path)
    _check_header(path, line, header)
    if not rows:
        raise DataError(f"{path}: found a header alone; expected rows below it")
    return header, rows


def _check_header(path: Path, line: int, header: list[str]) -> None:
    if len(header) < 2:
        raise DataError(f"{path}:{line}: found one column; expected features, and the class last")
    for number, name in enumerate(header):
        if not name:
            raise DataError(f"{path}:{line}: column {number + 1} has no name")
        if name in header[:number]:
            raise DataError(f"{path}:{line}: found the column {name!r} twice")


def _column(
    path: Path, name: str, cells: Sequence[tuple[int, str]]
) -> tuple[np.ndarray, list[str]]:
    """The features (n, width) of a column and their titles."""
    numbers = np.full(len(cells), np.nan)
    words: list[str] = []
    first_word: tuple[int, str] | None = None
    for at, (line, cell) in enumerate(cells):
        if not cell:
            raise DataError(f"{path}:{line}: {name} is empty; expected a value, or ? for none")
        words.append(cell)
        if cell == MISSING:
            continue
        value = _number(cell)
        if value is None:
            first_word = first_word or (line, cell)
        elif not abs(value) <= LARGEST:
            raise DataError(
                f"{path}:{line}: {name}: found {cell!r}; expected a finite number of at most "
                f"{LARGEST:g} in size"
            )
        else:
            numbers[at] = value
    if first_word is None:
        return numbers[:, None], [name]
    if not np.isnan(numbers).all():
        line, cell = first_word
        raise DataError(f"{path}:{line}: {name}: found {cell!r} in a column that has numbers too")
    known = sorted(set(words) - {MISSING})
    one_hot = np.array(words)[:, None] == np.array(known)
    return one_hot.astype(np.float64), [f"{name}={word}" for word in known]


def _number(cell: str) -> float | None:
    """The number a cell holds; None for a word, as 1_000 is."""
    if "_" not in cell:
        with suppress(ValueError):
            return float(cell)
    return None


def _class_of(path: Path, line: int, cell: str) -> str:
    if cell in ("", MISSING):
        raise DataError(f"{path}:{line}: the class is missing; it is the last of the columns")
    return cell

"""Reads the table of predictions: tabs between its columns, a line a predicted label."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xcbench.data.byte_lines import open_bytes, whole_lines
from xcbench.data.defects import shown
from xcbench.data.predictions.lines import WHOLE, lines, number
from xcbench.data.predictions.ranked_lists import RankedLists
from xcbench.errors import DataError

_TABLE = ("row", "rank", "label", "score")
_LINES_AT_ONCE = 1 << 20
_TAB, _NEWLINE, _MINUS, _ZERO, _NINE = b"\t\n-09"


def table_name(name: str) -> str:
    """A name as the table has it: what would start a column or a line is a space."""
    return name.replace("\t", " ").replace("\r", " ")


def other_name(label: int, said: str, known: str) -> str:
    """The defect of a file that calls a label otherwise than its names do."""
    name = f"its name is {known!r}, so the labels may be numbered otherwise"
    return f"label {label} is called {said!r}; {name}: lists of names alone are matched by names"


def read_table(path: Path, names: Sequence[str] | None) -> RankedLists:
    """Read a table; where it has a column of names too, they are held against ``names``."""
    header = next(lines(path))[1].split(b"\t")
    if tuple(header[:4]) != tuple(name.encode() for name in _TABLE):
        raise DataError(f"{path}, line 1: expected the columns {' '.join(_TABLE)}, tabs between")
    if len(set(header)) < len(header):
        raise DataError(f"{path}, line 1: a column occurs twice")
    if not _fields_are_sound(path, len(header)):
        raise _defect(path, "its fields differ in number")
    with_names = names is not None and b"name" in header
    try:
        with open_bytes(path) as stream:
            chunks = list(_chunks(stream, with_names))
    except (ValueError, EOFError, OSError, OverflowError, zlib.error) as error:
        raise _defect(path, str(error)) from None
    row, rank, label, score = (
        np.concatenate([chunk[name].to_numpy() for chunk in chunks]) for name in _TABLE
    )
    if row.size == 0:
        raise DataError(f"{path}: no prediction in it, only a header")
    found = RankedLists(
        path, row, label, score, int(row.max()) + 1,
        place=lambda entry, _: f"line {entry + 2}", open_ended=True,
    )  # fmt: skip
    _check(found, rank)
    if with_names and names is not None:
        _compare_names(found, np.concatenate([chunk["name"] for chunk in chunks]), names)
    return found.checked()


def _fields_are_sound(path: Path, width: int) -> bool:
    """Whether each line has ``width`` fields and the first three only digits.

    pandas takes 1.0 for a whole number and leaves out what a line has too much.
    """
    is_first = True
    for block in whole_lines(path):
        ends, tabs = np.flatnonzero(block == _NEWLINE), np.flatnonzero(block == _TAB)
        if (np.diff(np.searchsorted(tabs, ends), prepend=0) != width - 1).any():
            return False
        foreign = (block < _ZERO) | (block > _NINE)
        foreign &= (block != _TAB) & (block != _MINUS)
        before = np.append(0, np.cumsum(foreign))
        starts = np.append(0, ends[:-1] + 1)[is_first:]
        third = tabs[2 :: width - 1][is_first:]
        if (before[third] != before[starts]).any():
            return False
        is_first = False
    return True


def _chunks(stream: Any, with_names: bool) -> Iterator[pd.DataFrame]:
    dtypes: dict[str, Any] = dict.fromkeys(_TABLE, np.int64) | {"score": object}
    if with_names:
        dtypes["name"] = object
    # A name has no tab in it, so nothing is quoted, and a quote is a letter like others.
    parts = pd.read_csv(
        stream, sep="\t", usecols=list(dtypes), dtype=dtypes, quoting=3, na_filter=False,
        skip_blank_lines=False, chunksize=_LINES_AT_ONCE, encoding_errors="replace",
    )  # fmt: skip
    for part in parts:
        # The decimals of pandas may be off by their last bit, by which scores are told apart.
        texts = part["score"].tolist()
        if any("_" in text for text in texts):
            raise ValueError("a score has a _ in it")
        scores = list(map(float, texts))
        yield part.assign(score=np.array(scores, np.float64))


def _defect(path: Path, reason: str) -> DataError:
    """Where a table cannot be read: its lines looked at one by one."""
    for line_number, line in lines(path):
        fields = line.split(b"\t")
        place = f"{path}, line {line_number}"
        if line_number == 1:
            width = len(fields)
            continue
        if len(fields) != width:
            return DataError(f"{place}: found {len(fields)} fields; expected {width} as in line 1")
        for name, field in zip(_TABLE[:3], fields, strict=False):
            if WHOLE.fullmatch(field.removeprefix(b"-")) is None:
                return DataError(f"{place}: {name} {shown(field)} is not a whole number")
        if number(fields[3]) is None:
            return DataError(f"{place}: score {shown(fields[3])} is not a number")
    return DataError(f"{path}: cannot be read ({reason})")


def _check(found: RankedLists, rank: np.ndarray) -> None:
    negative = np.flatnonzero((found.rows < 0) | (found.labels < 0))
    if negative.size:
        raise found.fail(int(negative[0]), "a row or a label is negative; both count from 0")
    back = np.flatnonzero(np.diff(found.rows) < 0)
    if back.size:
        entry = int(back[0]) + 1
        raise found.fail(entry, f"row {found.rows[entry]} comes after {found.rows[entry - 1]}")
    starts = np.searchsorted(found.rows, found.rows)
    expected = np.arange(rank.size) - starts + 1
    wrong = np.flatnonzero(rank != expected)
    if wrong.size:
        entry = int(wrong[0])
        raise found.fail(entry, f"found rank {rank[entry]}; expected {expected[entry]}")


def _compare_names(found: RankedLists, said: np.ndarray, names: Sequence[str]) -> None:
    known = np.array([table_name(name) for name in names], object)
    listed = np.flatnonzero(found.labels < known.size)  # of others their range says what is wrong
    wrong = listed[said[listed] != known[found.labels[listed]]]
    if wrong.size:
        entry = int(wrong[0])
        label = found.labels[entry]
        raise found.fail(entry, other_name(label, said[entry], known[label]))

"""Reads the forms of prediction files that ``prediction_files`` lists, each told by its start."""

from __future__ import annotations

import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xcbench.data.byte_lines import BrokenStream, open_bytes, place_after, whole_lines
from xcbench.data.defects import shown
from xcbench.data.matrix import INT32_MAX
from xcbench.data.npz import read_npz
from xcbench.data.predictions.ranked_lists import ListCollector, RankedLists, ScoreMatrix
from xcbench.data.sparse_text import read_sparse_text
from xcbench.errors import DataError

_TABLE = ("row", "rank", "label", "score")
_LINES_AT_ONCE = 1 << 20
_BEYOND_FLOAT = 1 << 1000
_WHOLE = re.compile(rb"\d{1,18}")


def read_arrays(path: Path) -> RankedLists | ScoreMatrix:
    """Read the arrays of a run, or a sparse matrix of scores."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not {"labels", "scores"} <= set(archive.files):
                return ScoreMatrix(path, read_npz(path))
            labels, scores = archive["labels"], archive["scores"]
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path}: neither predictions nor a sparse matrix in .npz form ({error})"
        ) from None
    if labels.ndim != 2 or labels.dtype.kind not in "iu" or scores.dtype.kind != "f":
        raise DataError(f"{path}: expected labels (n, k) of integers and scores of decimals")
    if labels.shape != scores.shape:
        raise DataError(f"{path}: labels {labels.shape} and scores {scores.shape} differ in shape")
    rows, columns = np.nonzero(labels >= 0)
    found = RankedLists(
        path, rows, labels[rows, columns].astype(np.int64), scores[rows, columns].astype("f4"),
        len(labels), place=lambda entry, row: f"row {row}",
    )  # fmt: skip
    return found.checked()


def read_text(path: Path, names: Sequence[str] | None) -> RankedLists | ScoreMatrix:
    """Read any of the text forms; ``names`` as in ``read_predictions``."""
    try:
        start = next(whole_lines(path), np.zeros(0, np.uint8)).tobytes()
        if start.startswith(b"row\t"):
            return _read_table(path)
        if start.startswith(b"{"):
            return _read_json_lines(path, names)
        if _has_header(start):
            return _read_matrix(path)
        return _read_names(path, names) if names is not None else _read_lists(path)
    except BrokenStream as broken:
        raise DataError(f"{path}: {broken}") from None


def _has_header(start: bytes) -> bool:
    """Whether a text is a matrix: two counts, and below them entries with a colon, or none.

    Two labels a line would look the same but for the colons.
    """
    first, _, below = start.partition(b"\n")
    if re.fullmatch(rb" *\d+ +\d+ *\r?", first) is None:
        return False
    line = below.strip().split(b"\n", 1)[0]
    return not line or b":" in line


def _read_matrix(path: Path) -> ScoreMatrix:
    try:
        return ScoreMatrix(path, read_sparse_text(path))
    except DataError as error:
        # The reader calls the columns of any matrix features.
        reason = str(error).removeprefix(str(path)).replace("feature", "label")
        raise DataError(f"{path}{reason}") from None


def _read_table(path: Path) -> RankedLists:
    header = next(_lines(path))[1].split(b"\t")
    if tuple(header[:4]) != tuple(name.encode() for name in _TABLE):
        raise DataError(f"{path}, line 1: expected the columns {' '.join(_TABLE)}, tabs between")
    try:
        with open_bytes(path) as stream:
            chunks = list(_table_chunks(stream))
    except (ValueError, EOFError, OSError, OverflowError, zlib.error) as error:
        raise _table_defect(path, str(error)) from None
    row, rank, label, score = (np.concatenate([chunk[i] for chunk in chunks]) for i in range(4))
    found = RankedLists(
        path, row, label, score, int(row.max(initial=-1)) + 1,
        place=lambda entry, _: f"line {entry + 2}", open_ended=True,
    )  # fmt: skip
    _check_table(found, rank)
    return found.checked()


def _table_chunks(stream: Any) -> Iterator[tuple[np.ndarray, ...]]:
    # A name has no tab in it, so nothing is quoted, and a quote is a letter like others.
    parts = pd.read_csv(
        stream, sep="\t", usecols=list(_TABLE), quoting=3, na_filter=False, skip_blank_lines=False,
        dtype={name: np.float64 if name == "score" else np.int64 for name in _TABLE},
        chunksize=_LINES_AT_ONCE, encoding_errors="replace",
    )  # fmt: skip
    for part in parts:
        yield (
            *(part[name].to_numpy() for name in _TABLE[:3]),
            part["score"].to_numpy().astype(np.float32),
        )


def _table_defect(path: Path, reason: str) -> DataError:
    """Where a table cannot be read: its lines looked at one by one."""
    for number, line in _lines(path):
        fields = line.split(b"\t")
        place = f"{path}, line {number}"
        if number == 1:
            width = len(fields)
            continue
        if len(fields) != width:
            return DataError(f"{place}: found {len(fields)} fields; expected {width} as in line 1")
        for name, field in zip(_TABLE[:3], fields, strict=False):
            if _WHOLE.fullmatch(field) is None:
                return DataError(f"{place}: {name} {shown(field)} is not a whole number")
        if _number(fields[3]) is None:
            return DataError(f"{place}: score {shown(fields[3])} is not a number")
    return DataError(f"{path}: cannot be read ({reason})")


def _check_table(found: RankedLists, rank: np.ndarray) -> None:
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


def _read_json_lines(path: Path, names: Sequence[str] | None) -> RankedLists:
    known = _numbers(path, names) if names is not None else None
    collected = ListCollector()
    for number, line in _lines(path):
        place = f"{path}, line {number}"
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise DataError(f"{place}: not JSON ({reason})") from None
        if not isinstance(entry, dict) or entry.get("row", number - 1) != number - 1:
            raise DataError(f"{place}: expected an object of row {number - 1}")
        labels = _labels_of(entry, known, place)
        collected.add(labels, _scores_of(entry, len(labels), place))
    return collected.lists(path, by_score=False)


def _labels_of(entry: dict[str, Any], known: dict[str, int] | None, place: str) -> list[int]:
    if known is not None and "labels" not in entry:
        return [_number_of(name, known, place) for name in _list(entry, "names", place)]
    labels = _list(entry, "labels", place)
    if not all(type(label) is int and 0 <= label < INT32_MAX for label in labels):
        raise DataError(f"{place}: expected labels as a list of numbers from 0")
    return labels


def _scores_of(entry: dict[str, Any], n_labels: int, place: str) -> list[float] | None:
    if "scores" not in entry:
        return None
    scores = _list(entry, "scores", place)
    if len(scores) != n_labels or not all(_is_score(score) for score in scores):
        raise DataError(f"{place}: expected a number in scores for each label")
    return scores


def _is_score(value: Any) -> bool:
    # JSON has whole numbers of any length, true is none of them.
    return type(value) is float or (type(value) is int and abs(value) < _BEYOND_FLOAT)


def _list(entry: dict[str, Any], key: str, place: str) -> list[Any]:
    if not isinstance(entry.get(key), list):
        raise DataError(f"{place}: expected {key!r} with a list")
    return list(entry[key])


def _read_names(path: Path, names: Sequence[str]) -> RankedLists:
    known = _numbers(path, names)
    collected = ListCollector()
    for number, line in _lines(path):
        try:
            fields = line.decode("utf-8").split("\t") if line else []
        except UnicodeDecodeError:
            raise DataError(f"{path}, line {number}: not UTF-8") from None
        place = f"{path}, line {number}"
        collected.add([_number_of(field, known, place) for field in fields], None)
    return collected.lists(path, by_score=False)


def _numbers(path: Path, names: Sequence[str]) -> dict[str, int]:
    """The label of each name; -1 of a name that two labels have."""
    known: dict[str, int] = {}
    for label, name in enumerate(names):
        known[name] = -1 if name in known else label
    return known


def _number_of(name: Any, known: dict[str, int], place: str) -> int:
    label = known.get(name) if isinstance(name, str) else None
    if label is None:
        raise DataError(f"{place}: no label has the name {name!r}")
    if label < 0:
        raise DataError(f"{place}: several labels have the name {name!r}; give their numbers")
    return label


def _read_lists(path: Path) -> RankedLists:
    collected = ListCollector()
    scored: bool | None = None
    for number, line in _lines(path):
        tokens = re.split(rb"[ \t,]+", line.strip(b" \t"))
        tokens = tokens if tokens != [b""] else []
        if tokens and scored is None:
            scored = b":" in tokens[0]
        labels, scores = [], []
        for token in tokens:
            label, colon, score = token.partition(b":")
            value = _number(score) if colon else 0.0
            if bool(colon) != scored or _WHOLE.fullmatch(label) is None or value is None:
                expected = "'label:score'" if scored else "a label"
                raise DataError(f"{path}, line {number}: found {shown(token)}; expected {expected}")
            labels.append(int(label))
            scores.append(value)
        collected.add(labels, scores if scored else None)
    return collected.lists(path, by_score=bool(scored))


def _number(text: bytes) -> float | None:
    try:
        value = float(text) if b"_" not in text else None
    except ValueError:
        return None
    return None if value is None or math.isnan(value) else value


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines without their ends, and their numbers from 1."""
    number = 0
    try:
        for block in whole_lines(path):
            for line in block.tobytes()[:-1].split(b"\n"):
                number += 1
                yield number, line.removesuffix(b"\r")
    except BrokenStream as broken:
        raise DataError(f"{path}, {place_after(number)}: {broken}") from None

"""Reads the forms of prediction files that ``files`` lists, each told by its start."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.data.byte_lines import BrokenStream, whole_lines
from xcbench.data.defects import shown
from xcbench.data.matrix import INT32_MAX, csr
from xcbench.data.npz import read_npz, why_not_loaded
from xcbench.data.predictions.lines import WHOLE, lines, number
from xcbench.data.predictions.ranked_lists import ListCollector, RankedLists, ScoreMatrix
from xcbench.data.predictions.table import other_name, read_table
from xcbench.data.sparse_text import read_sparse_text
from xcbench.errors import DataError

_BEYOND_FLOAT = 1 << 1000


def read_arrays(path: Path) -> RankedLists | ScoreMatrix:
    """Read the arrays of a run, or a sparse matrix of scores."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not {"labels", "scores"} <= set(archive.files):
                return ScoreMatrix(path, read_npz(path, np.float64))
            labels, scores = archive["labels"], archive["scores"]
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path}: neither predictions nor a sparse matrix in .npz form "
            f"({why_not_loaded(error)})"
        ) from None
    if labels.ndim != 2 or labels.dtype.kind not in "iu" or scores.dtype.kind != "f":
        raise DataError(f"{path}: expected labels (n, k) of integers and scores of decimals")
    if labels.shape != scores.shape:
        raise DataError(f"{path}: labels {labels.shape} and scores {scores.shape} differ in shape")
    rows, columns = np.nonzero(labels >= 0)
    found = RankedLists(
        path, rows, labels[rows, columns].astype(np.int64), scores[rows, columns].astype("f8"),
        len(labels), place=lambda entry, row: f"row {row}",
    )  # fmt: skip
    return found.checked()


def read_text(
    path: Path, names: Sequence[str] | None, lists_of_names: bool = True
) -> RankedLists | ScoreMatrix:
    """Read any of the text forms; the parameters as in ``read_predictions``."""
    try:
        start = next(whole_lines(path), np.zeros(0, np.uint8)).tobytes()
        if start.startswith(b"row\t"):
            return read_table(path, names)
        if start.startswith(b"{"):
            return _read_json_lines(path, names)
        if _has_header(start):
            return _read_matrix(path)
        if names is not None and (lists_of_names or _starts_with_names(start, names)):
            return _read_names(path, names)
        return _read_lists(path)
    except BrokenStream as broken:
        raise DataError(f"{path}: {broken}") from None


def _has_header(start: bytes) -> bool:
    """Whether a text is a matrix: two counts, and below them entries with a colon.

    Two labels a line would look the same but for the colons. Where all rows below are empty, the
    first count must be theirs.
    """
    first, _, below = start.partition(b"\n")
    if re.fullmatch(rb" *\d+ +\d+ *\r?", first) is None:
        return False
    if entries := below.strip():
        return b":" in entries.split(b"\n", 1)[0]
    return below != b"" and below.count(b"\n") == int(first.split()[0])


def _starts_with_names(start: bytes, names: Sequence[str]) -> bool:
    """Whether the first labels of a list are all names and no numbers."""
    line = next((line for line in start.split(b"\n") if line.strip()), b"").removesuffix(b"\r")
    if re.fullmatch(rb"[\d\s,]+", line):
        return False
    return set(line.decode("utf-8", "replace").split("\t")) <= set(names)


def _read_matrix(path: Path) -> ScoreMatrix:
    try:
        rounded = read_sparse_text(path)
    except DataError as error:
        # The reader calls the columns of any matrix features.
        reason = str(error).removeprefix(str(path)).replace("feature", "label")
        raise DataError(f"{path}{reason}") from None
    return ScoreMatrix(path, _unrounded(path, rounded))


def _unrounded(path: Path, rounded: sparse.csr_array) -> sparse.csr_array:
    """A matrix that was read as float32 with its values as float64, which may tell equals apart."""
    blocks = [np.zeros(0)]
    is_first = True
    for block in whole_lines(path):
        text = block.tobytes()
        if is_first:
            text, is_first = text.partition(b"\n")[2], False
        if text := text.strip():
            blocks.append(np.fromstring(text.replace(b":", b" "), sep=" "))
    numbers = np.concatenate(blocks)
    labels, values = numbers[::2], numbers[1::2]
    if not np.array_equal(labels, rounded.indices):
        rows = np.repeat(np.arange(rounded.shape[0]), np.diff(rounded.indptr))
        values = values[np.lexsort((labels, rows))]
    return csr(np.ascontiguousarray(values), rounded.indices, rounded.indptr, rounded.shape)


def _read_json_lines(path: Path, names: Sequence[str] | None) -> RankedLists:
    known = _numbers(path, names) if names is not None else None
    collected = ListCollector()
    for line_number, line in lines(path):
        place = f"{path}, line {line_number}"
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise DataError(f"{place}: not JSON ({reason})") from None
        if not isinstance(entry, dict) or entry.get("row", line_number - 1) != line_number - 1:
            raise DataError(f"{place}: expected an object of row {line_number - 1}")
        labels = _labels_of(entry, known, place)
        if names is not None and "names" in entry:
            _compare_names(labels, _list(entry, "names", place), names, place)
        collected.add(labels, _scores_of(entry, len(labels), place))
    return collected.lists(path, by_score=False)


def _labels_of(entry: dict[str, Any], known: dict[str, int] | None, place: str) -> list[int]:
    if known is not None and "labels" not in entry:
        return [_number_of(name, known, place) for name in _list(entry, "names", place)]
    if "names" in entry and "labels" not in entry:
        raise DataError(f"{place}: found names without labels; the names of the labels are needed")
    labels = _list(entry, "labels", place)
    if not all(type(label) is int and 0 <= label < INT32_MAX for label in labels):
        raise DataError(f"{place}: expected labels as a list of numbers from 0")
    return labels


def _compare_names(labels: list[int], said: list[Any], names: Sequence[str], place: str) -> None:
    if len(said) != len(labels):
        raise DataError(f"{place}: found {len(said)} names for {len(labels)} labels")
    for label, name in zip(labels, said, strict=True):
        if label < len(names) and name != names[label]:
            raise DataError(f"{place}: {other_name(label, name, names[label])}")


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
    for line_number, line in lines(path):
        try:
            fields = line.decode("utf-8").split("\t") if line else []
        except UnicodeDecodeError:
            raise DataError(f"{path}, line {line_number}: not UTF-8") from None
        place = f"{path}, line {line_number}"
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
    for line_number, line in lines(path):
        tokens = re.split(rb"[ \t,]+", line.strip(b" \t"))
        tokens = tokens if tokens != [b""] else []
        if tokens and scored is None:
            scored = b":" in tokens[0]
        labels, scores = [], []
        for token in tokens:
            label, colon, score = token.partition(b":")
            value = number(score) if colon else 0.0
            if bool(colon) != scored or WHOLE.fullmatch(label) is None or value is None:
                expected = "'label:score'" if scored else "a label"
                raise DataError(
                    f"{path}, line {line_number}: found {shown(token)}; expected {expected}"
                )
            labels.append(int(label))
            scores.append(value)
        collected.add(labels, scores if scored else None)
    return collected.lists(path, by_score=bool(scored))

"""Slow and obvious readers of the text formats, to hold the fast ones against.

Written from the description of the formats (data/README.md), not from the reader's code: bytes to
a Table, or the first Defect with its line and kind. Everything is in memory, and rows are taken
apart with ``split``.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

LARGEST = 2**31 - 1

_COUNT = re.compile(rb"[0-9]+")
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_PACKED = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"(\xb5/\xfd")


@dataclass
class Defect(Exception):
    """The first thing wrong: its line (0: it has none) and what kind of thing it is."""

    line: int
    kind: str


@dataclass
class Table:
    """What a file holds: of every row its sorted labels and sorted (feature, value) pairs."""

    n_features: int
    n_labels: int
    rows: list[tuple[list[int], list[tuple[int, np.float32]]]] = field(default_factory=list)
    n_merged: int = 0


def whole_number(text: bytes) -> int | None:
    """The number, LARGEST + 1 for anything larger, None for what is no number."""
    if not _COUNT.fullmatch(text):
        return None
    digits = text.lstrip(b"0") or b"0"
    return int(digits) if len(digits) <= 10 else LARGEST + 1


def index(text: bytes) -> int | None:
    """A whole number of at most 18 digits; one of more is in no range."""
    number = whole_number(text)
    return number if number is None or len(text) <= 18 else LARGEST + 1


def lines_of(data: bytes) -> list[bytes]:
    """The lines, without their ends; the last one need not have any."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def unpacked(data: bytes) -> tuple[bytes, bool]:
    """The text, and whether all of it is there; of a damaged gzip as much as can be had."""
    if data.startswith(_PACKED):
        raise Defect(0, "packed")
    if not data.startswith(b"\x1f\x8b"):
        return data, True
    stream, text = gzip.GzipFile(fileobj=io.BytesIO(data)), b""
    try:
        while byte := stream.read(1):
            text += byte
    except (EOFError, gzip.BadGzipFile):
        return text, False
    except zlib.error:
        raise Defect(0, "undecodable") from None
    return text, True


def read(data: bytes, parse: Callable[[bytes], Table]) -> Table:
    """Unpack and parse; of a damaged gzip the defects of its whole lines come first."""
    text, complete = unpacked(data)
    if complete:
        return parse(text)
    whole = text[: text.rfind(b"\n") + 1]
    n_lines = whole.count(b"\n")
    try:
        parse(whole)
    except Defect as defect:
        if defect.line <= n_lines and defect.kind != "empty":
            raise
    raise Defect(n_lines, "broken")


def header(lines: list[bytes], n_counts: int) -> list[int]:
    """The counts of the first line."""
    if not lines:
        raise Defect(0, "empty")
    words = lines[0].split(b" ")
    counts = [whole_number(word) for word in words if word]
    if lines[0].startswith(_MARKS) or None in counts or len(counts) != n_counts:
        raise Defect(1, "header")
    if any(count > LARGEST for count in counts):
        raise Defect(1, "count")
    return counts


def xc(data: bytes) -> Table:
    """One-file XC text: header `n d l`, rows `l1,l2 f:v f:v`."""
    lines = lines_of(data)
    n, d, n_labels = header(lines, 3)
    table = Table(d, n_labels)
    _rows(table, lines, n, labelled=True)
    return table


def split_form(data: bytes) -> Table:
    """Split form: header `n m`, rows `i:v i:v`."""
    lines = lines_of(data)
    n, m = header(lines, 2)
    table = Table(m, 0)
    _rows(table, lines, n, labelled=False)
    return table


def libsvm(data: bytes, base: int) -> Table:
    """Headerless libsvm: as XC rows, counted from base; the largest index sets the widths."""
    lines = lines_of(data)
    if not lines:
        raise Defect(0, "empty")
    if lines[0].startswith(_MARKS):
        raise Defect(1, "header")
    table = Table(LARGEST, LARGEST)
    for number, line in enumerate(lines, start=1):
        if not line:
            raise Defect(number, "blank")
        _row(table, line, number, base, labelled=True)
    table.n_labels = 1 + max((label for labels, _ in table.rows for label in labels), default=-1)
    table.n_features = 1 + max((f for _, features in table.rows for f, _ in features), default=-1)
    return table


def _rows(table: Table, lines: list[bytes], n: int, labelled: bool) -> None:
    for number, line in enumerate(lines[1:], start=2):
        if number - 1 > n:
            raise Defect(number, "extra row")
        _row(table, line, number, 0, labelled)
    if len(lines) - 1 < n:
        raise Defect(len(lines) + 1, "missing row")


def _row(table: Table, line: bytes, number: int, base: int, labelled: bool) -> None:
    words = line.split(b" ")
    labels: list[int] = []
    if labelled and words[0] and not re.match(rb"[0-9]+:", words[0]):
        # Spaces may follow a comma, and only a label list has commas.
        words = re.sub(rb", +", b",", line).split(b" ")
        for word in words.pop(0).split(b","):
            label = index(word)
            if label is None:
                raise Defect(number, "label")
            if not base <= label < table.n_labels + base:
                raise Defect(number, "label range")
            labels.append(label - base)
    features: list[tuple[int, np.float32]] = []
    for word in words:
        if word:
            features.append(_feature(word, number, base, table.n_features))
    if len({feature for feature, _ in features}) < len(features):
        raise Defect(number, "repeated")
    table.n_merged += len(labels) - len(set(labels))
    table.rows.append((sorted(set(labels)), sorted(features)))


def _feature(word: bytes, number: int, base: int, n_features: int) -> tuple[int, np.float32]:
    name, colon, text = word.partition(b":")
    feature = index(name)
    if feature is None or not colon:
        raise Defect(number, "feature")
    if not base <= feature < n_features + base:
        raise Defect(number, "feature range")
    if not _NUMBER.fullmatch(text):
        raise Defect(number, "value")
    with np.errstate(over="ignore"):
        value = np.float32(float(text))
    if not np.isfinite(value):
        raise Defect(number, "value range")
    return feature - base, value


def row_numbers(data: bytes, column: int, n: int) -> list[int]:
    """A split file: row numbers from 1, a column a split; equal columns in every line."""
    lines = lines_of(data)
    if not lines:
        raise Defect(0, "empty")
    rows: list[int] = []
    n_columns = len([word for word in re.split(rb"[ \t]+", lines[0]) if word])
    for number, line in enumerate(lines, start=1):
        words = [word for word in re.split(rb"[ \t]+", line) if word]
        numbers = [whole_number(word) for word in words]
        if None in numbers:
            raise Defect(number, "row number")
        if len(words) != n_columns or len(words) < column:
            raise Defect(number, "columns")
        row = numbers[column - 1]
        if not 1 <= row <= n:
            raise Defect(number, "row range")
        if row - 1 in rows:
            raise Defect(number, "row twice")
        rows.append(row - 1)
    return rows

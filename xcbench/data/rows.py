"""Reads any of the text formats: header, rows, and the matrices they make.

Bytes come in blocks of whole lines and are parsed block by block; besides the matrices
themselves memory is constant. The rows of a file come all at once, or so many at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from scipy import sparse

from xcbench.data.byte_lines import BrokenStream, place_after, whole_lines
from xcbench.data.columns import Column, Scratch
from xcbench.data.defects import Bounds, Defect, describe, shown, shown_number
from xcbench.data.matrix import INT32_MAX, csr, row_pointers
from xcbench.errors import DataError
from xcbench.kernels import parse

_LONGEST_HINTED = 1000  # looking for a pattern in megabytes of digits takes seconds
_COUNT = re.compile(rb"0*([0-9]{1,10})")
_NEWLINE = ord("\n")
_MARKS = {
    b"\xef\xbb\xbf": "a UTF-8 byte order mark",
    b"\xff\xfe": "a UTF-16 byte order mark",
    b"\xfe\xff": "a UTF-16 byte order mark",
}


@dataclass(frozen=True)
class TextFormat:
    """How a file is written.

    Attributes
    ----------
    header : tuple of str
        What the counts of the first line are ("points", ...); empty for a file without header.
    example : str
        A header of that form.
    with_labels : bool
        Whether a row may start with a label list.
    """

    header: tuple[str, ...]
    example: str
    with_labels: bool


@dataclass(frozen=True)
class Rows:
    """What a text file holds: canonical matrices, and the number of repeated labels merged."""

    X: sparse.csr_array
    Y: sparse.csr_array
    n_merged: int


class _Reader:
    """One pass over one file; ``line`` is the 1-based line the next row is on."""

    def __init__(self, path: Path, form: TextFormat, bounds: Bounds) -> None:
        self.path, self.form, self.bounds = path, form, bounds
        self.n_rows: int | None = None
        self.line = 1
        self.n_parsed = 0
        self._scratch = Scratch(0)
        self._begin_matrices()

    def _begin_matrices(self) -> None:
        self.n_merged = 0
        self._features, self._values = Column(np.int32), Column(np.float32)
        self._labels = Column(np.int32)
        self._feature_ends, self._label_ends = Column(np.int64), Column(np.int64)

    def fail(self, reason: str) -> NoReturn:
        raise DataError(f"{self.path}, line {self.line}: {reason}")

    def read(self) -> Rows:
        for _ in self._parsed():
            pass
        return self._matrices()

    def read_blocks(self, rows: int, entries: int) -> Iterator[Rows]:
        """The rows read so far, whenever there are so many of them or of their features."""
        for _ in self._parsed():
            if self._feature_ends.size >= rows or self._features.size >= entries:
                yield self._matrices()
                self._begin_matrices()
        if self._feature_ends.size:
            yield self._matrices()

    def _parsed(self) -> Iterator[None]:
        """Parse the file, and pause after every block of bytes."""
        at_start = True
        try:
            for block in whole_lines(self.path):
                if at_start:
                    block = self._begin(block)
                    at_start = False
                self._parse(block)
                yield
        except BrokenStream as broken:
            raise DataError(f"{self.path}, {place_after(self.line - 1)}: {broken}") from None
        if at_start:
            raise DataError(f"{self.path}: the file is empty; expected {self._expected()}")
        if self.n_rows is not None and self.n_parsed < self.n_rows:
            self.fail(f"the file ends after {self.n_parsed} rows; the header states {self.n_rows}")

    def _expected(self) -> str:
        if not self.form.header:
            return "rows 'l1,l2 index:value ...'"
        return f"a header '{' '.join(self.form.header)}', as in '{self.form.example}'"

    def _begin(self, block: np.ndarray) -> np.ndarray:
        """Look at the first bytes, take the header off if there is one."""
        line = block[: int(np.argmax(block == _NEWLINE))].tobytes()
        for mark, name in _MARKS.items():
            if line.startswith(mark):
                self.fail(f"found {name}; expected plain ASCII, save the file without it")
        if not self.form.header:
            return block
        header = line.removesuffix(b"\r").strip(b" ")
        words = header.split() if re.fullmatch(rb"[0-9 ]+", header) else []
        if len(words) != len(self.form.header):
            self.fail(f"found {shown(header)}; expected {self._expected()}{_header_hint(header)}")
        counts = [_count(word) for word in words]
        for count, word, name in zip(counts, words, self.form.header, strict=True):
            if count > INT32_MAX:
                self.fail(f"found {shown_number(word)} {name}; expected at most {INT32_MAX}")
        self.n_rows = counts[0]
        n_labels = counts[2] if self.form.with_labels else 0
        self.bounds = Bounds(counts[1], n_labels, self.bounds.base)
        self.line = 2
        return block[len(line) + 1 :]

    def _parse(self, block: np.ndarray) -> None:
        if self._scratch.n_bytes < block.size:
            self._scratch = Scratch(block.size)
        scratch, bounds = self._scratch, self.bounds
        parse.parse_rows(
            block,
            INT32_MAX if self.n_rows is None else self.n_rows - self.n_parsed,
            INT32_MAX if bounds.n_features is None else bounds.n_features,
            INT32_MAX if bounds.n_labels is None else bounds.n_labels,
            bounds.base,
            self.form.with_labels,
            bool(self.form.header),
            scratch.features,
            scratch.values,
            scratch.labels,
            scratch.feature_ends,
            scratch.label_ends,
            scratch.patches,
            scratch.result,
        )
        self._convert_patches(block)
        n_rows = int(scratch.result[parse.ROWS])
        if scratch.result[parse.CODE] != parse.OK:
            self.line += n_rows
            self._fail_at(block, int(scratch.result[parse.CODE]), int(scratch.result[parse.START]))
        self._keep(n_rows)

    def _convert_patches(self, block: np.ndarray) -> None:
        """Let Python round the values the kernel was not certain of."""
        scratch = self._scratch
        for row, feature, start, stop in scratch.patches[: scratch.result[parse.PATCHES]].tolist():
            with np.errstate(over="ignore"):
                value = np.float32(float(block[start:stop].tobytes()))
            if np.isinf(value):
                self.line += row
                before = block[:start].tobytes()
                token = max(before.rfind(b" "), before.rfind(b"\n")) + 1
                self._fail_at(block, parse.VALUE_RANGE, token)
            if row == scratch.result[parse.ROWS]:
                continue  # the row turned out malformed, later in it
            first = int(scratch.feature_ends[row - 1]) if row else 0
            in_row = scratch.features[first : scratch.feature_ends[row]]
            scratch.values[first + np.searchsorted(in_row, feature)] = value

    def _fail_at(self, block: np.ndarray, code: int, start: int) -> NoReturn:
        text = block.tobytes()
        row_start = text.rfind(b"\n", 0, start) + 1
        row = text[row_start : text.index(b"\n", start)].removesuffix(b"\r")
        if code == parse.EXTRA_ROW:
            what = "a row" if text[start:].strip() else "an empty line"
            self.fail(f"found {what} after the last of the {self.n_rows} rows the header states")
        index = int(self._scratch.result[parse.INDEX])
        reason = describe(Defect(code, row, start - row_start, index), self.bounds)
        if not self.form.header and re.fullmatch(rb" *\d+ +\d+ +\d+ *", row) and self.line == 1:
            reason += "; the line looks like the header of an XC text (format xc)"
        self.fail(reason)

    def _keep(self, n_rows: int) -> None:
        scratch = self._scratch
        self._feature_ends.extend(scratch.feature_ends[:n_rows] + self._features.size)
        self._label_ends.extend(scratch.label_ends[:n_rows] + self._labels.size)
        n_features = int(scratch.result[parse.FEATURES])
        self._features.extend(scratch.features[:n_features])
        self._values.extend(scratch.values[:n_features])
        self._labels.extend(scratch.labels[: scratch.result[parse.LABELS]])
        self.n_merged += int(scratch.result[parse.MERGED])
        self.line += n_rows
        self.n_parsed += n_rows

    def _matrices(self) -> Rows:
        features, values, labels = (
            column.finish() for column in (self._features, self._values, self._labels)
        )
        n_features, n_labels = self.bounds.n_features, self.bounds.n_labels
        if n_features is None:
            n_features = int(features.max(initial=-1)) + 1
        if n_labels is None:
            n_labels = int(labels.max(initial=-1)) + 1
        n = self._feature_ends.size
        ones = np.ones(labels.size, np.float32)
        return Rows(
            X=csr(values, features, _pointers(self._feature_ends), (n, n_features)),
            Y=csr(ones, labels, _pointers(self._label_ends), (n, n_labels)),
            n_merged=self.n_merged,
        )


def _count(word: bytes) -> int:
    """The number; one beyond every bound for a word of more digits than Python converts."""
    digits = _COUNT.fullmatch(word)
    return int(digits[1]) if digits else INT32_MAX + 1


def _pointers(ends: Column) -> np.ndarray:
    return row_pointers(np.concatenate([np.zeros(1, np.int64), ends.finish()]))


def _header_hint(header: bytes) -> str:
    if len(header) > _LONGEST_HINTED:
        return ""
    if b":" in header or b"," in header:
        return "; a file without header is read with format libsvm and its base (0 or 1)"
    if re.fullmatch(rb"\d+ +\d+", header):
        return "; two counts are the header of a split-form file (features or labels alone)"
    if re.fullmatch(rb"\d+ +\d+ +\d+", header):
        return "; three counts are the header of a one-file XC text"
    return ""


def read_rows(path: Path, form: TextFormat, bounds: Bounds) -> Rows:
    """Read a whole text file.

    Raises
    ------
    DataError
        The first defect, with file, line, what was found and what was expected.
    """
    return _Reader(path, form, bounds).read()


def read_row_blocks(
    path: Path, form: TextFormat, bounds: Bounds, rows: int, entries: int
) -> Iterator[Rows]:
    """Read a text file a piece at a time.

    Parameters
    ----------
    path, form, bounds : see read_rows
    rows, entries : int
        A piece ends with the block of bytes in which it gets so many rows, or features in them.

    Raises
    ------
    DataError
        The first defect, with file, line, what was found and what was expected, in its place.
    """
    return _Reader(path, form, bounds).read_blocks(rows, entries)

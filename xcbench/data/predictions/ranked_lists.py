"""Lists of predicted labels of any length, checked, filtered and cut to their first k."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.data.matrix import INT32_MAX, csr, row_pointers
from xcbench.errors import DataError
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.ranked_rows import best_entries


@dataclass(frozen=True, eq=False)
class RankedLists:
    """The predictions of a file, entry after entry, best first within a row.

    Attributes
    ----------
    path : Path
    rows, labels : ndarray of int64, shape (m,)
        Rows ascend.
    scores : ndarray of float64, shape (m,)
        Not increasing within a row. They are narrowed to float32 once they are ranked.
    n_rows : int
    open_ended : bool
        Whether rows without predictions may follow that the file does not show.
    place : callable
        Where an entry is, for a message: from its number and its row.
    """

    path: Path
    rows: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    n_rows: int
    place: Callable[[int, int], str]
    open_ended: bool = False

    def fail(self, entry: int, reason: str) -> DataError:
        """The error about one entry."""
        return DataError(f"{self.path}, {self.place(entry, int(self.rows[entry]))}: {reason}")

    def checked(self) -> RankedLists:
        """Itself, once nothing is wrong with it: a label is there once in a row, scores fall."""
        unknown = np.flatnonzero(np.isnan(self.scores))
        if unknown.size:
            raise self.fail(int(unknown[0]), "a score is not a number")
        huge = np.flatnonzero(np.maximum(self.rows, self.labels) >= INT32_MAX)
        if huge.size:
            raise self.fail(int(huge[0]), f"a row or a label is out of range; at most {INT32_MAX}")
        falls = np.flatnonzero(
            (self.rows[1:] == self.rows[:-1]) & (self.scores[1:] > self.scores[:-1])
        )
        if falls.size:
            above, below = self.scores[falls[0]], self.scores[falls[0] + 1]
            raise self.fail(
                int(falls[0]) + 1,
                f"score {below:g} comes after {above:g}; expected the best label of a row first",
            )
        self._refuse_repeats()
        return self

    def _refuse_repeats(self) -> None:
        keys = self.rows * (self.labels.max(initial=0) + 1) + self.labels
        if not (np.diff(np.sort(keys)) == 0).any():
            return
        order = np.argsort(keys, kind="stable")
        entry = int(order[1:][np.diff(keys[order]) == 0].min())
        raise self.fail(entry, f"label {self.labels[entry]} occurs twice in row {self.rows[entry]}")

    def of(self, n_rows: int, n_labels: int) -> RankedLists:
        """The same for that many rows and labels, or a DataError that says what does not fit."""
        beyond = np.flatnonzero(self.rows >= n_rows)
        if beyond.size and self.open_ended:
            entry = int(beyond[0])
            raise self.fail(entry, f"found row {self.rows[entry]}; expected rows 0 to {n_rows - 1}")
        if self.n_rows != n_rows and not self.open_ended:
            raise _other_rows(self.path, self.n_rows, n_rows)
        wrong = np.flatnonzero(self.labels >= n_labels)
        if wrong.size:
            entry = int(wrong[0])
            raise self.fail(
                entry,
                f"label {self.labels[entry]} is out of range; expected 0 to {n_labels - 1}",
            )
        return replace(self, n_rows=n_rows)

    def without(self, pairs: sparse.csr_array) -> RankedLists:
        """What is left when the pairs (row, label) are taken out."""
        kept = ~_among(pairs, self.rows, self.labels)
        rows, labels, scores = self.rows[kept], self.labels[kept], self.scores[kept]
        return replace(self, rows=rows, labels=labels, scores=scores)

    def top(self, k: int | None) -> TopK:
        """The first k of every row, in no more columns than the longest needs."""
        sizes = np.bincount(self.rows, minlength=self.n_rows)
        k = _columns(sizes, k)
        position = np.arange(self.rows.size) - (np.cumsum(sizes) - sizes)[self.rows]
        first = position < k
        labels, scores = _empty(self.n_rows, k)
        labels[self.rows[first], position[first]] = self.labels[first]
        with np.errstate(over="ignore"):
            scores[self.rows[first], position[first]] = self.scores[first]
        return TopK(labels, scores)


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """The stored entries are the predictions, whatever their order.

    Attributes
    ----------
    path : Path
    scores : csr_array of float64, shape (n, l)
        Canonical.
    """

    path: Path
    scores: sparse.csr_array

    def of(self, n_rows: int, n_labels: int) -> ScoreMatrix:
        """Itself if it has that many rows and labels, else a DataError."""
        if self.scores.shape[0] != n_rows:
            raise _other_rows(self.path, self.scores.shape[0], n_rows)
        if self.scores.shape[1] != n_labels:
            raise DataError(
                f"{self.path}: scores of {self.scores.shape[1]} labels; expected {n_labels}, so "
                "the labels may be numbered otherwise"
            )
        return self

    def without(self, pairs: sparse.csr_array) -> ScoreMatrix:
        """What is left when the pairs (row, label) are taken out."""
        indptr, indices, values = csr_parts(self.scores)
        rows = np.repeat(np.arange(self.scores.shape[0]), np.diff(indptr))
        kept = ~_among(pairs, rows, indices)
        ends = np.concatenate([[0], np.cumsum(kept)])[indptr]
        left = csr(values[kept], indices[kept], row_pointers(ends), self.scores.shape)
        return ScoreMatrix(self.path, left)

    def top(self, k: int | None) -> TopK:
        """The k best of every row, in no more columns than the longest needs."""
        return best_stored(self.scores, k)


def best_stored(scores: sparse.csr_array, k: int | None) -> TopK:
    """The k best stored entries of every row, ties by the smaller column.

    Parameters
    ----------
    scores : csr_array of float64, shape (n, l)
        Canonical, without nan.
    k : int or None
        At the most; there are no more columns than the longest row needs, but at least one.
    """
    indptr, indices, values = csr_parts(scores)
    labels, best = _empty(scores.shape[0], _columns(np.diff(indptr), k))
    best_entries(indptr, indices, values, labels, best)
    return TopK(labels, best)


def _columns(sizes: np.ndarray, k: int | None) -> int:
    longest = max(1, int(sizes.max(initial=0)))
    return longest if k is None else min(k, longest)


def _empty(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full((n, k), -1, np.int32), np.full((n, k), -np.inf, np.float32)


def _other_rows(path: Path, found: int, expected: int) -> DataError:
    return DataError(
        f"{path}: predictions of {found} rows; expected {expected}, one a row of the truth"
    )


def _among(pairs: sparse.csr_array, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Which (row, label) are stored in ``pairs``."""
    n, n_labels = pairs.shape
    known = np.repeat(np.arange(n, dtype=np.int64) * n_labels, np.diff(pairs.indptr))
    known += pairs.indices
    asked = rows.astype(np.int64) * n_labels + labels
    if known.size == 0:
        return np.zeros(asked.size, bool)
    found: np.ndarray = known[np.minimum(np.searchsorted(known, asked), known.size - 1)] == asked
    return found


class ListCollector:
    """Collects the lists of a text that has one a line."""

    def __init__(self) -> None:
        self._labels, self._scores = array("q"), array("d")
        self._sizes = array("q")

    def add(self, labels: Sequence[int], scores: Sequence[float] | None) -> None:
        """The next row; without scores its labels are taken to be best first."""
        self._labels.extend(labels)
        self._scores.extend(range(0, -len(labels), -1) if scores is None else scores)
        self._sizes.append(len(labels))

    def lists(self, path: Path, by_score: bool) -> RankedLists:
        """The lists as they stand, or ranked by score, equal scores by the smaller label."""
        sizes = np.array(self._sizes, np.int64)
        rows = np.repeat(np.arange(sizes.size), sizes)
        labels, scores = np.array(self._labels, np.int64), np.array(self._scores, np.float64)
        if by_score:
            order = np.lexsort((labels, -scores, rows))
            labels, scores = labels[order], scores[order]
        found = RankedLists(path, rows, labels, scores, sizes.size, _line_of_row)
        return found.checked()


def _line_of_row(entry: int, row: int) -> str:
    return f"line {row + 1}"

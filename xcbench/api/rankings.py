"""Truth and predictions in the forms the metrics take them, as the types the metrics are made of.

As in napkinXC: the truth is a matrix of 0 and 1, or a list of labels a point; a prediction is a
matrix of scores, or a list a point of labels or (label, score) pairs, best first; and a TopK.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from xcbench.api.targets import indicators
from xcbench.api.types import MatrixLike
from xcbench.data.dataset import TopK
from xcbench.data.matrix import csr, row_pointers, widened
from xcbench.data.predictions.ranked_lists import best_stored

Truth: TypeAlias = MatrixLike | Sequence[Iterable[int]]
Ranking: TypeAlias = TopK | MatrixLike | Sequence[Sequence[int | tuple[int, float]]]

_SORTED_AT_ONCE = 1 << 22
_WIDEST = 2**31 - 1


def checked_k(k: Any) -> int:
    """Refuse what is no whole number of at least 1."""
    if isinstance(k, bool | np.bool_) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k is {k!r}; expected a whole number of at least 1")
    return int(k)


def aligned(Y_true: Truth, Y_pred: Ranking, k: int) -> tuple[sparse.csr_array, TopK]:
    """Canonical truth (n, l) and the first k places of a prediction of the same points.

    Raises
    ------
    ValueError
        Their sizes differ, there are no points, or k, a label or a score is not as expected.
    """
    k = checked_k(k)
    Y = as_truth(Y_true)
    if not _is_lists(Y_true) and not _is_lists(Y_pred) and not isinstance(Y_pred, TopK):
        _require_scores_of_each(Y_pred, Y.shape[1])
    top = as_top_k(Y_pred, k)
    if len(top.labels) != Y.shape[0]:
        raise ValueError(
            f"Y_pred has {len(top.labels)} rows and Y_true {Y.shape[0]}; expected the same number"
        )
    if Y.shape[0] == 0:
        raise ValueError("there are no rows, so no metric is defined")
    width = int(top.labels.max(initial=-1)) + 1
    if width > Y.shape[1]:
        if not _is_lists(Y_true):
            last = Y.shape[1] - 1
            raise ValueError(f"Y_pred holds label {width - 1}; the labels of Y_true end at {last}")
        Y = widened(Y, width)
    return Y, top


def _require_scores_of_each(scores: Any, n_labels: int) -> None:
    """Refuse what looks like scores and is more likely an array of ranked labels."""
    shape = np.shape(scores)
    if len(shape) == 2 and shape[1] != n_labels:
        raise ValueError(
            f"Y_pred has {shape[1]} columns and Y_true {n_labels}; a matrix of scores has one a "
            "label, and ranked labels come as a TopK or as lists"
        )


def as_truth(Y: Truth) -> sparse.csr_array:
    """True labels as a canonical csr_array of ones, float32 (n, l).

    Raises
    ------
    ValueError
        A matrix holds another value than 0 and 1, or a list a label twice.
    """
    given: Any = Y
    if _is_lists(given):
        return _of_lists([_without_repeats(row, number) for number, row in enumerate(given)])
    return indicators(given if sparse.issparse(given) else _matrix(given))


def _without_repeats(row: Any, number: int) -> list[int]:
    try:
        labels = sorted(row)
    except TypeError:
        raise ValueError(f"Y_true has {row!r} as row {number}; expected labels") from None
    for label, following in pairwise(labels):
        if label == following:
            raise ValueError(
                f"Y_true names label {label} twice in row {number}; a nested list holds the labels "
                "of each row, an indicator matrix comes as numpy.asarray(Y_true)"
            )
    return labels


def as_top_k(prediction: Ranking, k: int) -> TopK:
    """The first k places: of lists as they are ordered, of scores the largest, ties by label."""
    if isinstance(prediction, TopK):
        _refuse_repeats(prediction.labels[:, :k])
        return TopK(prediction.labels[:, :k], prediction.scores[:, :k])
    if sparse.issparse(prediction):
        return _of_sparse(sparse.csr_array(prediction), k)
    if _is_lists(prediction):
        return _of_rankings(prediction, k)
    return _of_scores(_matrix(prediction), k)


def _refuse_repeats(labels: np.ndarray) -> None:
    if labels.dtype.kind not in "iu" or labels.min(initial=-1) < -1:
        raise ValueError("Y_pred: expected labels of whole numbers from 0 on, and -1 as padding")
    ordered = np.sort(labels, axis=1)
    repeats = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if repeats.any():
        row, at = np.argwhere(repeats)[0]
        raise ValueError(f"Y_pred names label {ordered[row, at]} twice in row {row}")


def _is_lists(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _matrix(value: Any) -> np.ndarray:
    matrix = np.asarray(value)
    if matrix.ndim != 2:
        raise ValueError(f"found an array of {matrix.ndim} dimensions; expected a matrix (n, l)")
    return matrix


def _of_lists(rows: list[list[int]]) -> sparse.csr_array:
    labels = _labels(list(chain.from_iterable(rows)))
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    shape = (len(rows), int(labels.max(initial=-1)) + 1)
    return csr(np.ones(labels.size, np.float32), labels, row_pointers(ends), shape)


def _labels(values: list[int]) -> np.ndarray:
    """Label numbers, int32."""
    labels = np.asarray(values)
    if labels.size and labels.dtype.kind not in "iu":
        raise ValueError(f"found the label {values[0]!r}; expected whole numbers from 0 on")
    if labels.size and (labels.min() < 0 or labels.max() >= _WIDEST):
        wrong = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(f"found the label {wrong}; expected 0 to {_WIDEST - 1}")
    return labels.astype(np.int32)


def _of_rankings(lists: Any, k: int) -> TopK:
    ranked = [[each[0] if isinstance(each, tuple) else each for each in row][:k] for row in lists]
    for number, row in enumerate(ranked):
        if len(set(row)) < len(row):
            raise ValueError(f"Y_pred names a label twice in row {number}: {row}")
    flat = _labels(list(chain.from_iterable(ranked)))
    lengths = np.array([len(row) for row in ranked], np.int64)
    labels = np.full((len(ranked), k), -1, np.int32)
    labels[np.arange(k) < lengths[:, np.newaxis]] = flat
    # The order is all that counts.
    places = np.broadcast_to(-np.arange(k, dtype=np.float32), labels.shape)
    return TopK(labels, np.where(labels >= 0, places, np.float32(-np.inf)))


def _of_scores(scores: np.ndarray, k: int) -> TopK:
    _refuse_nan(scores)
    n, n_labels = scores.shape
    depth = min(k, n_labels)
    labels = np.empty((n, depth), np.int32)
    step = max(1, _SORTED_AT_ONCE // max(1, n_labels))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        falling = -scores[rows].astype(np.float64)
        labels[rows] = np.argsort(falling, axis=1, kind="stable")[:, :depth]
    with np.errstate(over="ignore"):
        return TopK(labels, np.take_along_axis(scores, labels, 1).astype(np.float32))


def _of_sparse(scores: sparse.csr_array, k: int) -> TopK:
    """Of the stored entries; what is not stored is not predicted."""
    _refuse_nan(scores.data)
    scores = scores.astype(np.float64)
    if not scores.has_canonical_format:
        scores.sum_duplicates()
    return best_stored(scores, k)


def _refuse_nan(scores: npt.NDArray[Any]) -> None:
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        raise ValueError("Y_pred holds a score that is not a number")

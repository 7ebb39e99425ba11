"""The k largest entries of every row, of a matrix at hand or of a product never formed whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numba import njit, types

_SCORES = types.Array(types.float32, 2, "C", readonly=True)
_LABELS = types.Array(types.int32, 2, "C")
_BEST = types.Array(types.float32, 2, "C")

# Rows x columns of a block of scores: large enough for BLAS, small enough (2 MB) that the scan
# finds the scores still in cache.
BLOCK_ROWS = 256
BLOCK_COLUMNS = 2048
STRIDE = 64
# Rows are sorted, not filled by insertion, where k * k exceeds so many widths.
SORT_FROM = 64


@njit(types.void(_SCORES, types.int64, _LABELS, _BEST), cache=True, nogil=True)
def _keep_best(scores, first, labels, best):
    """Fold a block of scores, whose first column is label ``first``, into the running best k.

    Columns come in increasing order and only a strictly larger score displaces one, so ties
    stay with the smaller label; nan never enters.
    """
    n, width = scores.shape
    k = labels.shape[1]
    for i in range(n):
        for start in range(0, width, STRIDE):
            stop = min(start + STRIDE, width)
            worst = best[i, k - 1]
            vacant = labels[i, k - 1] < 0
            # Nearly every stride holds nothing new; counting says so in vector registers.
            promising = np.int32(vacant)
            for score in scores[i, start:stop]:
                promising += np.int32(score > worst)
            if promising == 0:
                continue
            for j in range(start, stop):
                score = scores[i, j]
                if score > worst or (vacant and score == worst):
                    at = k - 1
                    while at > 0 and (score > best[i, at - 1] or labels[i, at - 1] < 0):
                        best[i, at] = best[i, at - 1]
                        labels[i, at] = labels[i, at - 1]
                        at -= 1
                    best[i, at] = score
                    labels[i, at] = first + j
                    worst = best[i, k - 1]
                    vacant = labels[i, k - 1] < 0


def _keep_best_by_sorting(
    scores: np.ndarray, first: int, labels: np.ndarray, best: np.ndarray
) -> None:
    """``_keep_best`` for large k, where moving up to k places for each new score is slow."""
    n, k = labels.shape
    columns = np.arange(first, first + scores.shape[1], dtype=np.int32)
    for start in range(0, n, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        block = scores[rows]
        # What is held has the smaller labels: a stable sort leaves it before its equals.
        held = int((labels[rows] >= 0).any(axis=0).sum())
        ids = np.hstack([labels[rows, :held], np.broadcast_to(columns, block.shape)])
        values = np.hstack([best[rows, :held], block])
        values[ids < 0] = np.nan  # sorts behind all scores, -inf too
        order = np.argsort(-values, axis=1, kind="stable")[:, :k]
        ids, values = (np.take_along_axis(part, order, 1) for part in (ids, values))
        none = np.isnan(values)
        ids[none], values[none] = -1, -np.inf
        labels[rows, : ids.shape[1]], best[rows, : ids.shape[1]] = ids, values


def _keeper(k: int, width: int) -> Callable[[np.ndarray, int, np.ndarray, np.ndarray], None]:
    """Insertion moves some k * k scores a row, sorting some width * log2(width)."""
    return _keep_best_by_sorting if k * k > SORT_FROM * width else _keep_best


def _nothing_yet(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    if k < 1:
        raise ValueError(f"k is {k}; expected at least 1")
    return np.full((n, k), -1, dtype=np.int32), np.full((n, k), -np.inf, dtype=np.float32)


def top_k(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k best columns of every row, best first, ties by the smaller column.

    Parameters
    ----------
    scores : ndarray of float32, shape (n, l), C-contiguous
        May be read-only; nan is never taken.
    k : int
        At least 1; where it exceeds the number of columns the rest is padding.

    Returns
    -------
    labels : ndarray of int32, shape (n, k)
        Columns; -1 pads.
    best : ndarray of float32, shape (n, k)
        Their scores; -inf pads.
    """
    labels, best = _nothing_yet(scores.shape[0], k)
    _keeper(min(k, scores.shape[1]), scores.shape[1])(scores, 0, labels, best)
    return labels, best


class RowBlocks(Protocol):
    """A float32 matrix that gives consecutive rows at a time: an array, or what is stored as less.

    ``matrix[start:stop]`` is a C-contiguous array.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, rows: slice, /) -> np.ndarray: ...


def top_k_product(
    left: np.ndarray, right: RowBlocks, k: int, without: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """``top_k(left @ right.T, k)`` in blocks: the (n, l) product is never formed.

    Parameters
    ----------
    left : ndarray of float32, shape (n, r)
    right : ndarray of float32 or RowBlocks, shape (l, r)
        Every row is asked for once.
    k : int
    without : ndarray of int, shape (m,), optional
        Columns of the product that are not taken, ascending.

    Returns
    -------
    labels, best : see top_k
        BLAS may round a row otherwise among other rows: the last bits hang on its company.
    """
    n, width = left.shape[0], right.shape[0]
    labels, best = _nothing_yet(n, k)
    keep = _keeper(min(k, width), width)
    buffer = np.empty(min(n, BLOCK_ROWS) * min(width, BLOCK_COLUMNS), dtype=np.float32)
    for column in range(0, width, BLOCK_COLUMNS):
        part = right[column : column + BLOCK_COLUMNS]
        for row in range(0, n, BLOCK_ROWS):
            rows = slice(row, row + BLOCK_ROWS)
            block = left[rows]
            scores = buffer[: block.shape[0] * part.shape[0]].reshape(len(block), len(part))
            np.matmul(block, part.T, out=scores)
            if without is not None:
                scores[:, _within(without, column, len(part))] = np.nan
            keep(scores, column, labels[rows], best[rows])
    return labels, best


def _within(columns: np.ndarray, first: int, width: int) -> np.ndarray:
    """Those of the ascending columns that are in a block, counted from its first."""
    return columns[slice(*np.searchsorted(columns, (first, first + width)))] - first

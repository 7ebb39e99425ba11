"""The k largest entries of every row, of a matrix at hand or of a product never formed whole."""

from __future__ import annotations

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
# Rows are multiplied so many at a time at the least, the missing ones being zero: BLAS has other
# kernels for few rows, which round otherwise, and a row's scores would depend on its company.
LEAST_ROWS = 64


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
    _keep_best(scores, 0, labels, best)
    return labels, best


class RowBlocks(Protocol):
    """A float32 matrix that gives consecutive rows at a time: an array, or what is stored as less.

    ``matrix[start:stop]`` is a C-contiguous array.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    def __getitem__(self, rows: slice, /) -> np.ndarray: ...


def top_k_product(left: np.ndarray, right: RowBlocks, k: int) -> tuple[np.ndarray, np.ndarray]:
    """``top_k(left @ right.T, k)`` in blocks: the (n, l) product is never formed.

    Parameters
    ----------
    left : ndarray of float32, shape (n, r)
    right : ndarray of float32 or RowBlocks, shape (l, r)
        Every row is asked for once.
    k : int

    Returns
    -------
    labels, best : see top_k
        Of a row the same to the bit, whatever the other rows.
    """
    n, width = left.shape[0], right.shape[0]
    labels, best = _nothing_yet(n, k)
    blocks = [
        (slice(row, min(row + BLOCK_ROWS, n)), _filled_up(left[row : row + BLOCK_ROWS]))
        for row in range(0, n, BLOCK_ROWS)
    ]
    buffer = np.empty(BLOCK_ROWS * min(width, BLOCK_COLUMNS), dtype=np.float32)
    for column in range(0, width, BLOCK_COLUMNS):
        part = right[column : column + BLOCK_COLUMNS]
        for rows, block in blocks:
            scores = buffer[: block.shape[0] * part.shape[0]].reshape(len(block), len(part))
            np.matmul(block, part.T, out=scores)
            _keep_best(scores[: rows.stop - rows.start], column, labels[rows], best[rows])
    return labels, best


def _filled_up(rows: np.ndarray) -> np.ndarray:
    """The rows, and as many of zeros as make them a multiple of LEAST_ROWS."""
    missing = -len(rows) % LEAST_ROWS
    return np.pad(rows, ((0, missing), (0, 0))) if missing else rows

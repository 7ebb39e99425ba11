"""Adds up the label rows of weighted neighbours and keeps the k best labels."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i4", 2), readonly("f4", 2), readonly("i8"), readonly("i4"), readonly("f4"),
        writable("i4", 2), writable("f4", 2),
    ),
    cache=True, nogil=True,
)  # fmt: skip
def tally(neighbours, weights, indptr, labels, label_weights, out_labels, out_scores):
    """Score labels by the weights of the neighbours that carry them.

    Parameters
    ----------
    neighbours, weights : int32 (n, m), float32 (n, m)
        Rows of the label matrix and what each adds; only positive weights count.
    indptr, labels : int64 (points + 1), int32
        The label matrix in CSR form.
    label_weights : float32 (l,)
        What the score of each label is multiplied by at the end.
    out_labels, out_scores : int32 (n, k), float32 (n, k)
        Filled best first, ties by the smaller label; prefilled padding stays where lists end.
    """
    k = out_labels.shape[1]
    scores = np.zeros(label_weights.size, np.float32)
    touched = np.empty(label_weights.size, np.int32)
    for i in range(neighbours.shape[0]):
        n_touched = 0
        for t in range(neighbours.shape[1]):
            weight = weights[i, t]
            if not weight > 0:
                continue
            row = neighbours[i, t]
            for label in labels[indptr[row] : indptr[row + 1]]:
                if scores[label] == 0:
                    touched[n_touched] = label
                    n_touched += 1
                scores[label] += weight
        size = 0
        for label in touched[:n_touched]:
            score = scores[label] * label_weights[label]
            scores[label] = 0
            if size == k and (
                score < out_scores[i, k - 1]
                or (score == out_scores[i, k - 1] and label > out_labels[i, k - 1])
            ):
                continue
            at = min(size, k - 1)
            while at > 0 and (
                score > out_scores[i, at - 1]
                or (score == out_scores[i, at - 1] and label < out_labels[i, at - 1])
            ):
                out_scores[i, at] = out_scores[i, at - 1]
                out_labels[i, at] = out_labels[i, at - 1]
                at -= 1
            out_scores[i, at] = score
            out_labels[i, at] = label
            size = min(size + 1, k)

"""Scores labels by the votes of neighbours and by a linear head, and keeps the k best."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i4", 2), readonly("f4", 2), readonly("i8"), readonly("i4"),
        readonly("i8"), readonly("i4"), readonly("f4"),
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4"),
        types.float32, readonly("f4"), writable("i4", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def blend(
    neighbours, votes, y_indptr, y_labels, x_indptr, x_indices, x_data, w_indptr, w_labels,
    w_values, intercepts, head_weight, label_weights, out_labels, out_scores,
):  # fmt: skip
    """Score = label weight * (v / |v| + head weight * h / |h|), v and h over all labels.

    Parameters
    ----------
    neighbours, votes, y_indptr, y_labels :
        As in tally.tally: v is the sum of the label rows of the neighbours, by their weights.
    x_indptr, x_indices, x_data, w_indptr, w_labels, w_values, intercepts :
        Rows of features and the head's weights (d, l), both CSR, and its intercept of each label:
        h = max(0, (1 + x W + intercept) / 2), so that a margin of -1 is a score of 0.
    head_weight : float32
    label_weights : float32 (l,)
    out_labels, out_scores : int32 (n, k), float32 (n, k)
        Filled best first, ties by the smaller label; prefilled padding stays where no more labels
        have a positive score.
    """
    k = out_labels.shape[1]
    n_labels = intercepts.size
    half = np.float32(0.5)
    zero = np.float32(0.0)
    score = np.empty(n_labels, np.float32)
    vote = np.zeros(n_labels, np.float32)
    touched = np.empty(n_labels, np.int32)
    for i in range(neighbours.shape[0]):
        score[:] = intercepts
        for p in range(x_indptr[i], x_indptr[i + 1]):
            x = x_data[p]
            feature = np.uint32(x_indices[p])
            for q in range(w_indptr[feature], w_indptr[feature + 1]):
                score[np.uint32(w_labels[q])] += x * w_values[q]
        squares = zero
        for j in range(n_labels):
            h = max(zero, half + half * score[j])
            score[j] = h
            squares += h * h
        if squares > zero:
            scale = head_weight / np.sqrt(squares)
            for j in range(n_labels):
                score[j] *= scale
        # Votes are powers of similarities: relative to the largest, their squares do not underflow.
        largest = zero
        for t in range(neighbours.shape[1]):
            largest = max(largest, votes[i, t])
        n_touched = 0
        for t in range(neighbours.shape[1]):
            if not votes[i, t] > zero:
                continue
            weight = votes[i, t] / largest
            row = neighbours[i, t]
            for label in y_labels[y_indptr[row] : y_indptr[row + 1]]:
                if vote[label] == zero:
                    touched[n_touched] = label
                    n_touched += 1
                vote[label] += weight
        squares = zero
        for label in touched[:n_touched]:
            squares += vote[label] * vote[label]
        if squares > zero:
            scale = np.float32(1.0) / np.sqrt(squares)
        for label in touched[:n_touched]:
            score[label] += vote[label] * scale
            vote[label] = zero
        size = 0
        for j in range(n_labels):
            value = score[j] * label_weights[j]
            if not value > zero or (size == k and value <= out_scores[i, k - 1]):
                continue
            at = min(size, k - 1)
            while at > 0 and value > out_scores[i, at - 1]:
                out_scores[i, at] = out_scores[i, at - 1]
                out_labels[i, at] = out_labels[i, at - 1]
                at -= 1
            out_scores[i, at] = value
            out_labels[i, at] = j
            size = min(size + 1, k)

"""Scores labels by the votes of neighbours and by a linear head, and keeps the k best."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i4", 2), readonly("f4", 2), readonly("i8"), readonly("i4"),
        readonly("i8"), readonly("i4"), readonly("f4"),
        readonly("i4"), readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4"),
        types.float32, readonly("f4"), writable("i4", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def blend(
    neighbours, votes, y_indptr, y_labels, x_indptr, x_indices, x_data, head_labels, w_indptr,
    w_places, w_values, intercepts, head_weight, label_weights, out_labels, out_scores,
):  # fmt: skip
    """Score = label weight * (v / |v| + head weight * h / |h|), v over all labels, h the head's.

    A row costs the weights and votes it meets, and the labels whose intercept alone has a score.

    Parameters
    ----------
    neighbours, votes, y_indptr, y_labels :
        As in tally.tally: v is the sum of the label rows of the neighbours, by their weights.
    x_indptr, x_indices, x_data : int64 (n + 1,), int32, float32
        Rows of features, CSR.
    head_labels : int32 (m,)
        The labels the head has classifiers of.
    w_indptr, w_places, w_values, intercepts :
        The head's weights (d, m), CSR, and its intercept of each of its labels:
        h = max(0, (1 + x W + intercept) / 2), so that a margin of -1 is a score of 0.
    head_weight : float32
    label_weights : float32 (l,)
    out_labels, out_scores : int32 (n, k), float32 (n, k)
        Filled best first, ties by the smaller label; prefilled padding stays where no more labels
        have a positive score.
    """
    k = out_labels.shape[1]
    half = np.float32(0.5)
    zero = np.float32(0.0)
    margin = intercepts.copy()
    met = np.zeros(intercepts.size, np.uint8)
    places = np.empty(intercepts.size, np.int32)
    # Labels that have a score without any weight come first, in every row.
    n_always = 0
    for place in range(intercepts.size):
        if half + half * intercepts[place] > zero:
            places[n_always] = place
            met[place] = 1
            n_always += 1
    score = np.zeros(label_weights.size, np.float32)
    vote = np.zeros(label_weights.size, np.float32)
    scored = np.empty(label_weights.size, np.int32)
    voted = np.empty(label_weights.size, np.int32)
    for i in range(neighbours.shape[0]):
        n_met = n_always
        for p in range(x_indptr[i], x_indptr[i + 1]):
            x = x_data[p]
            feature = np.uint32(x_indices[p])
            for q in range(w_indptr[feature], w_indptr[feature + 1]):
                target = np.uint32(w_places[q])
                margin[target] += x * w_values[q]
                if not met[target]:
                    met[target] = 1
                    places[n_met] = target
                    n_met += 1
        squares = zero
        for place in places[:n_met]:
            margin[place] = max(zero, half + half * margin[place])
            squares += margin[place] * margin[place]
        scale = head_weight / np.sqrt(squares) if squares > zero else zero
        n_scored = 0
        for t in range(n_met):
            place = places[t]
            value = margin[place] * scale
            margin[place] = intercepts[place]
            met[place] = t < n_always
            if value > zero:
                score[head_labels[place]] = value
                scored[n_scored] = head_labels[place]
                n_scored += 1
        # Votes are powers of similarities: relative to the largest, their squares do not underflow.
        largest = zero
        for t in range(neighbours.shape[1]):
            largest = max(largest, votes[i, t])
        n_voted = 0
        for t in range(neighbours.shape[1]):
            if not votes[i, t] > zero:
                continue
            weight = votes[i, t] / largest
            row = neighbours[i, t]
            for label in y_labels[y_indptr[row] : y_indptr[row + 1]]:
                if vote[label] == zero:
                    voted[n_voted] = label
                    n_voted += 1
                vote[label] += weight
        squares = zero
        for label in voted[:n_voted]:
            squares += vote[label] * vote[label]
        if squares > zero:
            scale = np.float32(1.0) / np.sqrt(squares)
        for label in voted[:n_voted]:
            if score[label] == zero:
                scored[n_scored] = label
                n_scored += 1
            score[label] += vote[label] * scale
            vote[label] = zero
        size = 0
        for label in scored[:n_scored]:
            value = score[label] * label_weights[label]
            score[label] = zero
            if not value > zero or (
                size == k
                and (
                    value < out_scores[i, k - 1]
                    or (value == out_scores[i, k - 1] and label > out_labels[i, k - 1])
                )
            ):
                continue
            at = min(size, k - 1)
            while at > 0 and (
                value > out_scores[i, at - 1]
                or (value == out_scores[i, at - 1] and label < out_labels[i, at - 1])
            ):
                out_scores[i, at] = out_scores[i, at - 1]
                out_labels[i, at] = out_labels[i, at - 1]
                at -= 1
            out_scores[i, at] = value
            out_labels[i, at] = label
            size = min(size + 1, k)

"""Assignment of sparse rows to sparse centroids, and the sums of the rows of each cluster.

Rows are taken from a CSR matrix (d columns) by number and divided by a length each, so neither a
selection nor a scaled copy of a large matrix is made. Centroids and sums are kept by feature:
row j of a CSR matrix (d, C) lists the clusters whose centroid has feature j, ascending.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

_ROWS = (readonly("i8"), readonly("i4"), readonly("f4"), readonly("i4"), readonly("f8"))
_CENTROIDS = (readonly("i8"), readonly("i4"), readonly("f4"))


@njit(cache=True)
def _divided(value, length):
    return np.float32(np.float64(value) / length)


@njit(
    types.void(readonly("i8"), readonly("f4"), readonly("i4"), writable("f8")),
    cache=True, nogil=True,
)  # fmt: skip
def row_lengths(indptr, data, rows, out):
    """Euclidean lengths of the rows, summed in float64; 1 for a row of length 0."""
    for t in range(rows.size):
        squares = 0.0
        for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
            squares += np.float64(data[p]) * np.float64(data[p])
        out[t] = np.sqrt(squares) if squares > 0.0 else 1.0


@njit(
    types.void(readonly("i8"), readonly("i4"), readonly("i4"), writable("i8")),
    cache=True, nogil=True,
)  # fmt: skip
def count_features(indptr, indices, rows, out):
    """How many of the rows have each feature, int64 (d)."""
    out[:] = 0
    for row in rows:
        for p in range(indptr[row], indptr[row + 1]):
            out[np.uint32(indices[p])] += 1


@njit(
    types.void(*_CENTROIDS, readonly("i4"), writable("i4"), writable("f4", 2)),
    cache=True, nogil=True,
)  # fmt: skip
def spread(c_indptr, c_clusters, c_values, features, place, table):
    """Centroid entries of some features as rows of a dense table, zero before.

    ``place`` int32 (d) is filled with where each feature's row is, -1 for the others.
    """
    place[:] = -1
    for t in range(features.size):
        feature = np.uint32(features[t])
        place[feature] = t
        for q in range(c_indptr[feature], c_indptr[feature + 1]):
            table[t, c_clusters[q]] = c_values[q]


@njit(
    types.void(*_ROWS, *_CENTROIDS, readonly("i4"), readonly("f4", 2), writable("i4")),
    cache=True, nogil=True,
)  # fmt: skip
def assign(
    indptr, indices, data, rows, lengths, c_indptr, c_clusters, c_values, place, table, out
):  # fmt: skip
    """Cluster of largest inner product for each row, ties to the smaller.

    Parameters
    ----------
    indptr, indices, data : int64 (n+1), int32, float32
        The matrix, CSR.
    rows, lengths : int32 (m), float64 (m)
        Which of its rows, and what each is divided by.
    c_indptr, c_clusters, c_values : int64 (d+1), int32, float32
        The centroids by feature.
    place, table : int32 (d), float32 (h, C)
        From spread. A dense row is added several times faster than scattered entries, with the
        same result.
    out : int32 (m)
    """
    scores = np.empty(table.shape[1], np.float32)
    for t in range(rows.size):
        scores[:] = np.float32(0.0)
        for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
            x = _divided(data[p], lengths[t])
            feature = np.uint32(indices[p])
            if place[feature] >= 0:
                dense = table[np.uint32(place[feature])]
                for c in range(scores.size):
                    scores[c] += x * dense[c]
            else:
                for q in range(c_indptr[feature], c_indptr[feature + 1]):
                    scores[np.uint32(c_clusters[q])] += x * c_values[q]
        out[t] = np.argmax(scores)


@njit(types.void(*_ROWS[:2], *_ROWS[3:4], readonly("i8"), writable("i8")), cache=True, nogil=True)
def count_sums(indptr, indices, rows, starts, out):
    """Row starts ``out`` int64 (d+1) of the sums by feature; see sum_rows."""
    last = np.full(out.size - 1, -1, np.int32)
    out[:] = 0
    for cluster in range(starts.size - 1):
        for t in range(starts[cluster], starts[cluster + 1]):
            for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
                feature = np.uint32(indices[p])
                if last[feature] != cluster:
                    last[feature] = cluster
                    out[feature + 1] += 1
    for j in range(last.size):
        out[j + 1] += out[j]


@njit(
    types.void(*_ROWS, readonly("i8"), readonly("i8"), writable("i4"), writable("f4")),
    cache=True, nogil=True,
)  # fmt: skip
def sum_rows(indptr, indices, data, rows, lengths, starts, s_indptr, s_clusters, s_values):
    """Sum of the rows of each cluster, by feature.

    Parameters
    ----------
    indptr, indices, data, rows, lengths :
        As in assign; rows in the order of their clusters.
    starts : int64 (C+1)
        Cluster c owns rows[starts[c] : starts[c + 1]], which are added up in this order.
    s_indptr : int64 (d+1)
        From count_sums.
    s_clusters, s_values : int32, float32 (s_indptr[d])
        Filled.
    """
    d = s_indptr.size - 1
    fill = s_indptr[:d].copy()
    last = np.full(d, -1, np.int32)
    total = np.empty(d, np.float32)
    touched = np.empty(d, np.int32)
    for cluster in range(starts.size - 1):
        n_touched = 0
        for t in range(starts[cluster], starts[cluster + 1]):
            for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
                feature = np.uint32(indices[p])
                x = _divided(data[p], lengths[t])
                if last[feature] != cluster:
                    last[feature] = cluster
                    total[feature] = x
                    touched[n_touched] = feature
                    n_touched += 1
                else:
                    total[feature] += x
        for feature in touched[:n_touched]:
            s_clusters[fill[feature]] = cluster
            s_values[fill[feature]] = total[feature]
            fill[feature] += 1


@njit(
    types.void(readonly("i4"), readonly("f4"), writable("f8")),
    cache=True, nogil=True,
)  # fmt: skip
def cluster_lengths(s_clusters, s_values, out):
    """Euclidean length of each cluster's sum, float64 (C)."""
    out[:] = 0.0
    for p in range(s_values.size):
        out[s_clusters[p]] += np.float64(s_values[p]) * np.float64(s_values[p])
    for c in range(out.size):
        out[c] = np.sqrt(out[c])


@njit(
    types.void(readonly("i4"), readonly("f4"), writable("f4")),
    cache=True, nogil=True,
)  # fmt: skip
def divide(s_clusters, divisors, s_values):
    """Divide each cluster's sum by its divisor, float32 (C), in place."""
    for p in range(s_values.size):
        s_values[p] /= divisors[s_clusters[p]]


@njit(
    types.void(*_ROWS, readonly("i4"), types.boolean, writable("f4", 2), writable("f4")),
    cache=True, nogil=True,
)  # fmt: skip
def contrast(indptr, indices, data, rows, lengths, side, normalise, sums, out):
    """Inner product of each row with the difference of two sums of rows.

    Costs nothing for the features that do not occur in the rows.

    Parameters
    ----------
    indptr, indices, data, rows, lengths :
        As in assign.
    side : int32 (m)
        The sum each row belongs to, 0 or 1; -1: neither.
    normalise : bool
        Whether the sums are scaled to unit length first.
    sums : float32 (d, 2)
        Scratch, zero before and after.
    out : float32 (m)
    """
    for t in range(rows.size):
        if side[t] >= 0:
            for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
                sums[np.uint32(indices[p]), side[t]] += _divided(data[p], lengths[t])
    scale = np.ones(2, np.float32)
    if normalise:
        squares = np.zeros(2)
        for t in range(rows.size):
            if side[t] >= 0:
                for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
                    # sum over rows of x . s is s . s: every feature counts once
                    x = np.float64(_divided(data[p], lengths[t]))
                    squares[side[t]] += x * np.float64(sums[np.uint32(indices[p]), side[t]])
        for s in range(2):
            scale[s] = np.sqrt(squares[s]) if squares[s] > 0.0 else 1.0
    for t in range(rows.size):
        dot = np.float32(0.0)
        for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
            pair = sums[np.uint32(indices[p])]
            x = _divided(data[p], lengths[t])
            dot += x * (pair[0] / scale[0] - pair[1] / scale[1])
        out[t] = dot
    for t in range(rows.size):
        for p in range(indptr[rows[t]], indptr[rows[t] + 1]):
            sums[np.uint32(indices[p])] = np.float32(0.0)

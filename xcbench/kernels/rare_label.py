"""A squared hinge classifier for a label with few positive rows, on the features of these rows.

What such a label costs is the entries of its features' columns, not those of all the data.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

_INTS = types.Array(types.int32, 1, "C")
_STARTS = types.Array(types.int64, 1, "C")
_FLOATS = types.Array(types.float32, 1, "C")


@njit(
    types.UniTuple(_INTS, 2)(readonly("i4"), readonly("i8"), readonly("i4"), writable("i4")),
    cache=True, nogil=True,
)  # fmt: skip
def features_of(positives, x_indptr, x_indices, place):
    """The features that occur in the rows ``positives``, as they are met, and in how many each.

    ``place`` (d,) is -1 everywhere, before and after.
    """
    count = 0
    for i in positives:
        for feature in x_indices[x_indptr[i] : x_indptr[i + 1]]:
            if place[feature] < 0:
                place[feature] = count
                count += 1
    features = np.empty(count, np.int32)
    rows = np.zeros(count, np.int32)
    for i in positives:
        for feature in x_indices[x_indptr[i] : x_indptr[i + 1]]:
            features[place[feature]] = feature
            rows[place[feature]] += 1
    for feature in features:
        place[feature] = -1
    return features, rows


@njit(
    types.Tuple((_STARTS, _INTS, _FLOATS, types.int64))(
        readonly("i4"), readonly("i4"), readonly("i8"), readonly("i4"), readonly("f4"),
        writable("i4"),
    ),
    cache=True, nogil=True,
)  # fmt: skip
def columns_of(features, positives, c_indptr, c_rows, c_values, place):
    """The columns of some features with their rows renumbered: ``positives`` come first.

    Returns
    -------
    starts, rows, values : int64 (m + 1,), int32, float32
    n_rows : int
        Rows that occur; the others have none of the features. ``place`` is as in features_of, (n,).
    """
    starts = np.zeros(features.size + 1, np.int64)
    for k in range(features.size):
        starts[k + 1] = starts[k] + c_indptr[features[k] + 1] - c_indptr[features[k]]
    rows = np.empty(starts[-1], np.int32)
    values = np.empty(starts[-1], np.float32)
    n_rows = np.int64(0)
    for i in positives:
        place[i] = n_rows
        n_rows += 1
    at = 0
    for feature in features:
        for p in range(c_indptr[feature], c_indptr[feature + 1]):
            i = c_rows[p]
            if place[i] < 0:
                place[i] = n_rows
                n_rows += 1
            rows[at] = place[i]
            values[at] = c_values[p]
            at += 1
    for i in positives:
        place[i] = -1
    for feature in features:
        for p in range(c_indptr[feature], c_indptr[feature + 1]):
            place[c_rows[p]] = -1
    return starts, rows, values, n_rows


@njit(
    types.void(readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4"), writable("f4")),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def _multiply(starts, rows, values, w, out):
    """out = A w with the intercept w[-1]; A in columns."""
    out[:] = w[starts.size - 1]
    for k in range(starts.size - 1):
        weight = w[k]
        for p in range(starts[k], starts[k + 1]):
            out[np.uint32(rows[p])] += weight * values[p]


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4"), types.float32,
        writable("f4"),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def _transpose_multiply(starts, rows, values, r, rest, out):
    """out = A^T r, with the intercept's sum last, to which rows without features add ``rest``."""
    for k in range(starts.size - 1):
        total = np.float32(0.0)
        for p in range(starts[k], starts[k + 1]):
            total += r[np.uint32(rows[p])] * values[p]
        out[k] = total
    total = rest
    for i in range(r.size):
        total += r[i]
    out[starts.size - 1] = total


@njit(
    _FLOATS(
        readonly("i8"), readonly("i4"), readonly("f4"), types.int64, types.int64, types.int64,
        types.float32, types.int64, types.int64,
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def newton(starts, rows, values, n_positive, n_rows, n_rest, shift, rounds, iterations):
    """As optim.squared_hinge.truncated_newton for one label, on columns from ``columns_of``.

    Parameters
    ----------
    n_positive, n_rows, n_rest : int
        The first rows are positive, those after them negative, and so are ``n_rest`` more that have
        none of the features: they share one margin, the intercept.

    Returns
    -------
    float32, shape (m + 1,)
        The intercept is last.
    """
    m = starts.size - 1
    one = np.float32(1.0)
    tiny = np.float32(1e-30)
    w = np.zeros(m + 1, np.float32)
    image = np.empty(m + 1, np.float32)
    residual = np.empty(m + 1, np.float32)
    direction = np.empty(m + 1, np.float32)
    margin = np.zeros(n_rows, np.float32)
    active = np.empty(n_rows, np.float32)
    kept_starts = np.zeros(m + 1, np.int64)
    kept_rows = np.empty(rows.size, np.int32)
    kept_values = np.empty(rows.size, np.float32)
    for number in range(rounds):
        if number > 0:
            _multiply(starts, rows, values, w, margin)
        rest = np.float32(n_rest)
        if number > 0 and w[m] <= -one:
            rest = np.float32(0.0)
        for i in range(n_rows):
            y = one if i < n_positive else -one
            active[i] = np.float32(number == 0 or y * margin[i] < one)
            margin[i] = active[i] * (margin[i] - y)
        _transpose_multiply(starts, rows, values, margin, rest * (w[m] + one), image)
        squared = np.float32(0.0)
        for k in range(m + 1):
            residual[k] = -(image[k] + shift * w[k])
            direction[k] = residual[k]
            squared += residual[k] * residual[k]
        # What follows needs the entries of the active rows only.
        at = np.int64(0)
        for k in range(m):
            for p in range(starts[k], starts[k + 1]):
                kept_rows[at] = rows[p]
                kept_values[at] = values[p]
                at += np.int64(active[np.uint32(rows[p])])
            kept_starts[k + 1] = at
        for _ in range(iterations):
            _multiply(kept_starts, kept_rows, kept_values, direction, margin)
            for i in range(n_rows):
                margin[i] *= active[i]
            _transpose_multiply(
                kept_starts, kept_rows, kept_values, margin, rest * direction[m], image
            )
            along = np.float32(0.0)
            for k in range(m + 1):
                image[k] += shift * direction[k]
                along += image[k] * direction[k]
            step = squared / max(along, tiny)
            new = np.float32(0.0)
            for k in range(m + 1):
                w[k] += step * direction[k]
                residual[k] -= step * image[k]
                new += residual[k] * residual[k]
            ratio = new / max(squared, tiny)
            squared = new
            for k in range(m + 1):
                direction[k] = residual[k] + ratio * direction[k]
    return w

"""The passes over the data of linear classifiers fitted for a block of labels at once.

W, P and their like are float32 (d + 1, b), one column a label; the last row is the intercept, whose
feature is 1 in every row and stored nowhere. ``positive`` and ``active`` are uint8 (n, b).
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), types.int64, readonly("f4", 2),
        writable("f4"),
    ),
    cache=True, nogil=True, fastmath={"contract"},
)  # fmt: skip
def _image(indptr, indices, data, i, W, image):
    """image = row i of A times W; four rows of W at a time quarter the traffic of the sum."""
    b = W.shape[1]
    image[:] = W[W.shape[0] - 1]
    first = indptr[i]
    stop = indptr[i + 1]
    fours = stop - (stop - first) % 4
    for p in range(first, fours, 4):
        x0, x1, x2, x3 = data[p], data[p + 1], data[p + 2], data[p + 3]
        w0, w1 = W[np.uint32(indices[p])], W[np.uint32(indices[p + 1])]
        w2, w3 = W[np.uint32(indices[p + 2])], W[np.uint32(indices[p + 3])]
        for c in range(b):
            image[c] += x0 * w0[c] + x1 * w1[c] + x2 * w2[c] + x3 * w3[c]
    for p in range(fours, stop):
        x = data[p]
        w = W[np.uint32(indices[p])]
        for c in range(b):
            image[c] += x * w[c]


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), types.int64, readonly("f4"),
        writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath={"contract"},
)  # fmt: skip
def _add_row(indptr, indices, data, i, image, out):
    """Add row i of A, transposed, times ``image`` to out."""
    b = out.shape[1]
    first = indptr[i]
    stop = indptr[i + 1]
    fours = stop - (stop - first) % 4
    for p in range(first, fours, 4):
        x0, x1, x2, x3 = data[p], data[p + 1], data[p + 2], data[p + 3]
        out0, out1 = out[np.uint32(indices[p])], out[np.uint32(indices[p + 1])]
        out2, out3 = out[np.uint32(indices[p + 2])], out[np.uint32(indices[p + 3])]
        for c in range(b):
            r = image[c]
            out0[c] += x0 * r
            out1[c] += x1 * r
            out2[c] += x2 * r
            out3[c] += x3 * r
    for p in range(fours, stop):
        x = data[p]
        row = out[np.uint32(indices[p])]
        for c in range(b):
            row[c] += x * image[c]
    row = out[out.shape[0] - 1]
    for c in range(b):
        row[c] += image[c]


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), types.float32, readonly("u8", 2),
        types.boolean, readonly("f4", 2), writable("u8", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath={"contract"},
)  # fmt: skip
def gradient(indptr, indices, data, last_counts, positive, hinge, W, active, out):
    """out = A^T (active o (A W - y)) for y = 1 where positive, else -1.

    ``active`` is set on the way: where y times the margin is below 1, or everywhere without hinge.
    The last row counts as ``last_counts`` rows.
    """
    b = W.shape[1]
    one = np.float32(1.0)
    margin = np.empty(b, np.float32)
    out[:] = np.float32(0.0)
    n = indptr.size - 1
    for i in range(n):
        _image(indptr, indices, data, i, W, margin)
        counts = last_counts if i == n - 1 else one
        for c in range(b):
            y = np.float32(2.0) * np.float32(positive[i, c]) - one
            kept = np.float32(y * margin[c] < one or not hinge)
            active[i, c] = np.uint8(kept)
            margin[c] = counts * kept * (margin[c] - y)
        _add_row(indptr, indices, data, i, margin, out)


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), types.float32, readonly("u8", 2),
        readonly("f4", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath={"contract"},
)  # fmt: skip
def curvature(indptr, indices, data, last_counts, active, P, out):
    """out = A^T (active o (A P)): the Hessian of the active rows times P; the last as above."""
    b = P.shape[1]
    one = np.float32(1.0)
    image = np.empty(b, np.float32)
    out[:] = np.float32(0.0)
    n = indptr.size - 1
    for i in range(n):
        _image(indptr, indices, data, i, P, image)
        counts = last_counts if i == n - 1 else one
        for c in range(b):
            image[c] *= counts * np.float32(active[i, c])
        _add_row(indptr, indices, data, i, image, out)


@njit(
    types.void(
        types.float32, readonly("f4", 2), writable("f4"), writable("f4", 2), writable("f4", 2),
        writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath={"contract"},
)  # fmt: skip
def advance(shift, image, squared, W, residual, direction):
    """One step of independent conjugate gradients, one a column, in three passes.

    ``image`` is the Hessian times ``direction`` without its ``shift``, ``squared`` the squared
    lengths of the residuals; all the others are brought up to date.
    """
    rows, b = W.shape
    tiny = np.float32(1e-30)
    along = np.zeros(b, np.float32)
    for i in range(rows):
        for c in range(b):
            p = direction[i, c]
            along[c] += p * (image[i, c] + shift * p)
    step = np.empty(b, np.float32)
    for c in range(b):
        step[c] = squared[c] / max(along[c], tiny)
    new = np.zeros(b, np.float32)
    for i in range(rows):
        for c in range(b):
            p = direction[i, c]
            W[i, c] += step[c] * p
            r = residual[i, c] - step[c] * (image[i, c] + shift * p)
            residual[i, c] = r
            new[c] += r * r
    for c in range(b):
        step[c] = new[c] / max(squared[c], tiny)
        squared[c] = new[c]
    for i in range(rows):
        for c in range(b):
            direction[i, c] = residual[i, c] + step[c] * direction[i, c]

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
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("u8", 2), types.boolean,
        readonly("f4", 2), writable("u8", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def gradient(indptr, indices, data, positive, hinge, W, active, out):
    """out = A^T (active o (A W - y)) for y = 1 where positive, else -1.

    ``active`` is set on the way: where y times the margin is below 1, or everywhere without hinge.
    """
    b = W.shape[1]
    last = W.shape[0] - 1
    one = np.float32(1.0)
    margin = np.empty(b, np.float32)
    out[:] = np.float32(0.0)
    for i in range(indptr.size - 1):
        margin[:] = W[last]
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            row = W[np.uint32(indices[p])]
            for c in range(b):
                margin[c] += x * row[c]
        for c in range(b):
            y = np.float32(2.0) * np.float32(positive[i, c]) - one
            counts = np.float32(y * margin[c] < one or not hinge)
            active[i, c] = np.uint8(counts)
            margin[c] = counts * (margin[c] - y)
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            row = out[np.uint32(indices[p])]
            for c in range(b):
                row[c] += x * margin[c]
        row = out[last]
        for c in range(b):
            row[c] += margin[c]


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("u8", 2), readonly("f4", 2),
        writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def curvature(indptr, indices, data, active, P, out):
    """out = A^T (active o (A P)): the Hessian of the active rows times P."""
    b = P.shape[1]
    last = P.shape[0] - 1
    image = np.empty(b, np.float32)
    out[:] = np.float32(0.0)
    for i in range(indptr.size - 1):
        image[:] = P[last]
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            row = P[np.uint32(indices[p])]
            for c in range(b):
                image[c] += x * row[c]
        for c in range(b):
            image[c] *= np.float32(active[i, c])
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            row = out[np.uint32(indices[p])]
            for c in range(b):
                row[c] += x * image[c]
        row = out[last]
        for c in range(b):
            row[c] += image[c]


@njit(
    types.void(
        types.float32, readonly("f4", 2), writable("f4"), writable("f4", 2), writable("f4", 2),
        writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
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

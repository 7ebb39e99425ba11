"""Products of a sparse matrix (CSR parts) with thin dense ones, and its dense Gram matrix."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4", 2), writable("f4", 2)
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def multiply(indptr, indices, data, B, out):
    """out = A B for A (n, d) in CSR form and B float32 (d, r)."""
    r = B.shape[1]
    for i in range(indptr.size - 1):
        row = out[i]
        row[:] = np.float32(0.0)
        p = indptr[i]
        stop = indptr[i + 1]
        # four rows of B at a time quarter the traffic of the row being summed
        while p + 3 < stop:
            x0, x1, x2, x3 = data[p], data[p + 1], data[p + 2], data[p + 3]
            b0, b1 = B[np.uint32(indices[p])], B[np.uint32(indices[p + 1])]
            b2, b3 = B[np.uint32(indices[p + 2])], B[np.uint32(indices[p + 3])]
            for c in range(r):
                row[c] += x0 * b0[c] + x1 * b1[c] + x2 * b2[c] + x3 * b3[c]
            p += 4
        while p < stop:
            x0 = data[p]
            b0 = B[np.uint32(indices[p])]
            for c in range(r):
                row[c] += x0 * b0[c]
            p += 1


@njit(
    types.void(readonly("i8"), readonly("i4"), readonly("f4"), writable("f4", 2)),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def gram_lower(indptr, indices, data, out):
    """Add A^T A to the lower triangle of ``out`` (d, d); A in CSR form with sorted rows."""
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            row = out[np.uint32(indices[p])]
            for q in range(indptr[i], p + 1):
                row[np.uint32(indices[q])] += x * data[q]


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("f4", 2), writable("f4", 2)
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def gram_product(indptr, indices, data, B, out):
    """out = A^T A B for A (n, d) in CSR form and B float32 (d, r), row by row: A B is not kept."""
    r = B.shape[1]
    image = np.empty(r, np.float32)
    out[:] = np.float32(0.0)
    for i in range(indptr.size - 1):
        image[:] = np.float32(0.0)
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            b = B[np.uint32(indices[p])]
            for c in range(r):
                image[c] += x * b[c]
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            row = out[np.uint32(indices[p])]
            for c in range(r):
                row[c] += x * image[c]

"""Rows of which only the entries that are not 0 are kept: making, unpacking, multiplying them.

``values`` (nnz,) and ``columns`` uint16 (nnz,) list the entries row by row, columns ascending; row
i owns those from ``starts[i]`` to ``starts[i + 1]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

_PACKED = (readonly("i8"), readonly("u16"), readonly("f4"))


@njit(types.void(readonly("f4", 2), writable("i8")), cache=True, nogil=True)
def row_starts(dense, starts):
    """Fill ``starts`` int64 (n + 1) for the rows of float32 (n, r)."""
    starts[0] = 0
    for i in range(dense.shape[0]):
        count = np.int64(0)
        for value in dense[i]:
            count += np.int64(value != 0)
        starts[i + 1] = starts[i] + count


@njit(
    types.void(readonly("f4", 2), readonly("i8"), writable("u16"), writable("f4")),
    cache=True, nogil=True,
)  # fmt: skip
def pack(dense, starts, columns, values):
    """Fill ``columns`` and ``values`` with the entries of float32 (n, r) that are not 0."""
    for i in range(dense.shape[0]):
        at = starts[i]
        for c in range(dense.shape[1]):
            if dense[i, c] != 0:
                columns[at] = c
                values[at] = dense[i, c]
                at += 1


@njit(types.void(*_PACKED, writable("f4", 2)), cache=True, nogil=True)
def unpack(starts, columns, values, out):
    """The rows of ``starts`` as float32 (m, r); entries are numbered from starts[0]."""
    first = starts[0]
    for i in range(out.shape[0]):
        out[i] = np.float32(0.0)
        for p in range(starts[i] - first, starts[i + 1] - first):
            out[i, columns[p]] = values[p]


# Without fastmath: terms are added one after the other in the order of a row's features, so that
# the sums are those of the same matrix kept dense.
@njit(
    types.void(readonly("i8"), readonly("i4"), readonly("f4"), *_PACKED, writable("f4", 2)),
    cache=True, nogil=True,
)  # fmt: skip
def multiply(indptr, indices, data, starts, columns, values, out):
    """out = A B, float32 (m, r), for A (m, n) in CSR form and packed B (n, r)."""
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = np.float32(0.0)
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            feature = np.uint32(indices[p])
            for q in range(starts[feature], starts[feature + 1]):
                row[columns[q]] += x * values[q]

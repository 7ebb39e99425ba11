"""The symmetrised pattern Omega of neighbour lists: every unordered pair once."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(readonly("i4", 2), readonly("i4"), readonly("i4"), writable("i8")),
    cache=True,
    nogil=True,
)
def count_pairs(neighbours, sizes, position, indptr):
    """Prefix sums ``indptr`` (n+1) of the directed pairs filed under their smaller position."""
    n = sizes.size
    indptr[:] = 0
    for i in range(n):
        for t in range(sizes[i]):
            indptr[min(position[i], position[neighbours[i, t]]) + 1] += 1
    for i in range(n):
        indptr[i + 1] += indptr[i]


@njit(
    types.int64(
        readonly("i4", 2), readonly("i4"), readonly("f4", 2), readonly("i4"), writable("i8"),
        writable("i8"), writable("i4"), writable("f4"), writable("f4"),
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def merge_pairs(neighbours, sizes, similarity, position, indptr, keys, columns, weights, targets):
    """Fill the upper triangle (diagonal included) of the symmetrised pattern, in CSR form.

    Parameters
    ----------
    neighbours, sizes, similarity : int32 (n, m), int32 (n), float32 (n, m)
        Directed lists: i chose neighbours[i, t] for t < sizes[i].
    position : int32 (n)
        Where point i goes; rows and columns of the result are positions.
    indptr : int64 (n+1)
        From count_pairs; rewritten to the merged row boundaries.
    keys : int64 (directed pairs)
        Scratch.
    columns, weights, targets : int32, float32, float32 (directed pairs)
        Per unordered pair: the larger position, how many of the two chose the other (1 or 2;
        1 on the diagonal), and the similarity.

    Returns
    -------
    int
        Number of unordered pairs; the arrays are filled up to there.
    """
    n = sizes.size
    fill = indptr[:n].copy()
    bits = np.empty(1, np.float32)
    as_int = bits.view(np.uint32)
    for i in range(n):
        for t in range(sizes[i]):
            a = position[i]
            b = position[neighbours[i, t]]
            bits[0] = similarity[i, t]
            low, high = min(a, b), max(a, b)
            keys[fill[low]] = (np.int64(high) << 32) | np.int64(as_int[0])
            fill[low] += 1
    size = 0
    start = 0
    for i in range(n):
        stop = indptr[i + 1]
        row = keys[start:stop]
        row.sort()
        first = size
        for key in row:
            column = np.int32(key >> 32)
            if size > first and columns[size - 1] == column:
                weights[size - 1] += np.float32(1.0)
            else:
                columns[size] = column
                weights[size] = np.float32(1.0)
                as_int[0] = np.uint32(key & 0xFFFFFFFF)
                targets[size] = bits[0]
                size += 1
        start = stop
        indptr[i + 1] = size
    return size


@njit(
    types.void(
        readonly("i8"), readonly("i4"), writable("i8"), writable("i4"), writable("i4")
    ),
    cache=True, nogil=True,
)  # fmt: skip
def mirror(indptr, columns, full_indptr, full_columns, source):
    """Rows of T + T^T for an upper triangle T, so that a product needs no scattered writes.

    Parameters
    ----------
    indptr, columns : int64 (n+1), int32 (entries)
        The triangle, rows ascending.
    full_indptr, full_columns : int64 (n+1), int32 (2 entries)
        Filled with the mirrored pattern, rows ascending; a diagonal entry stands twice.
    source : int32 (2 entries)
        Filled with the place in the triangle of each mirrored entry, below 2^32: the 32 bits are
        those of an unsigned number.
    """
    n = indptr.size - 1
    full_indptr[:] = 0
    for i in range(n):
        full_indptr[i + 1] += indptr[i + 1] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            full_indptr[columns[p] + 1] += 1
    for i in range(n):
        full_indptr[i + 1] += full_indptr[i]
    fill = full_indptr[:n].copy()
    # what lies below the diagonal comes first in every row: from smaller rows, in their order
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            j = columns[p]
            full_columns[fill[j]] = i
            source[fill[j]] = p
            fill[j] += 1
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            full_columns[fill[i]] = columns[p]
            source[fill[i]] = p
            fill[i] += 1

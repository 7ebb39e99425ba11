"""Passes over all entries of a CSR matrix: scaled rows, and how often each column occurs."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("f8"), writable("f4")
    ),
    cache=True, nogil=True,
)  # fmt: skip
def scale_rows(indptr, indices, values, weights, out):
    """Multiply columns by weights, then give every row length 1; sums are float64.

    Parameters
    ----------
    indptr, indices, values : int64 (n + 1,), int32 and float32 (nnz,)
        The matrix.
    weights : float64 (d,), or (0,) for none
    out : float32 (nnz,)
        Filled with the new values; it may be ``values`` itself.
    """
    weighted = weights.size > 0
    for i in range(indptr.size - 1):
        squares = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            value = np.float64(values[t])
            if weighted:
                value *= weights[indices[t]]
            squares += value * value
        # A row of stored zeros has length 0 and stays as it is.
        length = np.sqrt(squares) if squares > 0 else 1.0
        for t in range(indptr[i], indptr[i + 1]):
            value = np.float64(values[t])
            if weighted:
                value *= weights[indices[t]]
            out[t] = np.float32(value / length)


@njit(types.void(readonly("i4"), writable("i8")), cache=True, nogil=True)
def count_entries(indices, counts):
    """Add the number of entries of each column to counts, int64 (d,)."""
    for index in indices:
        counts[index] += 1


@njit(types.void(readonly("i4"), readonly("f4"), writable("i8")), cache=True, nogil=True)
def count_nonzeros(indices, values, counts):
    """As ``count_entries``, without stored zeros."""
    for t in range(indices.size):
        counts[indices[t]] += values[t] != 0


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), readonly("i8"),
        readonly("i8"), writable("i4"), writable("f4"),
    ),
    cache=True, nogil=True,
)  # fmt: skip
def copy_rows(indptr, indices, values, rows, new_indptr, new_indices, new_values):
    """Fill the entries of a matrix whose rows are ``rows``, int64 (m,), of another.

    ``new_indptr``, int64 (m + 1,), is given; the entries are int32 and float32 (new nnz,).
    """
    for i in range(rows.size):
        start, at = indptr[rows[i]], new_indptr[i]
        for t in range(new_indptr[i + 1] - at):
            new_indices[at + t] = indices[start + t]
            new_values[at + t] = values[start + t]

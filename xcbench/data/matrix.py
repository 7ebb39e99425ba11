"""CSR arrays from their three parts, without copies and without repeated checks."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.kernels.csr import csr_parts
from xcbench.kernels.csr_rows import copy_rows, count_entries

INT32_MAX = 2**31 - 1
_FEW_COLUMNS = 1 << 20


def csr(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """A canonical csr_array that shares the given arrays.

    Parameters
    ----------
    data : ndarray of float32, shape (nnz,)
    indices : ndarray of int32, shape (nnz,)
        Ascending within a row, without repeats; the caller vouches for it.
    indptr : ndarray of int32 or int64, shape (n + 1,)
        int64 only from 2**31 entries on.
    shape : tuple of int

    Notes
    -----
    scipy's own constructor copies the indices when their type is not that of indptr, and tests
    the order of all of them on first use; both cost the size of the matrix. From 2**31 entries on
    the types do differ, and then all of scipy's indexing copies the indices; ``slice_rows`` and
    ``take_rows`` do not.
    """
    matrix = sparse.csr_array(shape, dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


def row_pointers(ends: np.ndarray) -> np.ndarray:
    """int64 pointers as int32 where they fit."""
    return ends.astype(np.int32, copy=False) if ends[-1] <= INT32_MAX else ends


def slice_rows(matrix: sparse.csr_array, first: int, last: int) -> sparse.csr_array:
    """Rows first to last - 1, with the entries of the matrix itself, not copies of them."""
    start, stop = int(matrix.indptr[first]), int(matrix.indptr[last])
    indptr = row_pointers(matrix.indptr[first : last + 1].astype(np.int64) - start)
    indices, data = matrix.indices[start:stop], matrix.data[start:stop]
    return csr(data, indices, indptr, (last - first, matrix.shape[1]))


def take_rows(matrix: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
    """The rows of those numbers in that order, float32; of the matrix only they are touched."""
    indptr, indices, values = csr_parts(matrix)
    rows = rows.astype(np.int64, copy=False)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(indptr[rows + 1] - indptr[rows])])
    taken = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.float32)
    copy_rows(indptr, indices, values, rows, ends, *taken)
    return csr(taken[1], taken[0], row_pointers(ends), (rows.size, matrix.shape[1]))


def widened(matrix: sparse.csr_array, n_columns: int) -> sparse.csr_array:
    """The same entries in a matrix of n_columns columns, at least as many as it has."""
    shape = (matrix.shape[0], n_columns)
    return csr(matrix.data, matrix.indices, matrix.indptr, shape)


def column_counts(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """The columns that have entries, ascending, and how many each has (int64).

    A header may state any number of columns: memory is that of the entries at most.
    """
    if matrix.shape[1] > matrix.nnz + _FEW_COLUMNS:
        return np.unique(matrix.indices, return_counts=True)
    counts = np.zeros(matrix.shape[1], np.int64)
    count_entries(csr_parts(matrix)[1], counts)
    columns = np.flatnonzero(counts)
    return columns, counts[columns]

"""CSR arrays from their three parts, without copies and without repeated checks."""

from __future__ import annotations

import numpy as np
from scipy import sparse

INT32_MAX = 2**31 - 1


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
    the order of all of them on first use; both cost the size of the matrix.
    """
    matrix = sparse.csr_array(shape, dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


def row_pointers(ends: np.ndarray) -> np.ndarray:
    """int64 pointers as int32 where they fit."""
    return ends.astype(np.int32) if ends[-1] <= INT32_MAX else ends


def widened(matrix: sparse.csr_array, n_columns: int) -> sparse.csr_array:
    """The same entries in a matrix of n_columns columns, at least as many as it has."""
    shape = (matrix.shape[0], n_columns)
    return csr(matrix.data, matrix.indices, matrix.indptr, shape)

"""Features and labels as scipy sparse matrices in .npz files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.data.defects import shown
from xcbench.data.matrix import INT32_MAX, csr
from xcbench.errors import DataError


def read_npz(
    path: str | os.PathLike[str], dtype: type[np.floating[Any]] = np.float32
) -> sparse.csr_array:
    """Read a matrix written by ``scipy.sparse.save_npz``; canonical csr_array of the dtype.

    Raises
    ------
    DataError
        The file is missing, is no such matrix, or holds a value or an entry twice that the text
        formats would refuse.
    """
    try:
        loaded = sparse.load_npz(path)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except Exception as error:  # zipfile, zlib and numpy's headers each have kinds of their own
        raise DataError(
            f"{path}: not a sparse matrix as scipy.sparse.save_npz writes it "
            f"({why_not_loaded(error)})"
        ) from None
    try:
        matrix = sparse.csr_array(loaded)
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise DataError(f"{path}: the matrix is inconsistent ({why_not_loaded(error)})") from None
    if max(matrix.shape) > INT32_MAX:
        raise DataError(f"{path}: found the shape {matrix.shape}; expected at most {INT32_MAX}")
    matrix.sort_indices()
    if not matrix.has_canonical_format:
        raise DataError(f"{path}: an entry occurs twice in a row; expected each once")
    with np.errstate(over="ignore"):
        narrow = matrix.data.astype(np.float32)
    if not np.isfinite(narrow).all():
        raise DataError(f"{path}: found a value that is not finite; expected finite float32")
    values = narrow if dtype is np.float32 else matrix.data.astype(dtype)
    indptr = matrix.indptr.astype(np.int64 if matrix.nnz > INT32_MAX else np.int32)
    return csr(values, matrix.indices.astype(np.int32), indptr, matrix.shape)


def why_not_loaded(error: Exception) -> str:
    """What a library says of bytes that may be anything; in own words where numpy's mislead."""
    if str(error).startswith("Object arrays"):
        return "it holds pickled Python objects, which are never loaded"
    if "pickled" in str(error):  # whatever is neither a zip archive nor an array
        return "it is no zip archive"
    return shown(str(error).encode("ascii", "replace"), most=100)

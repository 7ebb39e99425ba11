"""Split form: one sparse matrix a file, a header `n m` and one row `i:v i:v` a point."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.defects import Bounds
from xcbench.data.matrix import csr
from xcbench.data.rows import TextFormat, read_rows
from xcbench.errors import DataError

_SPARSE = TextFormat(("points", "columns"), "15539 5000", with_labels=False)


def read_sparse_text(path: str | os.PathLike[str]) -> sparse.csr_array:
    """Read one matrix, plain or gzipped; canonical csr_array of float32.

    Raises
    ------
    DataError
        The file is missing or malformed; names file, line, what was found and expected.
    """
    return read_rows(Path(path), _SPARSE, Bounds(None, None)).X


def as_labels(matrix: sparse.csr_array, path: str | os.PathLike[str]) -> sparse.csr_array:
    """The matrix as labels: stored values 1, or a DataError that names the first other one."""
    wrong = np.flatnonzero(matrix.data != 1)
    if wrong.size:
        entry = int(wrong[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        # In a text the header is line 1.
        place = f"row {row + 1}" if Path(path).suffix == ".npz" else f"line {row + 2}"
        raise DataError(
            f"{path}, {place}: label {matrix.indices[entry]} has the value "
            f"{matrix.data[entry]:g}; expected 1"
        )
    return csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape)

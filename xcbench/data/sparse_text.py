"""Split form: one sparse matrix a file, a header `n m` and one row `i:v i:v` a point."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.defects import Bounds
from xcbench.data.matrix import csr
from xcbench.data.rows import TextFormat, read_rows
from xcbench.data.text_rows import ROWS_AT_ONCE, entry_rows
from xcbench.data.whole.file import whole_file
from xcbench.errors import DataError

SPARSE = TextFormat(("points", "columns"), "15539 5000", with_labels=False)


def read_sparse_text(path: str | os.PathLike[str]) -> sparse.csr_array:
    """Read one matrix, plain or gzipped; canonical csr_array of float32.

    Raises
    ------
    DataError
        The file is missing or malformed; names file, line, what was found and expected.
    """
    return read_rows(Path(path), SPARSE, Bounds(None, None)).X


def write_sparse_text(path: str | os.PathLike[str], matrix: sparse.csr_array) -> None:
    """Write one matrix; the file appears whole or not, and reads back to the same float32."""
    n, m = matrix.shape
    with whole_file(Path(path)) as stream:
        stream.write(f"{n} {m}\n".encode())
        for first in range(0, n, ROWS_AT_ONCE):
            last = min(first + ROWS_AT_ONCE, n)
            rows = entry_rows(matrix, first, last, gap=" ")
            stream.write("".join(f"{row}\n" for row in rows).encode())


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

"""Features of new points, read a block of rows at a time: memory is that of a block.

The readers are those of whole files, with their strictness and their errors. Labels are read,
checked and left out. An .npz file alone is read whole, as it is packed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from scipy import sparse

from xcbench.data.byte_lines import STDIN
from xcbench.data.defects import Bounds
from xcbench.data.libsvm import LIBSVM
from xcbench.data.matrix import slice_rows
from xcbench.data.npz import read_npz
from xcbench.data.rows import read_row_blocks
from xcbench.data.sparse_text import SPARSE
from xcbench.data.xc_text import XC
from xcbench.errors import ConfigError, DataError

BlockForm = Literal["xc", "pair", "libsvm", "npz"]

_TEXTS = {"xc": XC, "pair": SPARSE, "libsvm": LIBSVM}
# Of a block, where rows are long: 16 MB in memory.
ENTRIES = 1 << 21


def iter_blocks(
    path: Path,
    form: BlockForm,
    n_features: int,
    rows_per_block: int,
    base: Literal[0, 1] | None = None,
    stated_by: str = "the caller states",
) -> Iterator[sparse.csr_array]:
    """The features of a file's rows, in their order.

    Parameters
    ----------
    path : Path
        Plain or gzipped; ``-`` is the standard input, of which there is no npz.
    form : {"xc", "pair", "libsvm", "npz"}
        XC text, one matrix of the split form, libsvm without a header, a scipy matrix.
    n_features : int
        What the file must have.
    rows_per_block : int
        Rows of a block at most; fewer where they hold many features.
    base : 0 or 1, optional
        The number a libsvm file counts from; of libsvm alone.
    stated_by : str
        Who states the features, for an index of a libsvm file beyond them.

    Yields
    ------
    csr_array of float32, shape (rows, n_features), canonical

    Raises
    ------
    DataError
        The file is missing or malformed (names the line, when that is reached) or has another
        number of features.
    ConfigError
        npz from the standard input, or libsvm without a base.
    """
    if form == "npz":
        if path == STDIN:
            raise ConfigError("an .npz cannot be read from the standard input; give its path")
        parts: Iterator[sparse.csr_array] = iter([read_npz(path)])
    else:
        if form == "libsvm" and base is None:
            raise ConfigError(f"{path}: libsvm needs the number it counts from, base 0 or 1")
        bounds = Bounds(None, None)
        if base is not None:
            bounds = Bounds(n_features, None, base, stated_by)
        pieces = read_row_blocks(path, _TEXTS[form], bounds, rows_per_block, ENTRIES)
        parts = (piece.X for piece in pieces)
    for X in parts:
        if X.shape[1] != n_features:
            has = "has" if form == "npz" else "line 1 states"
            raise DataError(f"{path}: {has} {X.shape[1]} features; {stated_by} {n_features}")
        for first in range(0, X.shape[0], rows_per_block):
            yield slice_rows(X, first, min(first + rows_per_block, X.shape[0]))

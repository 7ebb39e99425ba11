"""One-file XC text: a header `n d l`, then one row `l1,l2 f:v f:v` a point; plain or gzip.

Accepted beside the plain form: CRLF, spaces at the end of a row, several spaces between fields,
spaces after a comma, features in any order (sorted on reading), repeated labels (merged, and
counted), a missing final newline. A row that starts with a space has no labels; so has a row
whose first token is `f:v`, since no label list can hold a colon. An empty row is a point without
both. A stored zero (`7:0`) stays an entry of value 0. Values are float32(float(text)); what is too
small for float32 becomes a stored 0, what is too large is an error. An index has at most 18 digits.
Anything else is an error: tabs, comments, signs on indices, nan, a feature twice in a row, bytes
after the last row.
"""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from scipy import sparse

from xcbench.data.defects import Bounds
from xcbench.data.rows import TextFormat, read_rows
from xcbench.data.text_rows import ROWS_AT_ONCE, entry_rows, label_rows
from xcbench.data.whole.file import whole_file

XC = TextFormat(("points", "features", "labels"), "4880 1836 159", with_labels=True)


@dataclass(frozen=True, eq=False)
class XCText:
    """Points with features and labels as read.

    Attributes
    ----------
    X : csr_array of float32, shape (n, d)
        Features, canonical.
    Y : csr_array of float32, shape (n, l)
        Labels, canonical, every stored value 1.
    n_duplicate_labels : int
        Labels dropped because their row already had them.
    """

    X: sparse.csr_array
    Y: sparse.csr_array
    n_duplicate_labels: int = 0


def read_xc(path: str | os.PathLike[str]) -> XCText:
    """Read a one-file XC text, plain or gzipped.

    Raises
    ------
    DataError
        The file is missing or malformed; names file, line, what was found and expected.
    """
    rows = read_rows(Path(path), XC, Bounds(None, None))
    return XCText(rows.X, rows.Y, rows.n_merged)


def write_xc(path: str | os.PathLike[str], X: sparse.csr_array, Y: sparse.csr_array) -> None:
    """Write a one-file XC text, gzipped if the name ends in .gz; the file appears whole or not.

    Values get the fewest digits that read back to the same float32.

    Parameters
    ----------
    path : path
    X : csr_array of float32, shape (n, d)
        Every value finite.
    Y : csr_array, shape (n, l)
        Its stored entries are the labels, whatever their value.

    Raises
    ------
    ValueError
        X and Y differ in rows, or X holds a value that is not finite.
    """
    if X.shape[0] != Y.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and Y {Y.shape[0]}; expected the same number")
    if not np.isfinite(X.data).all():
        raise ValueError("X holds a nan or an infinity; expected finite values")
    path = Path(path)
    with whole_file(path) as raw:
        if path.suffix == ".gz":
            # Neither name nor time goes into the header: the same data gives the same bytes.
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                _write(cast(BinaryIO, packed), X, Y)
        else:
            _write(raw, X, Y)


def _write(stream: BinaryIO, X: sparse.csr_array, Y: sparse.csr_array) -> None:
    n, d = X.shape
    stream.write(f"{n} {d} {Y.shape[1]}\n".encode())
    for first in range(0, n, ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, n)
        rows = zip(label_rows(Y, first, last), entry_rows(X, first, last, lead=" "), strict=True)
        text = "".join(f"{labels}{features}\n" for labels, features in rows)
        stream.write(text.encode())

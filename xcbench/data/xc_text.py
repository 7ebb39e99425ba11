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
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from scipy import sparse

from xcbench.data.defects import Bounds
from xcbench.data.rows import TextFormat, read_rows

_XC = TextFormat(("points", "features", "labels"), "4880 1836 159", with_labels=True)
_ROWS_AT_ONCE = 4096


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
    rows = read_rows(Path(path), _XC, Bounds(None, None))
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
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as raw:
            if path.suffix == ".gz":
                # Neither name nor time goes into the header: the same data gives the same bytes.
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    _write(cast(BinaryIO, packed), X, Y)
            else:
                _write(raw, X, Y)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(stream: BinaryIO, X: sparse.csr_array, Y: sparse.csr_array) -> None:
    n, d = X.shape
    stream.write(f"{n} {d} {Y.shape[1]}\n".encode())
    for first in range(0, n, _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE, n)
        rows = zip(_label_fields(Y, first, last), _feature_fields(X, first, last), strict=True)
        text = "".join(f"{labels}{features}\n" for labels, features in rows)
        stream.write(text.encode())


def _label_fields(Y: sparse.csr_array, first: int, last: int) -> Iterator[str]:
    start, stop = Y.indptr[first], Y.indptr[last]
    labels = Y.indices[start:stop].tolist()
    ends = (Y.indptr[first : last + 1] - start).tolist()
    for begin, end in pairwise(ends):
        yield ",".join(map(str, labels[begin:end]))


def _feature_fields(X: sparse.csr_array, first: int, last: int) -> Iterator[str]:
    start, stop = X.indptr[first], X.indptr[last]
    values = X.data[start:stop].astype(np.float32)
    texts = [text.removesuffix(".0") for text in values.astype("U").tolist()]
    entries = [f" {f}:{v}" for f, v in zip(X.indices[start:stop].tolist(), texts, strict=True)]
    ends = (X.indptr[first : last + 1] - start).tolist()
    for begin, end in pairwise(ends):
        yield "".join(entries[begin:end])

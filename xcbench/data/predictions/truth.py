"""The labels of a file alone, whichever of the forms with labels it has."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.byte_lines import STDIN, BrokenStream, whole_lines
from xcbench.data.npz import read_npz
from xcbench.data.sparse_text import as_labels, read_sparse_text
from xcbench.data.xc_text import read_xc
from xcbench.errors import DataError


def read_labels(path: Path) -> sparse.csr_array:
    """The labels of one-file XC text, of split form (``n l``) or of a sparse matrix in ``.npz``.

    Returns
    -------
    csr_array of float32, shape (n, l)
        Canonical, every stored value 1.

    Raises
    ------
    DataError
        The file is missing, a pipe, of predictions or malformed, or a value is not 1.
    """
    require_file(path)
    if path.suffix != ".npz" and _holds_predictions(path):
        raise DataError(
            f"{path}: it holds predictions; expected true labels (predictions come first, then "
            "the truth)"
        )
    if path.suffix == ".npz":
        return as_labels(read_npz(path), path)
    if has_two_counts(path):
        return as_labels(read_sparse_text(path), path)
    return read_xc(path).Y


def require_file(path: Path) -> None:
    """Refuse a pipe: the form of a file is told by its start, and then it is read again."""
    if path == STDIN or (path.exists() and not path.is_file() and not path.is_dir()):
        raise DataError(f"{path}: not a file but a stream, which cannot be read twice; save it")


def has_two_counts(path: Path) -> bool:
    """Whether a file starts with two counts: one matrix as text, without labels before features."""
    return re.fullmatch(rb" *\d+ +\d+ *\r?", _first_line(path)) is not None


def _holds_predictions(path: Path) -> bool:
    return _first_line(path).startswith((b"row\trank\t", b"{"))


def _first_line(path: Path) -> bytes:
    try:
        return next(whole_lines(path), np.zeros(0, np.uint8)).tobytes().split(b"\n", 1)[0]
    except (DataError, BrokenStream):
        return b""  # reading it will say why

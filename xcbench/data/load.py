"""Reads the files of one split into its training and test part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.libsvm import read_libsvm
from xcbench.data.matrix import csr, widened
from xcbench.data.npz import read_npz
from xcbench.data.sources import Sources
from xcbench.data.sparse_text import as_labels, read_sparse_text
from xcbench.data.splits import read_split
from xcbench.data.xc_text import XCText, read_xc
from xcbench.errors import DataError


@dataclass(frozen=True, eq=False)
class Parts:
    """Both parts of a split, equally wide.

    Attributes
    ----------
    train, test : XCText
    widths : tuple
        (d, l) as each part states them; where they differ both parts got the larger ones.
    """

    train: XCText
    test: XCText
    widths: tuple[tuple[int, int], tuple[int, int]]


def load(sources: Sources) -> Parts:
    """Read and check the files of one split.

    Raises
    ------
    DataError
        A file is missing or malformed, the parts do not fit, or one of them is empty.
    """
    train, test = _READERS[sources.kind](sources)
    for part, name in ((train, "training"), (test, "test")):
        if part.X.shape[0] == 0:
            raise DataError(f"{sources.files[0].parent}: the {name} part has no rows")
    widths = [(part.X.shape[1], part.Y.shape[1]) for part in (train, test)]
    d, n_labels = (max(pair) for pair in zip(*widths, strict=True))
    train, test = (
        XCText(widened(part.X, d), widened(part.Y, n_labels), part.n_duplicate_labels)
        for part in (train, test)
    )
    return Parts(train, test, (widths[0], widths[1]))


def _load_files(sources: Sources) -> tuple[XCText, XCText]:
    train, test = sources.files
    return read_xc(train), read_xc(test)


def _load_libsvm(sources: Sources) -> tuple[XCText, XCText]:
    if sources.base is None:
        raise ValueError("libsvm sources without a base")
    train, test = sources.files
    return read_libsvm(train, sources.base), read_libsvm(test, sources.base)


def _load_pairs(sources: Sources) -> tuple[XCText, XCText]:
    return _paired(sources.files, [read_sparse_text(path) for path in sources.files])


def _load_npz(sources: Sources) -> tuple[XCText, XCText]:
    return _paired(sources.files, [read_npz(path) for path in sources.files])


def _paired(files: tuple[Path, ...], matrices: list[sparse.csr_array]) -> tuple[XCText, XCText]:
    parts = []
    for first in (0, 2):
        X, Y = matrices[first : first + 2]
        if X.shape[0] != Y.shape[0]:
            raise DataError(
                f"{files[first]} has {X.shape[0]} rows and {files[first + 1]} has {Y.shape[0]}; "
                "expected the same number"
            )
        parts.append(XCText(X, as_labels(Y, files[first + 1])))
    return parts[0], parts[1]


def _load_splits(sources: Sources) -> tuple[XCText, XCText]:
    data, train_file, test_file = sources.files
    whole = read_xc(data)
    n = whole.X.shape[0]
    train_rows = read_split(train_file, sources.split, n)
    test_rows = read_split(test_file, sources.split, n)
    shared = np.intersect1d(train_rows, test_rows)
    if shared.size:
        raise DataError(
            f"{train_file} and {test_file} share {shared.size} rows in split {sources.split}, "
            f"the first is {shared[0] + 1}; expected none"
        )
    # Repeated labels are counted for the file, not for each part of it.
    return (
        XCText(_rows(whole.X, train_rows), _rows(whole.Y, train_rows), whole.n_duplicate_labels),
        XCText(_rows(whole.X, test_rows), _rows(whole.Y, test_rows)),
    )


def _rows(matrix: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
    taken = matrix[rows]
    return csr(taken.data, taken.indices, taken.indptr, taken.shape)


_READERS = {
    "files": _load_files,
    "libsvm": _load_libsvm,
    "pairs": _load_pairs,
    "npz": _load_npz,
    "splits": _load_splits,
}

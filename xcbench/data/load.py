"""Reads the files of one split into its training and test part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.config.dataset import HeldOutConfig
from xcbench.data.corruption import corrupted
from xcbench.data.libsvm import read_libsvm
from xcbench.data.matrix import take_rows, widened
from xcbench.data.npz import read_npz
from xcbench.data.sources import Sources
from xcbench.data.sparse_text import as_labels, read_sparse_text
from xcbench.data.splits.read import read_split
from xcbench.data.splits.rows import split_rows
from xcbench.data.xc_text import XCText, read_xc
from xcbench.errors import DataError

_PARTS = ("training", "test")


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
    for part, name, path in zip((train, test), _PARTS, _first_files(sources), strict=True):
        if part.X.shape[0] == 0:
            raise DataError(f"{_says(sources, path)} 0 rows; the {name} part needs at least one")
    widths = [(part.X.shape[1], part.Y.shape[1]) for part in (train, test)]
    d, n_labels = (max(pair) for pair in zip(*widths, strict=True))
    train, test = (
        XCText(widened(part.X, d), widened(part.Y, n_labels), part.n_duplicate_labels)
        for part in (train, test)
    )
    if sources.held_out is not None:
        train, test = _held_out(train, sources.held_out, sources.name.rsplit("-heldout", 1)[0])
    if sources.corrupted is not None:
        train = replace(train, Y=corrupted(train.Y, sources.corrupted, sources.name))
    return Parts(train, test, (widths[0], widths[1]))


def _held_out(train: XCText, how: HeldOutConfig, name: str) -> tuple[XCText, XCText]:
    """The training rows in two; of the test rows only the widths are left."""
    try:
        rest, held, _ = split_rows(train.Y, how.share, how.seed, keep_labels=False)
    except DataError as error:
        raise DataError(f"{name}: held_out.share: {error}") from None
    return (
        XCText(take_rows(train.X, rest), take_rows(train.Y, rest), train.n_duplicate_labels),
        XCText(take_rows(train.X, held), take_rows(train.Y, held)),
    )


def differing_widths(sources: Sources, parts: Parts) -> list[str]:
    """Where the training and the test part state other numbers of columns, in words."""
    (train, test), found = _first_files(sources), []
    for (ours, theirs), name in zip(
        zip(*parts.widths, strict=True), ("features", "labels"), strict=True
    ):
        if ours != theirs:
            found.append(
                f"{_says(sources, train)} {ours} {name}, {_says(sources, test)} {theirs}: "
                f"both are read with {max(ours, theirs)}"
            )
        if sources.kind in ("pairs", "npz"):  # labels are in a file of their own
            train, test = sources.files[1], sources.files[3]
    return found


def _first_files(sources: Sources) -> tuple[Path, Path]:
    """The file that states the size of the training part, and that of the test part."""
    if sources.kind == "splits":
        return sources.files[0], sources.files[0]
    return sources.files[0], sources.files[len(sources.files) // 2]


def _says(sources: Sources, path: Path) -> str:
    """A file as the subject of a sentence about its size, which a text states in its header."""
    has_header = sources.kind not in ("npz", "libsvm")
    return f"{path}, line 1 states" if has_header else f"{path} has"


def _load_files(sources: Sources) -> tuple[XCText, XCText]:
    train, test = sources.files
    return read_xc(train), read_xc(test)


def _load_libsvm(sources: Sources) -> tuple[XCText, XCText]:
    if sources.base is None:
        raise ValueError("libsvm sources without a base")
    train, test = sources.files
    return read_libsvm(train, sources.base), read_libsvm(test, sources.base)


def _load_pairs(sources: Sources) -> tuple[XCText, XCText]:
    return _paired(sources, [read_sparse_text(path) for path in sources.files])


def _load_npz(sources: Sources) -> tuple[XCText, XCText]:
    return _paired(sources, [read_npz(path) for path in sources.files])


def _paired(sources: Sources, matrices: list[sparse.csr_array]) -> tuple[XCText, XCText]:
    parts = []
    for first in (0, 2):
        (X, Y), (features, labels) = matrices[first : first + 2], sources.files[first : first + 2]
        if X.shape[0] != Y.shape[0]:
            raise DataError(
                f"{_says(sources, features)} {X.shape[0]} rows, "
                f"{_says(sources, labels)} {Y.shape[0]}; expected the same number"
            )
        parts.append(XCText(X, as_labels(Y, labels)))
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
        XCText(
            take_rows(whole.X, train_rows), take_rows(whole.Y, train_rows), whole.n_duplicate_labels
        ),
        XCText(take_rows(whole.X, test_rows), take_rows(whole.Y, test_rows)),
    )


_READERS = {
    "files": _load_files,
    "libsvm": _load_libsvm,
    "pairs": _load_pairs,
    "npz": _load_npz,
    "splits": _load_splits,
}

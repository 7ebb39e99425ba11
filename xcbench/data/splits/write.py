"""A file of points that is not parted yet, and the files of its parts."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.data.matrix import take_rows
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, read_names
from xcbench.data.npz import read_npz
from xcbench.data.predictions.truth import has_two_counts, read_labels
from xcbench.data.sparse_text import read_sparse_text
from xcbench.data.xc_text import XCText, read_xc, write_xc
from xcbench.errors import DataError

CARRIED = (LABEL_NAMES, FEATURE_NAMES, "text.json")


def read_points(path: Path, labels: Path | None) -> XCText:
    """One-file XC text; or, given the file of the labels, features as split form or ``.npz``.

    Raises
    ------
    DataError
        A file is missing or malformed, or they differ in rows.
    """
    if labels is None:
        if path.suffix == ".npz" or has_two_counts(path):
            raise DataError(f"{path}: one matrix; name the file of its labels with --labels")
        return read_xc(path)
    X = read_npz(path) if path.suffix == ".npz" else read_sparse_text(path)
    Y = read_labels(labels)
    if X.shape[0] != Y.shape[0]:
        raise DataError(f"{path} has {X.shape[0]} rows, {labels} {Y.shape[0]}; expected the same")
    return XCText(X, Y)


def write_part(path: Path, points: XCText, rows: np.ndarray) -> None:
    """Some rows of the points as XC text; it states all features and labels."""
    write_xc(path, take_rows(points.X, rows), take_rows(points.Y, rows))


def write_split_file(path: Path, columns: Sequence[np.ndarray]) -> None:
    """Row numbers as the XC repository has them: counted from 1, a column a split.

    Parameters
    ----------
    path : Path
    columns : sequence of ndarray of int, each of the same size
        Rows counted from 0.
    """
    np.savetxt(path, np.column_stack(columns) + 1, fmt="%d")


def carry_names(source: Path, folder: Path, Y: sparse.csr_array, n_features: int) -> list[str]:
    """Copy the names of labels and features, and how texts became these, if they lie beside.

    Returns
    -------
    list of str
        The files copied.

    Raises
    ------
    DataError
        Names are of another number of labels or features.
    """
    found = [name for name in CARRIED if (source / name).is_file()]
    counts = {LABEL_NAMES: Y.shape[1], FEATURE_NAMES: n_features}
    for name in found:
        if name in counts:
            read_names(source / name, counts[name])
        shutil.copyfile(source / name, folder / name)
    return found

"""A file of points that is not parted yet, and the files of its parts."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from xcbench.data.catalogue import catalogue, common_layouts
from xcbench.data.matrix import take_rows
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, TEXTS, names_beside
from xcbench.data.npz import read_npz
from xcbench.data.predictions.truth import has_two_counts, read_labels
from xcbench.data.sparse_text import read_sparse_text
from xcbench.data.synthesis.shape import NOTE
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


def carried_names(source: Path, points: XCText) -> list[str]:
    """Files of the names of labels and features, and of how texts became these, in a folder.

    Raises
    ------
    DataError
        Names are of another number of labels or features.
    """
    names_beside(source, points.X.shape[1], points.Y.shape[1])
    return [name for name in CARRIED if (source / name).is_file()]


def copy_files(source: Path, folder: Path, names: Sequence[str]) -> None:
    """Copy files of one folder to another."""
    for name in names:
        shutil.copyfile(source / name, folder / name)


def stale_files(folder: Path, written: Sequence[str]) -> list[Path]:
    """What lies in a folder and would be taken for a part of the data that is written there.

    Packed versions of the files, names, texts and the note of made-up data.
    """
    packed = [f"{name}.gz" for name in written]
    others = [name for name in (*CARRIED, *TEXTS, NOTE) if name not in written]
    return [folder / name for name in (*packed, *others) if (folder / name).exists()]


def other_layout(folder: Path, written: Sequence[str]) -> str | None:
    """The files of a dataset that a folder holds and that are left when others are written there.

    Which of two is meant nobody could tell.
    """
    if not folder.is_dir():
        return None
    ours = {name.lower() for name in written}
    there = {path.name.lower().removesuffix(".gz") for path in folder.iterdir()}
    known = [*common_layouts(), *(layout for e in catalogue().values() for layout in e.layouts)]
    for layout in known:
        files = {name.lower() for name in layout.files}
        if files <= there and not files & ours:
            return " + ".join(layout.files)
    return None

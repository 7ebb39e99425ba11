"""Reads a dataset of matrices in any of its forms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from xcbench.config.dataset import DatasetConfig
from xcbench.data.convert.content import Content, Part
from xcbench.data.libsvm import read_libsvm
from xcbench.data.load import differing_widths, load
from xcbench.data.mulan.arff import read_mulan
from xcbench.data.names import TEXTS, names_beside, read_names
from xcbench.data.npz import read_npz
from xcbench.data.sources import locate
from xcbench.data.sparse_text import as_labels, read_sparse_text
from xcbench.data.texts.features import TextFeatures
from xcbench.data.xc_text import XCText, read_xc
from xcbench.errors import ConfigError, DataError


def read_dataset(config: DatasetConfig, data_root: Path, split: int = 1) -> Content:
    """Read a dataset that is used by its name, with names and texts as far as they are there.

    Raises
    ------
    DataError
        It is not in place, or a file is malformed or does not fit the others.
    """
    sources = locate(config, data_root, split)
    parts = load(sources)
    folder = sources.files[0].parent
    names = names_beside(folder, parts.train.X.shape[1], parts.train.Y.shape[1])
    text = TextFeatures.open(folder)
    if text is not None and len(text.vocabulary) != parts.train.X.shape[1]:
        raise DataError(
            f"{folder}: {len(text.vocabulary)} terms and {parts.train.X.shape[1]} features; "
            "expected the same number"
        )
    kept = _kept_texts(folder, parts.train.X.shape[0], parts.test.X.shape[0])
    remarks = _merged(parts.train, parts.test) + tuple(differing_widths(sources, parts))
    return Content(
        Part(parts.train.X, parts.train.Y, kept[0]),
        Part(parts.test.X, parts.test.Y, kept[1]),
        names,
        text,
        _rounded([path for path in sources.files if path.suffix == ".npz"]) + remarks,
    )


def _kept_texts(folder: Path, *counts: int) -> list[tuple[str, ...] | None]:
    """The texts of both parts, or of none."""
    paths = [folder / name for name in TEXTS]
    if not all(path.is_file() for path in paths):
        return [None, None]
    return [read_names(path, count) for path, count in zip(paths, counts, strict=True)]


def read_part(
    paths: Sequence[Path],
    form: str,
    base: Literal[0, 1] | None = None,
    labels_xml: Path | None = None,
) -> Content:
    """Read files that hold one part.

    Parameters
    ----------
    paths : sequence of Path
        One file; of ``pair`` and ``npz`` the features and then the labels; of ``mulan`` the ARFF
        and then the XML.
    form : str
        Not one of texts.
    base : 0 or 1, optional
        What a libsvm file counts from.
    labels_xml : Path, optional
        The XML of a Mulan file given alone; by default the only one beside it.

    Raises
    ------
    ConfigError
        Another number of files than the form has, or no base.
    DataError
        A file is missing or malformed.
    """
    if form == "mulan":
        return _read_mulan(paths, labels_xml)
    wanted = 2 if form in ("pair", "npz") else 1
    if len(paths) != wanted:
        taken = "two files, the features and the labels" if wanted == 2 else "one file"
        raise ConfigError(f"{' '.join(map(str, paths))}: {form} takes {taken}")
    content = _read_matrices(paths, form, base)
    names = names_beside(paths[0].parent, content.X.shape[1], content.Y.shape[1])
    remarks = _rounded(paths if form == "npz" else ()) + _merged(content)
    return Content(Part(content.X, content.Y), names=names, remarks=remarks)


def _read_matrices(paths: Sequence[Path], form: str, base: Literal[0, 1] | None) -> XCText:
    if form == "xc":
        return read_xc(paths[0])
    if form == "libsvm":
        if base is None:
            raise ConfigError(
                f"{paths[0]} is libsvm text without a header: say with --base 0 or --base 1 which "
                "number it counts from"
            )
        return read_libsvm(paths[0], base)
    read = read_npz if form == "npz" else read_sparse_text
    X, Y = map(read, paths)
    if X.shape[0] != Y.shape[0]:
        raise DataError(
            f"{paths[0]} has {X.shape[0]} rows, {paths[1]} {Y.shape[0]}; expected the same number"
        )
    return XCText(X, as_labels(Y, paths[1]))


def _read_mulan(paths: Sequence[Path], labels_xml: Path | None) -> Content:
    if len(paths) > 2:
        raise ConfigError(f"{' '.join(map(str, paths))}: mulan takes an ARFF file and its XML")
    xml = paths[1] if len(paths) == 2 else labels_xml or xml_beside(paths[0])
    mulan = read_mulan(paths[0], xml)
    return Content(Part(mulan.content.X, mulan.content.Y), names=mulan.names)


def xml_beside(arff: Path) -> Path:
    """The only XML file in the folder of an ARFF file.

    Raises
    ------
    ConfigError
        There is none, or more than one.
    """
    found = sorted(arff.parent.glob("*.xml"))
    if len(found) != 1:
        raise ConfigError(
            f"{arff}: found {len(found)} XML files beside it; give the one of its labels after it"
        )
    return found[0]


def _rounded(archives: Sequence[Path]) -> tuple[str, ...]:
    """Whether values of matrices that were read are others as float32, compared in their type."""
    count = 0
    for path in archives:
        with np.load(path, allow_pickle=False) as arrays:
            values = arrays["data"]
        with np.errstate(invalid="ignore"):  # the largest int64 is no int64 afterwards
            again = values.astype(np.float32).astype(values.dtype)
        count += int(np.count_nonzero(again != values))
    return (f"values that were rounded to float32: {count}",) if count else ()


def _merged(*parts: XCText) -> tuple[str, ...]:
    count = sum(part.n_duplicate_labels for part in parts)
    return (f"labels that their row had already, merged: {count}",) if count else ()

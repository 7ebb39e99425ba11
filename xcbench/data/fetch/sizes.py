"""Whether files are the dataset the catalogue describes, by the counts they state."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from xcbench.data.byte_lines import BrokenStream, whole_lines
from xcbench.data.catalogue import CatalogueEntry
from xcbench.data.npz import read_npz
from xcbench.data.sources import Sources
from xcbench.data.splits.read import read_split
from xcbench.errors import DataError


def require_sizes(entry: CatalogueEntry, sources: Sources) -> None:
    """Compare the header of every file with the catalogue; of split files, what they name.

    Headers are read, not the rows: `xcbench data check` reads those.

    Raises
    ------
    DataError
        Names the first file that states other counts, what was found and what was expected.
    """
    d, n_labels = entry.n_features, entry.n_labels
    parts = (entry.n_train, entry.n_test)
    match sources.kind:
        case "splits":
            data, *rows = sources.files
            n = sum(parts)
            _require(data, _header(data), (n, d, n_labels), "rows, features and labels")
            for path, expected in zip(rows, parts, strict=True):
                found = read_split(path, entry.n_splits, n).size
                _require(path, (found,), (expected,), f"rows in split {entry.n_splits}")
        case "files":
            for path, n in zip(sources.files, parts, strict=True):
                _require(path, _header(path), (n, d, n_labels), "rows, features and labels")
        case _:
            shapes = [(n, width) for n in parts for width in (d, n_labels)]
            for path, shape in zip(sources.files, shapes, strict=True):
                found_shape = read_npz(path).shape if sources.kind == "npz" else _header(path)
                _require(path, found_shape, shape, "rows and columns")


def _header(path: Path) -> tuple[int, ...]:
    try:
        block = next(whole_lines(path), np.zeros(0, np.uint8))
    except BrokenStream as error:
        raise DataError(f"{path}: {error}") from None
    first = block.tobytes().split(b"\n", 1)[0]
    if not re.fullmatch(rb"[\d \r]{1,99}", first):
        raise DataError(f"{path}, line 1: found {first[:40]!r}; expected a header of counts")
    return tuple(map(int, first.split()))


def _require(path: Path, found: tuple[int, ...], expected: tuple[int, ...], what: str) -> None:
    if found != expected:
        shown = [" ".join(map(str, counts)) for counts in (found, expected)]
        raise DataError(f"{path}: found {shown[0]}; the catalogue expects {shown[1]} {what}")

"""What the first lines of a dataset's files tell: its sizes, and whether its values are counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from xcbench.config.dataset import Features
from xcbench.data.byte_lines import open_bytes
from xcbench.data.sources import Sources
from xcbench.errors import DataError

TEXT_SETTINGS = "text.json"
_ROWS = 200  # enough to tell counts from other values
_VALUE = re.compile(rb":(\S+)")
_WHOLE = re.compile(rb"[1-9][0-9]*(\.0*)?")


@dataclass(frozen=True)
class Glance:
    """Sizes as the files state them.

    Attributes
    ----------
    n_train, n_test : int or None
        None of files that do not state their rows, or of split files.
    n_features, n_labels : int or None
    """

    n_train: int | None
    n_test: int | None
    n_features: int | None
    n_labels: int | None

    def __str__(self) -> str:
        parts = {
            "training rows": self.n_train,
            "test rows": self.n_test,
            "features": self.n_features,
            "labels": self.n_labels,
        }
        return ", ".join(f"{n} {what}" for what, n in parts.items() if n is not None)


def glance(sources: Sources) -> Glance:
    """The sizes of a dataset, without reading it.

    Raises
    ------
    DataError
        A file cannot be read, or states no sizes where it should.
    """
    if sources.kind == "libsvm":
        return Glance(None, None, None, None)
    if sources.kind == "splits":
        _, n_features, n_labels = _header(sources.files[0], 3)
        return Glance(None, None, n_features, n_labels)
    if sources.kind == "files":
        train, test = (_header(path, 3) for path in sources.files)
        return Glance(train[0], test[0], max(train[1], test[1]), max(train[2], test[2]))
    shapes = [_shape(path) for path in sources.files]
    widths = [
        max(first[1], second[1]) for first, second in zip(shapes[:2], shapes[2:], strict=True)
    ]
    return Glance(shapes[0][0], shapes[2][0], *widths)


def usual_features(sources: Sources) -> Features:
    """tfidf for data made from texts, or whose first rows hold counts above one; else unit."""
    if (sources.files[0].parent / TEXT_SETTINGS).is_file():
        return "tfidf"
    if sources.kind == "npz":
        return "unit"
    with open_bytes(sources.files[0]) as stream:
        lines = list(islice(stream, 1, 1 + _ROWS))
    values = [value for line in lines for value in _VALUE.findall(line)]
    are_counts = all(_WHOLE.fullmatch(value) for value in values)
    return "tfidf" if are_counts and any(float(value) > 1 for value in values) else "unit"


def _shape(path: Path) -> tuple[int, ...]:
    if path.suffix != ".npz":
        return _header(path, 2)
    try:
        with np.load(path, allow_pickle=False) as archive:
            return tuple(int(size) for size in archive["shape"])
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path}: states no shape ({error})") from None


def _header(path: Path, numbers: int) -> tuple[int, ...]:
    with open_bytes(path) as stream:
        words = stream.readline(1000).split()
    if len(words) != numbers or not all(word.isdigit() for word in words):
        raise DataError(f"{path}:1: expected a header of {numbers} numbers")
    return tuple(int(word) for word in words)

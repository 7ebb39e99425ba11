"""How much memory and disk made-up data takes, which its sizes tell beforehand."""

from __future__ import annotations

import shutil
from pathlib import Path

from xcbench.data.synthesis.shape import SynthesisShape
from xcbench.data.synthesis.tables import SHARE
from xcbench.errors import ConfigError, DataError
from xcbench.kernels.synthesis import LONGEST_ENTRY, LONGEST_LABEL

_BYTES_OF_LABEL, _BYTES_OF_FEATURE = 42, 64  # at most at once while the tables are made
_LONGEST_SPREAD = 6  # times the mean: features of the longest row
_AROUND_NUMBER, _AROUND_ENTRY = 1, 8  # bytes: a comma or space, and :0.0721 with the space


def require_room(shape: SynthesisShape, folder: Path, memory: int) -> None:
    """Refuse, before anything is written, data that cannot be made here.

    Parameters
    ----------
    shape : SynthesisShape
    folder : Path
        Where it is to be; it need not be there.
    memory : int
        Bytes that may be taken.

    Raises
    ------
    ConfigError
        The tables, or one row, do not fit in the memory.
    DataError
        The texts do not fit on the disk.
    """
    if (needed := memory_bytes(shape)) > memory:
        raise ConfigError(
            f"{shape.n_labels} labels and {shape.n_features} features take about "
            f"{_spoken(needed)} of memory to draw from; {_spoken(memory)} are available"
        )
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if (needed := text_bytes(shape)) > (free := shutil.disk_usage(there).free):
        raise DataError(
            f"{folder}: {shape.n_train} + {shape.n_test} points take about {_spoken(needed)} of "
            f"text; {_spoken(free)} of the disk are free"
        )


def memory_bytes(shape: SynthesisShape) -> int:
    """The tables at their largest, and room for the longest row."""
    tables = _BYTES_OF_LABEL * shape.n_labels + _BYTES_OF_FEATURE * shape.n_features
    places = shape.n_labels + (_pairs(shape) - shape.n_labels) / SHARE
    labels = min(places / shape.n_train + 1, shape.n_labels)
    features = min(_LONGEST_SPREAD * shape.features_per_point + 2, shape.n_features)
    return tables + round(LONGEST_LABEL * labels + LONGEST_ENTRY * features)


def text_bytes(shape: SynthesisShape) -> int:
    """The size of the texts, to a few in a hundred."""
    n = shape.n_train + shape.n_test
    pairs = _pairs(shape) + shape.n_test * shape.labels_per_point
    labels = pairs * (_mean_digits(shape.n_labels) + _AROUND_NUMBER)
    entry = _mean_digits(shape.n_features) + _AROUND_ENTRY
    return round(labels + n * (shape.features_per_point * entry + 1))


def _pairs(shape: SynthesisShape) -> float:
    """Of a training point and a label; no label is without a point."""
    return max(shape.n_train * shape.labels_per_point, shape.n_labels)


def _mean_digits(count: int) -> float:
    """Of the numbers from 0 to count - 1."""
    found: float = 1 + sum(max(count - 10**digits, 0) for digits in range(1, 10)) / count
    return found


def _spoken(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e8 else f"{size / 1e6:,.1f} MB"

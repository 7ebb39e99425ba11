"""What every kind of task has in common: its data, what it comes to, and the files it leaves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.config.base import Settings
from xcbench.data.digests import file_sha256

PREDICTIONS = "predictions.npz"


@dataclass(frozen=True)
class Sizes:
    """How large a dataset is; 0 for what its kind does not have."""

    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    n_labels_unseen: int = 0  # those without a training row


@dataclass(frozen=True)
class TaskData:
    """Data ready to run on.

    Attributes
    ----------
    sha256 : str
        Equal for equal data; part of a job's identity.
    sizes : Sizes
    sources : tuple of dict
        Path, bytes and sha256 of each file it was read from; none where it is made up.
    content : whatever the task reads
    """

    sha256: str
    sizes: Sizes
    sources: tuple[dict[str, Any], ...]
    content: Any


@dataclass(frozen=True)
class Outcome:
    """What a job measured.

    Attributes
    ----------
    metrics : dict of str to float
        By the name of their column: "P@1", "error".
    seconds : dict of str to float
        Wall seconds of "train" and, where there is such a thing, "predict"; those of stages.
    sizes : dict of str to int
        Columns that count: "model_bytes".
    predictions_sha256 : str
        Of the arrays in ``predictions.npz``.
    """

    metrics: dict[str, float]
    seconds: dict[str, float]
    sizes: dict[str, int]
    predictions_sha256: str


def read_sources(paths: Iterable[Path]) -> tuple[dict[str, Any], ...]:
    """Path, bytes and sha256 of files.

    Raises
    ------
    DataError
        One cannot be read.
    """
    return tuple(
        {
            "path": str(path.absolute()),
            "sha256": file_sha256(path),
            "bytes": path.stat().st_size,
        }
        for path in paths
    )


def digest(sources: Iterable[Mapping[str, Any]], dataset: Settings) -> str:
    """The SHA-256 of what a dataset is made of: its files' contents and its settings."""
    parts = [dataset.model_dump(mode="json"), [source["sha256"] for source in sources]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def save_arrays(folder: Path, **arrays: np.ndarray) -> str:
    """Write arrays to ``predictions.npz`` and give their fingerprint."""
    written: dict[str, Any] = dict(arrays)
    np.savez(folder / PREDICTIONS, **written)
    return fingerprint_of(arrays)


def untimed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that a repeat must find again: all but those of seconds, ``..._seconds``."""
    return {name: array for name, array in arrays.items() if not name.endswith("_seconds")}


def fingerprint_of(arrays: Mapping[str, np.ndarray]) -> str:
    """The SHA-256 of named arrays without those of seconds.

    Equal exactly when names, dtypes, shapes and values are.
    """
    found = hashlib.sha256()
    for name, array in sorted(untimed(arrays).items()):
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

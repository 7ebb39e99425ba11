"""What is recorded about prepared data: where it comes from, what it holds, its one hash."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from xcbench.config.dataset import Features
from xcbench.data.load import Parts
from xcbench.data.matrix import column_counts
from xcbench.data.sources import Sources
from xcbench.data.statistics import empty_rows

FORMAT = 2  # raise it when what the stored files mean changes; older folders are then left unread


def describe(
    parts: Parts, sources: Sources, features: Features, digests: list[str]
) -> dict[str, Any]:
    """The content of ``meta.json``, but for the stored arrays.

    Parameters
    ----------
    parts : Parts
        As read, before scaling.
    sources : Sources
    features : {"unit", "tfidf", "raw"}
    digests : list of str
        SHA-256 of the source files.
    """
    train, test = parts.train, parts.test
    meta: dict[str, Any] = {
        "format": FORMAT,
        "name": sources.name,
        "split": sources.split,
        "features": features,
        "sources": [
            {"path": str(path.absolute()), "bytes": path.stat().st_size, "sha256": digest}
            for path, digest in zip(sources.files, digests, strict=True)
        ],
        "data_sha256": _content_sha256(parts, features),
        "n_train": train.X.shape[0],
        "n_test": test.X.shape[0],
        "n_features": train.X.shape[1],
        "n_labels": train.Y.shape[1],
        "widths": parts.widths,
        "train_labels_unused": train.Y.shape[1] - column_counts(train.Y)[0].size,
    }
    for name, part in (("train", train), ("test", test)):
        meta[name] = {
            "rows_without_labels": empty_rows(part.Y),
            "rows_without_features": empty_rows(part.X),
            "duplicate_labels": part.n_duplicate_labels,
        }
    return meta


def _content_sha256(parts: Parts, features: Features) -> str:
    """One hash over the data as read and the name of the scaling.

    It depends neither on how the files are packed or written nor on the last bits of the scaling's
    arithmetic, so machines agree on it; nor on the form of the store.
    """
    digest = hashlib.sha256(f"xcbench data, {features}".encode())
    for matrix in (parts.train.X, parts.train.Y, parts.test.X, parts.test.Y):
        digest.update(repr(tuple(int(size) for size in matrix.shape)).encode())
        for array in (matrix.indptr.astype("<i8"), matrix.indices, matrix.data):
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()

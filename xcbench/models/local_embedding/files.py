"""LocalEmbedding on disk: JSON and .npy files, one set per learner, opened memory-mapped.

The arrays of a learner's clusters lie one cluster after the other in flat files; ``layout`` holds
their sizes. A saved model is opened a learner and a cluster at a time, and what was opened is no
longer mapped once nobody holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, overload

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, StorageSettings
from xcbench.data.matrix import csr
from xcbench.errors import DataError
from xcbench.models.files import (
    load_csr,
    load_header,
    open_array,
    save_csr,
    save_flat,
    save_header,
)
from xcbench.models.local_embedding.cluster import Cluster
from xcbench.models.local_embedding.head import LinearHead
from xcbench.models.local_embedding.packed import Packed

T = TypeVar("T")

FORMAT = 3  # of the files; raised when they change
# The flat files of a learner: Cluster.arrays, in this order.
FLAT = (
    "rows", "features", "weight-values", "weight-columns", "weight-counts",
    "stored-values", "stored-columns", "stored-counts",
)  # fmt: skip

# The flat files of the heads: LinearHead.arrays, in this order.
HEAD = {
    "labels": np.int32, "features": np.int32, "starts": np.int64, "places": np.int32,
    "values": np.float32, "intercepts": np.float32,
}  # fmt: skip


class OnDemand(Sequence[T]):
    """So many things, each made anew whenever it is asked for, and kept by whoever asked."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        numbers = range(self._count)[index]
        return self._make(numbers) if isinstance(numbers, int) else [*map(self._make, numbers)]


def save_model(
    folder: Path, settings: LocalEmbeddingSettings, seed: int, labels: sparse.csr_array
) -> None:
    """Write settings, seed and the training labels."""
    save_header(folder, settings, seed, format=FORMAT, n_labels=labels.shape[1])
    np.save(folder / "label_indptr.npy", labels.indptr)
    np.save(folder / "label_indices.npy", labels.indices)


def load_model(folder: Path) -> tuple[LocalEmbeddingSettings, int, sparse.csr_array]:
    """Read back what save_model wrote; every label's value is the same 1 in memory.

    Raises
    ------
    DataError
        Another version of the package wrote the folder.
    """
    header = load_header(folder)
    if header.get("format", 1) != FORMAT:
        raise DataError(
            f"{folder}: the model is in format {header.get('format', 1)}; this version reads "
            f"format {FORMAT}: train it again"
        )
    indptr = open_array(folder / "label_indptr.npy")
    indices = open_array(folder / "label_indices.npy")
    if indptr[-1] != indices.size:
        raise ValueError("the labels' arrays do not fit each other")
    ones = np.broadcast_to(np.float32(1.0), indices.shape)
    labels = csr(ones, indices, indptr, (indptr.size - 1, header["n_labels"]))
    return LocalEmbeddingSettings.model_validate(header["settings"]), header["seed"], labels


def save_learner(
    folder: Path,
    number: int,
    centroids: sparse.csr_array,
    clusters: Sequence[Cluster],
    storage: StorageSettings,
) -> None:
    """Write one learner, one array after the other."""
    name = f"learner-{number:03d}"
    save_csr(folder, f"{name}-centroids", centroids)
    layout = [
        (
            *(c.weights.width, c.weights.exponent, c.stored.width, c.stored.exponent),
            *(array.size for array in c.arrays),
        )
        for c in clusters
    ]
    np.save(folder / f"{name}-layout.npy", np.array(layout, np.int64).reshape(-1, 4 + len(FLAT)))
    dtypes = (
        np.int32, np.int32, storage.weights, np.uint16, np.uint16,
        storage.embeddings, np.uint16, np.uint16,
    )  # fmt: skip
    for position, (flat, dtype) in enumerate(zip(FLAT, dtypes, strict=True)):
        save_flat(folder / f"{name}-{flat}.npy", [c.arrays[position] for c in clusters], dtype)


def load_learner(folder: Path, number: int) -> tuple[sparse.csr_array, Sequence[Cluster]]:
    """Map one learner's centroids; its clusters are mapped when they are asked for."""
    name = f"learner-{number:03d}"
    layout = np.load(folder / f"{name}-layout.npy", allow_pickle=False)
    sizes = layout[:, 4:]
    ends = np.cumsum(sizes, axis=0)
    paths = [folder / f"{name}-{flat}.npy" for flat in FLAT]

    def opened(cluster: int) -> Cluster:
        arrays = _parts(paths, ends[cluster], sizes[cluster])
        width, exponent, stored_width, stored_exponent = layout[cluster, :4].tolist()
        weights = _packed(arrays[2:5], width, exponent)
        stored = _packed(arrays[5:], stored_width, stored_exponent)
        return Cluster(arrays[0], arrays[1], weights, stored)

    clusters = len(layout)
    # A learner without any cluster has a centroid all the same.
    return load_csr(folder, f"{name}-centroids", max(clusters, 1)), OnDemand(clusters, opened)


def _packed(arrays: list[np.ndarray], width: int, exponent: int) -> Packed:
    values, columns, counts = arrays
    dense = counts.size == 0
    return Packed(values.reshape(-1, width) if dense else values, columns, counts, width, exponent)


def save_heads(folder: Path, heads: Sequence[LinearHead]) -> None:
    """Write linear heads, one array after the other."""
    layout = [[array.size for array in head.arrays] for head in heads]
    np.save(folder / "head-layout.npy", np.array(layout, np.int64).reshape(-1, len(HEAD)))
    for position, (flat, dtype) in enumerate(HEAD.items()):
        save_flat(folder / f"head-{flat}.npy", [head.arrays[position] for head in heads], dtype)


def load_heads(folder: Path) -> Sequence[LinearHead]:
    """The linear heads, each mapped when it is asked for."""
    layout = np.load(folder / "head-layout.npy", allow_pickle=False)
    ends = np.cumsum(layout, axis=0)
    paths = [folder / f"head-{flat}.npy" for flat in HEAD]
    return OnDemand(
        len(layout), lambda number: LinearHead(*_parts(paths, ends[number], layout[number]))
    )


def _parts(paths: Sequence[Path], ends: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    """Of each flat file the part of this size and end, mapped."""
    return [
        open_array(path)[end - size : end]
        for path, end, size in zip(paths, ends, sizes, strict=True)
    ]

"""LocalEmbedding on disk: JSON and .npy files, one set per learner, opened memory-mapped.

A learner's clusters lie one after the other in four flat arrays; ``layout`` holds their sizes.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings
from xcbench.models.files import load_csr, open_array, save_csr
from xcbench.models.local_embedding.cluster import Cluster
from xcbench.models.local_embedding.head import LinearHead

FLAT = ("rows", "features", "weights", "stored")
DTYPES = (np.int32, np.int32, np.float32, np.float32)


def save_header(
    folder: Path, settings: LocalEmbeddingSettings, seed: int, labels: sparse.csr_array
) -> None:
    """Write settings, seed and the training labels."""
    header = {"settings": settings.model_dump(), "seed": seed, "n_labels": labels.shape[1]}
    (folder / "model.json").write_text(json.dumps(header, indent=2) + "\n", encoding="utf-8")
    np.save(folder / "label_indptr.npy", labels.indptr)
    np.save(folder / "label_indices.npy", labels.indices)


def load_header(folder: Path) -> tuple[LocalEmbeddingSettings, int, sparse.csr_array]:
    """Read back what save_header wrote."""
    header = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    indptr = open_array(folder / "label_indptr.npy")
    indices = open_array(folder / "label_indices.npy")
    ones = np.ones(indices.size, np.float32)
    ones.setflags(write=False)
    labels = sparse.csr_array(
        (ones, indices, indptr),
        shape=(indptr.size - 1, header["n_labels"]),
    )
    settings = LocalEmbeddingSettings.model_validate(header["settings"])
    return settings, header["seed"], labels


def save_learner(folder: Path, number: int, centroids: np.ndarray, clusters: list[Cluster]) -> None:
    """Write one learner."""
    stem = folder / f"learner-{number:03d}"
    np.save(f"{stem}-centroids.npy", centroids)
    layout = [
        (c.rows.size, c.features.size, c.weights.shape[1], c.stored.shape[1]) for c in clusters
    ]
    np.save(f"{stem}-layout.npy", np.array(layout, np.int64).reshape(-1, 4))
    for position, (name, dtype) in enumerate(zip(FLAT, DTYPES, strict=True)):
        flat = [c.arrays[position].ravel() for c in clusters]
        np.save(f"{stem}-{name}.npy", np.concatenate(flat) if flat else np.empty(0, dtype))


def load_learner(folder: Path, number: int) -> tuple[np.ndarray, list[Cluster]]:
    """Map one learner: its centroids and clusters."""
    stem = folder / f"learner-{number:03d}"
    flat = [open_array(Path(f"{stem}-{name}.npy")) for name in FLAT]
    at = [0] * len(flat)

    def take(which: int, *shape: int) -> np.ndarray:
        start = at[which]
        at[which] += int(np.prod(shape))
        return flat[which][start : at[which]].reshape(shape)

    clusters = [
        Cluster(take(0, n), take(1, f), take(2, f, r), take(3, n, width))
        for n, f, r, width in np.load(f"{stem}-layout.npy").tolist()
    ]
    return open_array(Path(f"{stem}-centroids.npy")), clusters


def save_head(folder: Path, head: LinearHead) -> None:
    """Write the linear head."""
    save_csr(folder, "head", head.weights)
    np.save(folder / "head_intercepts.npy", head.intercepts)


def load_head(folder: Path, n_labels: int) -> LinearHead:
    """Map the linear head."""
    intercepts = open_array(folder / "head_intercepts.npy")
    return LinearHead(load_csr(folder, "head", n_labels), intercepts)

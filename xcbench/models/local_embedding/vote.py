"""Vote stage: the stored points nearest to an embedded test point, and what each vote weighs."""

from __future__ import annotations

import numpy as np

from xcbench.config.methods import VoteSettings
from xcbench.kernels.topk import top_k_product


def database(E: np.ndarray, settings: VoteSettings) -> np.ndarray:
    """Stored embeddings (n, r) in the form whose inner product with a query ranks them.

    cosine: unit rows. euclidean and itml (whose metric E has in it): e with -|e|^2 / 2 appended, as
    q.e - |e|^2 / 2 falls with |q - e|.
    """
    if settings.kind == "cosine":
        return _unit_rows(E)
    half = -0.5 * np.einsum("ij,ij->i", E, E)
    return np.ascontiguousarray(np.column_stack([E, half]), dtype=np.float32)


def nearest(
    Z: np.ndarray, stored: np.ndarray, settings: VoteSettings
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of embedded points among the stored ones, and their weights.

    Parameters
    ----------
    Z : float32, shape (m, r)
    stored : float32
        From ``database``.
    settings : VoteSettings

    Returns
    -------
    ids, weights : int32 and float32, shape (m, settings.neighbours)
        Ids are -1, with weight 0, where fewer points are stored.
    """
    if settings.kind == "cosine":
        queries = _unit_rows(Z)
    else:
        queries = np.column_stack([Z, np.ones(Z.shape[0], np.float32)])
    ids, similarity = top_k_product(queries, stored, settings.neighbours)
    if settings.kind == "cosine":
        weights = np.maximum(similarity, np.float32(0.0)) ** np.float32(settings.power)
    else:
        weights = np.ones_like(similarity)
    weights[ids < 0] = 0.0
    return ids, weights


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: np.ndarray = rows / np.maximum(length, np.finfo(np.float32).tiny)
    return unit

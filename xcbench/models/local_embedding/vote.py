"""Vote stage: the stored points nearest to an embedded test point, and what each vote weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xcbench.config.methods import VoteSettings
from xcbench.kernels.topk import RowBlocks, top_k_product


def database(E: np.ndarray, settings: VoteSettings) -> np.ndarray:
    """What is kept of stored embeddings (n, r): unit rows for cosine, else the rows themselves."""
    return _unit_rows(E) if settings.kind == "cosine" else E


def nearest(
    Z: np.ndarray, stored: RowBlocks, settings: VoteSettings
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of embedded points among the stored ones, and their weights.

    Parameters
    ----------
    Z : float32, shape (m, r)
    stored : float32, shape (n, r)
        From ``database``; read a block of rows at a time.
    settings : VoteSettings

    Returns
    -------
    ids, weights : int32 and float32, shape (m, settings.neighbours)
        Ids are -1, with weight 0, where fewer points are stored.
    """
    if settings.kind == "cosine":
        ids, similarity = top_k_product(_unit_rows(Z), stored, settings.neighbours)
        weights = np.maximum(similarity, np.float32(0.0)) ** np.float32(settings.power)
    else:
        queries = np.column_stack([Z, np.ones(Z.shape[0], np.float32)])
        ids, closeness = top_k_product(queries, _WithLengths(stored), settings.neighbours)
        weights = np.ones_like(closeness)
    weights[ids < 0] = 0.0
    return ids, weights


@dataclass(frozen=True)
class _WithLengths:
    """Rows e with -|e|^2 / 2 appended: q.e - |e|^2 / 2 falls with |q - e|.

    For euclidean, and itml, whose metric the rows have in them.
    """

    rows: RowBlocks

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1] + 1

    def __getitem__(self, rows: slice) -> np.ndarray:
        E = self.rows[rows]
        half = -0.5 * np.einsum("ij,ij->i", E, E)
        return np.ascontiguousarray(np.column_stack([E, half]), dtype=np.float32)


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: np.ndarray = rows / np.maximum(length, np.finfo(np.float32).tiny)
    return unit

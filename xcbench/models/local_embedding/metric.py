"""The metric of ``vote: itml``: neighbours in Omega close, points without a common label apart."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.models.local_embedding.neighbours import NeighbourLists
from xcbench.optim.bregman import itml

PAIRS = 1000  # of each sort
CYCLES = 20
CLOSE, APART = 5, 95  # percentiles of all sampled distances that bound the two sorts


def metric_factor(
    E: np.ndarray,
    lists: NeighbourLists,
    Y: sparse.csr_array,
    gamma: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """L (r, r) float32 with A = L L^T the learned metric: distances are Euclidean between rows E L.

    The identity where a cluster has no pair of either sort to learn from.
    """
    identity = np.eye(E.shape[1])
    if E.shape[0] < 2:
        return identity.astype(np.float32)
    close, apart = _close_pairs(lists, rng), _apart_pairs(Y, rng)
    pairs = np.concatenate([close, apart])
    differences = (E[pairs[:, 0]] - E[pairs[:, 1]]).astype(np.float64)
    distances = np.einsum("ij,ij->i", differences, differences)
    kept = distances > 0
    if not kept.any():
        return identity.astype(np.float32)
    similar = (np.arange(len(pairs)) < len(close))[kept]
    low, high = np.percentile(distances[kept], [CLOSE, APART])
    learned = itml(
        differences[kept],
        np.where(similar, low, high),
        similar,
        gamma=gamma,
        prior=identity,
        cycles=CYCLES,
    )
    return learned.factor.astype(np.float32)


def _close_pairs(lists: NeighbourLists, rng: np.random.Generator) -> np.ndarray:
    i = rng.integers(0, lists.sizes.size, PAIRS)
    j = lists.ids[i, rng.integers(0, lists.sizes[i])]
    found: np.ndarray = np.column_stack([i, j])[i != j]
    return found


def _apart_pairs(Y: sparse.csr_array, rng: np.random.Generator) -> np.ndarray:
    pairs = rng.integers(0, Y.shape[0], (4 * PAIRS, 2))
    common = np.asarray(Y[pairs[:, 0]].multiply(Y[pairs[:, 1]]).sum(axis=1)).ravel()
    found: np.ndarray = pairs[common == 0][:PAIRS]
    return found

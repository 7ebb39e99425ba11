"""Partition stage: split a learner's training points into clusters by their features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.config.methods import PartitionSettings
from xcbench.data.features import unit

ASSIGN_BLOCK = 1 << 22  # scores held at once while assigning (rows x clusters)


def partition(
    X: sparse.csr_array, clusters: int, settings: PartitionSettings, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Cluster rows by inner product with the centroids; rows are scaled to unit length first.

    ``kmeans`` is that of SLEEC's release: random points as start, plain (not normalised) means,
    empty clusters dropped. ``spherical`` normalises the means. ``balanced`` halves recursively at
    the median of the difference to two centroids, so sizes differ by at most one for each halving.

    Parameters
    ----------
    X : csr_array of float32, shape (n, d), n >= 1
    clusters : int
        At most this many; never more than n.
    settings : PartitionSettings
    rng : Generator

    Returns
    -------
    assignment : ndarray of int32, shape (n,)
        Cluster of each row, 0 .. C-1, none empty.
    centroids : ndarray of float32, shape (C, d)
    """
    n = X.shape[0]
    clusters = min(clusters, n)
    if clusters == 1:
        return np.zeros(n, np.int32), np.zeros((1, X.shape[1]), np.float32)
    rows = unit(X)
    if settings.kind == "balanced":
        assignment = _balanced(rows, clusters, settings.iterations, rng)
    else:
        assignment = _kmeans(rows, clusters, settings, rng)
    used, assignment = np.unique(assignment, return_inverse=True)
    assignment = assignment.astype(np.int32)
    return assignment, _means(rows, assignment, used.size, normalise=settings.kind != "kmeans")


def nearest_cluster(X: sparse.csr_array, centroids: np.ndarray) -> np.ndarray:
    """Centroid of largest inner product for every row of X, int32 (n,); ties to the smaller."""
    n = X.shape[0]
    if centroids.shape[0] == 1:
        return np.zeros(n, np.int32)
    out = np.empty(n, np.int32)
    columns = np.ascontiguousarray(centroids.T)
    block = max(1, ASSIGN_BLOCK // centroids.shape[0])
    for start in range(0, n, block):
        scores = X[start : start + block] @ columns
        out[start : start + block] = np.argmax(scores, axis=1)
    return out


def _kmeans(
    rows: sparse.csr_array, clusters: int, settings: PartitionSettings, rng: np.random.Generator
) -> np.ndarray:
    normalise = settings.kind == "spherical"
    centroids = rows[np.sort(rng.choice(rows.shape[0], clusters, replace=False))].toarray()
    assignment = nearest_cluster(rows, centroids)
    for _ in range(settings.iterations - 1):
        centroids = _means(rows, assignment, clusters, normalise)
        assignment = nearest_cluster(rows, centroids)
    return assignment


def _means(
    rows: sparse.csr_array, assignment: np.ndarray, clusters: int, normalise: bool
) -> np.ndarray:
    """Mean row of each cluster (C, d) float32; an empty cluster gets zeros."""
    n = rows.shape[0]
    member = sparse.csr_array(
        (np.ones(n, np.float32), assignment, np.arange(n + 1)), shape=(n, clusters)
    )
    means: np.ndarray = (member.T @ rows).toarray()
    if normalise:
        scale = np.linalg.norm(means, axis=1, keepdims=True)
    else:
        scale = np.bincount(assignment, minlength=clusters)[:, None]
    means /= np.maximum(scale, np.finfo(np.float32).tiny).astype(np.float32)
    return means


def _balanced(
    rows: sparse.csr_array, clusters: int, iterations: int, rng: np.random.Generator
) -> np.ndarray:
    assignment = np.empty(rows.shape[0], np.int32)
    pending = [(np.arange(rows.shape[0]), 0, clusters)]
    while pending:
        members, first, count = pending.pop()
        if count == 1:
            assignment[members] = first
            continue
        left = count // 2
        order = _split_order(rows[members], members.size * left // count, iterations, rng)
        cut = members.size * left // count
        pending.append((members[np.sort(order[:cut])], first, left))
        pending.append((members[np.sort(order[cut:])], first + left, count - left))
    return assignment


def _split_order(
    rows: sparse.csr_array, cut: int, iterations: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows ordered so that the first ``cut`` are the left half of a balanced 2-means."""
    pair = rng.choice(rows.shape[0], 2, replace=False)
    order = _by_difference(rows, rows[np.sort(pair)].toarray())
    for _ in range(iterations - 1):
        side = np.ones(rows.shape[0], np.int32)
        side[order[:cut]] = 0
        order = _by_difference(rows, _means(rows, side, 2, normalise=True))
    return order


def _by_difference(rows: sparse.csr_array, pair: np.ndarray) -> np.ndarray:
    """Rows from the nearest to the first centroid to the nearest to the second."""
    return np.argsort(-(rows @ (pair[0] - pair[1])), kind="stable")

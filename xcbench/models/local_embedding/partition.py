"""Partition stage: split a learner's training points into clusters by their features.

Centroids are sparse and kept by feature, a CSR matrix (d, C): features are many and most occur in
few clusters. Time is linear in the entries of the data, but for the assignment, which meets every
entry once for each cluster that has its feature.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from xcbench.config.methods import PartitionSettings
from xcbench.data.matrix import csr, row_pointers
from xcbench.kernels import centroids as kernels
from xcbench.kernels.csr import csr_parts

ROWS_AT_ONCE = 1 << 14  # rows that a thread assigns before it takes the next block
TABLE_LIMIT = 1 << 24  # numbers in the dense table of the features that cost most
SCATTER = 8  # numbers of a dense row that are added in the time of one scattered number

CsrParts = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class _UnitRows:
    """Rows of a matrix, each divided by its length when read; nothing of the matrix is copied."""

    parts: CsrParts
    n_features: int
    rows: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, X: sparse.csr_array, rows: np.ndarray) -> _UnitRows:
        parts = csr_parts(X)
        lengths = np.empty(rows.size)
        kernels.row_lengths(parts[0], parts[2], rows, lengths)
        return cls(parts, X.shape[1], rows, lengths)

    @property
    def arguments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return *self.parts, self.rows, self.lengths

    def take(self, places: np.ndarray) -> _UnitRows:
        """These rows, by their places among them."""
        return _UnitRows(self.parts, self.n_features, self.rows[places], self.lengths[places])

    @cached_property
    def frequency(self) -> np.ndarray:
        """How many of the rows have each feature."""
        counts = np.empty(self.n_features, np.int64)
        kernels.count_features(*self.parts[:2], self.rows, counts)
        return counts

    def nearest(self, centroids: sparse.csr_array, threads: int) -> np.ndarray:
        """See nearest_cluster."""
        columns = csr_parts(centroids)
        features = _dense_features(np.diff(columns[0]), self.frequency, centroids.shape[1])
        place = np.empty(self.n_features, np.int32)
        table = np.zeros((features.size, centroids.shape[1]), np.float32)
        kernels.spread(*columns, features, place, table)
        out = np.empty(self.rows.size, np.int32)

        def block(start: int) -> None:
            rows = slice(start, start + ROWS_AT_ONCE)
            kernels.assign(
                *self.parts, self.rows[rows], self.lengths[rows], *columns, place, table, out[rows]
            )

        with ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(block, range(0, self.rows.size, ROWS_AT_ONCE)):
                pass
        return out

    def sums(self, assignment: np.ndarray, clusters: int) -> sparse.csr_array:
        """Sum of the rows of each cluster, float32 (d, C), added up in order of the rows."""
        starts = np.zeros(clusters + 1, np.int64)
        np.cumsum(np.bincount(assignment, minlength=clusters), out=starts[1:])
        members = self.take(np.argsort(assignment, kind="stable"))
        indptr = np.empty(self.n_features + 1, np.int64)
        kernels.count_sums(*self.parts[:2], members.rows, starts, indptr)
        indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
        kernels.sum_rows(*members.arguments, starts, indptr, indices, values)
        return csr(values, indices, row_pointers(indptr), (self.n_features, clusters))

    def means(self, assignment: np.ndarray, clusters: int, normalise: bool) -> sparse.csr_array:
        """Mean row of each cluster, (d, C); an empty cluster has no entries."""
        means = self.sums(assignment, clusters)
        if normalise:
            scale = np.empty(clusters)
            kernels.cluster_lengths(means.indices, means.data, scale)
        else:
            scale = np.bincount(assignment, minlength=clusters).astype(np.float64)
        divisors = np.maximum(scale, np.finfo(np.float32).tiny).astype(np.float32)
        kernels.divide(means.indices, divisors, means.data)
        return means


def partition(
    X: sparse.csr_array,
    clusters: int,
    settings: PartitionSettings,
    rng: np.random.Generator,
    *,
    rows: np.ndarray | None = None,
    threads: int = 1,
) -> tuple[np.ndarray, sparse.csr_array]:
    """Cluster rows by inner product with the centroids; rows are scaled to unit length first.

    ``kmeans`` is that of SLEEC's release: random points as start, plain (not normalised) means,
    empty clusters dropped. ``spherical`` normalises the means. ``balanced`` halves recursively at
    the median of the difference to two centroids, so sizes differ by at most one for each halving.

    Parameters
    ----------
    X : csr_array of float32, shape (N, d)
        May be memory-mapped; it is not copied.
    clusters : int
        At most this many; never more than n.
    settings : PartitionSettings
    rng : Generator
    rows : ndarray of int32, shape (n,), n >= 1
        The rows of X to cluster; all of them by default.
    threads : int
        For the assignment of kmeans and spherical; the result does not depend on it.

    Returns
    -------
    assignment : ndarray of int32, shape (n,)
        Cluster of each row, 0 .. C-1, none empty.
    centroids : csr_array of float32, shape (d, C)
        Canonical; a single cluster's has no entries.
    """
    if rows is None:
        rows = np.arange(X.shape[0], dtype=np.int32)
    clusters = min(clusters, rows.size)
    if clusters == 1:
        centroids = sparse.csr_array((X.shape[1], 1), dtype=np.float32)
        return np.zeros(rows.size, np.int32), centroids
    points = _UnitRows.of(X, rows)
    if settings.kind == "balanced":
        assignment = _balanced(points, clusters, settings.iterations, rng)
    else:
        assignment = _kmeans(points, clusters, settings, rng, threads)
    used, assignment = np.unique(assignment, return_inverse=True)
    assignment = assignment.astype(np.int32)
    return assignment, points.means(assignment, used.size, settings.kind != "kmeans")


def nearest_cluster(
    X: sparse.csr_array, centroids: sparse.csr_array, *, threads: int = 1
) -> np.ndarray:
    """Centroid (column) of largest inner product for every row of X; ties to the smaller.

    Parameters
    ----------
    X : csr_array of float32, shape (n, d)
    centroids : csr_array of float32, shape (d, C)
    threads : int
        The result does not depend on it.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    n = X.shape[0]
    if centroids.shape[1] == 1:
        return np.zeros(n, np.int32)
    as_they_are = _UnitRows(csr_parts(X), X.shape[1], np.arange(n, dtype=np.int32), np.ones(n))
    return as_they_are.nearest(centroids, threads)


def _dense_features(fill: np.ndarray, frequency: np.ndarray, clusters: int) -> np.ndarray:
    """The features, int32, that rows of a dense table add up faster than scattered entries.

    ``fill`` counts the centroids that have a feature, ``frequency`` the rows.
    """
    saved = frequency * (SCATTER * fill - clusters)
    # a row of the table must first be written
    features = np.flatnonzero(saved > SCATTER * clusters)
    room = TABLE_LIMIT // clusters
    if features.size > room:
        best = np.argpartition(-saved[features], room)[:room]
        features = np.sort(features[best])
    return features.astype(np.int32)


def _kmeans(
    points: _UnitRows,
    clusters: int,
    settings: PartitionSettings,
    rng: np.random.Generator,
    threads: int,
) -> np.ndarray:
    normalise = settings.kind == "spherical"
    chosen = np.sort(rng.choice(points.rows.size, clusters, replace=False))
    assignment = points.nearest(points.take(chosen).sums(np.arange(clusters), clusters), threads)
    for _ in range(settings.iterations - 1):
        assignment = points.nearest(points.means(assignment, clusters, normalise), threads)
    return assignment


def _balanced(
    points: _UnitRows, clusters: int, iterations: int, rng: np.random.Generator
) -> np.ndarray:
    assignment = np.empty(points.rows.size, np.int32)
    scratch = np.zeros((points.n_features, 2), np.float32)
    pending = [(np.arange(points.rows.size), 0, clusters)]
    while pending:
        members, first, count = pending.pop()
        if count == 1:
            assignment[members] = first
            continue
        left = count // 2
        cut = members.size * left // count
        order = _split_order(points.take(members), cut, iterations, rng, scratch)
        pending.append((members[np.sort(order[:cut])], first, left))
        pending.append((members[np.sort(order[cut:])], first + left, count - left))
    return assignment


def _split_order(
    points: _UnitRows, cut: int, iterations: int, rng: np.random.Generator, scratch: np.ndarray
) -> np.ndarray:
    """Places ordered so that the first ``cut`` are the left half of a balanced 2-means."""
    pair = rng.choice(points.rows.size, 2, replace=False)
    side = np.full(points.rows.size, -1, np.int32)
    side[np.sort(pair)] = 0, 1
    order = _by_contrast(points, side, scratch, normalise=False)
    for _ in range(iterations - 1):
        side[:] = 1
        side[order[:cut]] = 0
        order = _by_contrast(points, side, scratch, normalise=True)
    return order


def _by_contrast(
    points: _UnitRows, side: np.ndarray, scratch: np.ndarray, normalise: bool
) -> np.ndarray:
    """Places from the nearest to the first mean to the nearest to the second."""
    contrast = np.empty(points.rows.size, np.float32)
    kernels.contrast(*points.arguments, side, normalise, scratch, contrast)
    return np.argsort(-contrast, kind="stable")

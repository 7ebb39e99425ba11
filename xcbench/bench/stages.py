"""Neighbours, regression and vote against what scipy and scikit-learn offer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from xcbench.bench.machine import Machine
from xcbench.bench.timing import Row, median_seconds
from xcbench.config.methods import NeighbourSettings, VoteSettings
from xcbench.data.dataset import Dataset
from xcbench.models.local_embedding.neighbours import find_neighbours
from xcbench.models.local_embedding.vote import database, nearest
from xcbench.optim.ridge import RidgeSolver, SparseOperator

NEIGHBOURS, RANK, RIDGE, QUERIES, VOTES = 100, 100, 2.0, 2515, 20


def bench_stages(data: Dataset, machine: Machine, repeats: int) -> Iterator[Row]:
    """One row a stage."""
    yield _neighbours(data, machine, repeats)
    yield _regression(data, repeats)
    yield _vote(data, machine, repeats)


def _neighbours(data: Dataset, machine: Machine, repeats: int) -> Row:
    ours = median_seconds(
        lambda: find_neighbours(data.Y, NeighbourSettings(count=NEIGHBOURS)), repeats
    )
    Y = data.Y
    unit = Y.multiply(1.0 / np.sqrt(Y.sum(axis=1))[:, None]).tocsr()

    def sparse_product() -> None:
        similarity = (unit @ unit.T).toarray()
        np.argpartition(-similarity, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]

    # every point meets the points of each of its labels: a count read and written, an id read
    incidences = float(np.square(np.bincount(Y.indices)).sum())
    rate = f"{incidences / ours / 1e6:.0f} M incidences/s; {machine.traffic(8 * incidences, ours)}"
    work = f"{Y.shape[0]} points, {NEIGHBOURS} neighbours"
    return Row(
        "neighbours", work, ours, "scipy Y Y^T and argpartition",
        median_seconds(sparse_product, repeats), rate,
    )  # fmt: skip


def _regression(data: Dataset, repeats: int) -> Row:
    Z = np.random.default_rng(0).standard_normal((data.n_points, RANK)).astype(np.float32)
    ours = median_seconds(lambda: RidgeSolver(SparseOperator(data.X), RIDGE).solve(Z), repeats)

    def scipy_ridge() -> None:
        gram = (data.X.T @ data.X).toarray()
        gram[np.diag_indices_from(gram)] += np.float32(RIDGE)
        cho_solve(cho_factor(gram), data.X.T @ Z)

    work = f"{data.n_points} x {data.n_features}, {RANK} targets"
    return Row("regression", work, ours, "scipy Cholesky", median_seconds(scipy_ridge, repeats))


def _vote(data: Dataset, machine: Machine, repeats: int) -> Row:
    rng = np.random.default_rng(0)
    E = rng.standard_normal((data.n_points, RANK)).astype(np.float32)
    queries = rng.standard_normal((QUERIES, RANK)).astype(np.float32)
    settings = VoteSettings(neighbours=VOTES)
    stored = database(E, settings)
    ours = median_seconds(lambda: nearest(queries, stored, settings), repeats)
    work = f"{QUERIES} queries, {data.n_points} stored, {VOTES} votes"
    rate = machine.share(2.0 * QUERIES * data.n_points * RANK, ours)
    try:
        from sklearn.neighbors import NearestNeighbors
    except ImportError:
        return Row("vote", work, ours, rate=rate)
    index = NearestNeighbors(n_neighbors=VOTES, algorithm="brute", metric="cosine").fit(E)
    theirs = median_seconds(lambda: index.kneighbors(queries), repeats)
    return Row("vote", work, ours, "scikit-learn brute force", theirs, rate)

"""One cluster of one learner: fitted through all stages, and how it finds neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, VoteSettings
from xcbench.data.dataset import Dataset
from xcbench.models.local_embedding.completion import complete
from xcbench.models.local_embedding.metric import metric_factor
from xcbench.models.local_embedding.neighbours import find_neighbours, locality_order
from xcbench.models.local_embedding.regression import active_features, embed, regress
from xcbench.models.local_embedding.vote import database, nearest
from xcbench.optim.ridge import SparseOperator


@dataclass(frozen=True, eq=False)
class Cluster:
    """What prediction needs of one cluster.

    Attributes
    ----------
    rows : int32, shape (n,)
        Training rows, ascending.
    features : int32, shape (f,)
        Features that occur in those rows, ascending.
    weights : float32, shape (f, r)
        Regressors of these features.
    stored : float32, shape (n, r) or (n, r + 1)
        Database of the vote (see vote.database).
    """

    rows: np.ndarray
    features: np.ndarray
    weights: np.ndarray
    stored: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.rows, self.features, self.weights, self.stored

    def neighbours(
        self, X: sparse.csr_array, settings: VoteSettings
    ) -> tuple[np.ndarray, np.ndarray]:
        """Training rows nearest to each row of X (m, d) and their votes' weights, both (m, k)."""
        Z = _restricted(X, self.features) @ self.weights
        ids, weights = nearest(np.ascontiguousarray(Z, dtype=np.float32), self.stored, settings)
        return np.where(ids >= 0, self.rows[ids], np.int32(-1)), weights


def fit_cluster(
    train: Dataset,
    rows: np.ndarray,
    settings: LocalEmbeddingSettings,
    seed: int,
    learner: int,
    number: int,
) -> tuple[tuple[np.ndarray, ...], dict[str, float]]:
    """The arrays of the cluster of these training rows (each with a label), and stage seconds.

    The random draws depend on (seed, learner, number) only, not on who runs the task.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(learner, number)))
    clock = _Clock()
    Y = train.Y[rows]
    lists = find_neighbours(Y, settings.neighbours)
    clock.lap("neighbours")
    Z = complete(lists, locality_order(Y), settings.rank, settings.completion, rng)
    clock.lap("completion")
    features, X = active_features(train.X[rows])
    operator = SparseOperator(X)
    V = regress(operator, Z, settings.regression)
    E = embed(operator, V, settings.regression)
    clock.lap("regression")
    if settings.vote.kind == "itml":
        factor = metric_factor(E, lists, Y, settings.vote.gamma, rng)
        V, E = V @ factor, E @ factor
    stored = database(E, settings.vote)
    clock.lap("vote")
    return (rows, features, V, stored), clock.seconds


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now


def _restricted(X: sparse.csr_array, features: np.ndarray) -> sparse.csr_array:
    """Columns ``features`` (ascending) of X, renumbered; a binary search an entry of X."""
    if features.size == 0:
        return sparse.csr_array((X.shape[0], 0), dtype=np.float32)
    local = np.minimum(np.searchsorted(features, X.indices), features.size - 1)
    kept = features[local] == X.indices
    before = np.concatenate([[0], np.cumsum(kept)])
    return sparse.csr_array(
        (X.data[kept], local[kept].astype(np.int32), before[X.indptr]),
        shape=(X.shape[0], features.size),
    )

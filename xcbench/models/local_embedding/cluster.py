"""One cluster of one learner: fitted through all stages, and how it finds neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, VoteSettings
from xcbench.data.dataset import Dataset
from xcbench.data.matrix import take_rows
from xcbench.models.local_embedding.completion import complete
from xcbench.models.local_embedding.metric import metric_factor
from xcbench.models.local_embedding.neighbours import find_neighbours, locality_order
from xcbench.models.local_embedding.packed import Packed, PackedParts
from xcbench.models.local_embedding.regression import active_features, embed, regress
from xcbench.models.local_embedding.vote import database, nearest
from xcbench.optim.ridge import SparseOperator

# Rows, features, and the parts of the weights and of the stored embeddings: of plain arrays and
# numbers, as the result of a task has to be.
ClusterParts = tuple[np.ndarray, np.ndarray, PackedParts, PackedParts]


@dataclass(frozen=True, eq=False)
class Cluster:
    """What prediction needs of one cluster.

    Attributes
    ----------
    rows : int32, shape (n,)
        Training rows, ascending.
    features : int32, shape (f,)
        Features that occur in those rows and have a weight other than 0, ascending.
    weights : Packed, shape (f, r)
        Regressors of these features.
    stored : Packed, shape (n, r)
        Database of the vote (see vote.database).
    """

    rows: np.ndarray
    features: np.ndarray
    weights: Packed
    stored: Packed

    @classmethod
    def of(cls, parts: ClusterParts) -> Cluster:
        """From what fit_cluster returns."""
        rows, features, weights, stored = parts
        return cls(rows, features, Packed(*weights), Packed(*stored))

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.rows, self.features, *self.weights.arrays, *self.stored.arrays

    def neighbours(
        self, X: sparse.csr_array, settings: VoteSettings
    ) -> tuple[np.ndarray, np.ndarray]:
        """Training rows nearest to each row of X (m, d) and their votes' weights, both (m, k)."""
        Z = self.weights.multiplied_by(restricted(X, self.features))
        ids, weights = nearest(Z, self.stored, settings)
        return np.where(ids >= 0, self.rows[ids], np.int32(-1)), weights


def fit_cluster(
    train: Dataset,
    rows: np.ndarray,
    settings: LocalEmbeddingSettings,
    seed: int,
    learner: int,
    number: int,
) -> tuple[ClusterParts, dict[str, float]]:
    """What the cluster of these training rows (each with a label) is made of, and stage seconds.

    The random draws depend on (seed, learner, number) only, not on who runs the task.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(learner, number)))
    clock = _Clock()
    Y = take_rows(train.Y, rows)
    lists = find_neighbours(Y, settings.neighbours)
    clock.lap("neighbours")
    Z = complete(lists, locality_order(Y), settings.rank, settings.completion, rng)
    clock.lap("completion")
    features, X = active_features(take_rows(train.X, rows))
    operator = SparseOperator(X)
    V = regress(operator, Z, settings.regression)
    E = embed(operator, V, settings.regression)
    clock.lap("regression")
    if settings.vote.kind == "itml":
        factor = metric_factor(E, lists, Y, settings.vote.gamma, rng)
        V, E = V @ factor, E @ factor
    features, V = _without_zero_rows(features, V)
    weights = Packed.of(V, settings.storage.weights)
    stored = Packed.of(database(E, settings.vote), settings.storage.embeddings)
    clock.lap("vote")
    return (rows, features, weights.parts, stored.parts), clock.seconds


def _without_zero_rows(features: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The features that have a weight, and their weights."""
    kept = V.any(axis=1)
    return (features, V) if kept.all() else (features[kept], V[kept])


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now


def restricted(X: sparse.csr_array, features: np.ndarray) -> sparse.csr_array:
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

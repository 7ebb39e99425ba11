"""LocalEmbedding: an ensemble of learners, each a partition with one embedding per cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, PartitionSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.matrix import csr, take_rows
from xcbench.kernels.blend import blend
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.tally import tally
from xcbench.metrics.propensity import inverse_propensity
from xcbench.models.base import BLOCK_ROWS, Executor, InlineExecutor, Task, consecutive
from xcbench.models.evidence import Evidence, row_labels
from xcbench.models.files import csr_bytes
from xcbench.models.local_embedding import files
from xcbench.models.local_embedding.cluster import Cluster, fit_cluster, restricted
from xcbench.models.local_embedding.evidence import blended_evidence
from xcbench.models.local_embedding.head import LinearHead, head_tasks, heads_of
from xcbench.models.local_embedding.partition import nearest_cluster, partition

USUAL_PROPENSITY = 0.55, 1.5  # A and B of Jain et al. (2016) where no others were fitted
# Rows of a block for each of a learner's clusters where there are several learners: enough to be
# worth the reading of the cluster. And what the votes of a block may take in bytes.
VISIT_ROWS = 128
VOTE_BYTES = 1 << 26


@dataclass(frozen=True, eq=False)
class Learner:
    """One partition: centroids float32 (d, C), by feature, and a fitted cluster for each."""

    centroids: sparse.csr_array
    clusters: Sequence[Cluster]


class LocalEmbedding:
    """RXML, SLEEC and their variants (RXML paper, Algorithms 2 and 3).

    Parameters
    ----------
    settings : LocalEmbeddingSettings
    seed : int
        With (learner, cluster) it fixes every random draw.

    Attributes
    ----------
    stage_seconds : dict of str to float
        Seconds of partition, neighbours, completion, regression and head, summed over tasks.
    """

    def __init__(self, settings: LocalEmbeddingSettings, seed: int) -> None:
        self.settings = settings
        self.seed = seed
        self.stage_seconds: dict[str, float] = {}
        self.learners: Sequence[Learner] = []
        self.labels = sparse.csr_array((0, 0), dtype=np.float32)
        self.heads: Sequence[LinearHead] = []
        self._tail_weights: np.ndarray | None = None

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """Fit every (learner, cluster), and every part of the head, as its own task.

        Points without labels take no part in the clusters.
        """
        executor = executor or InlineExecutor()
        settings = self.settings
        clusters = settings.clusters_among(train.n_points)
        self.labels, self._tail_weights = train.Y, None
        threads = max(1, executor.jobs // settings.learners) * executor.threads
        splits = executor.map(
            split,
            [
                Task(
                    f"learner {learner}",
                    (train, clusters, settings.partition, self.seed, learner, threads),
                )
                for learner in range(settings.learners)
            ],
            "partition",
        )
        tasks = [
            Task(
                f"learner {learner}, cluster {number}",
                (fit_cluster, train, rows, settings, self.seed, learner, number),
                cost=float(rows.size),
            )
            for learner, (members, _, _) in enumerate(splits)
            for number, rows in enumerate(members)
        ]
        heads = head_tasks(train, splits[0][0], settings.head)
        # In one stage, so that the head's tasks fill the cores the clusters leave idle.
        fitted = iter(executor.map(_call, [*tasks, *heads], "clusters"))
        total: Counter[str] = Counter()
        learners = []
        for members, centroids, seconds in splits:
            total["partition"] += seconds  # type: ignore[assignment]
            parts = [next(fitted) for _ in members]
            shape = (train.n_features, max(len(members), 1))
            clusters_fitted = [Cluster.of(arrays) for arrays, _ in parts]
            learners.append(Learner(csr(*centroids, shape), clusters_fitted))
            for _, stage_seconds in parts:
                total.update(stage_seconds)
        self.learners = learners
        if heads:
            parts = list(fitted)
            self.heads = heads_of([arrays for arrays, _ in parts], train.n_features, settings.head)
            for _, stage_seconds in parts:
                total.update(stage_seconds)
        self.stage_seconds = dict(total)
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """Pool the votes of all learners' neighbours, and blend them with the head if there is one.

        Labels without a positive score are not listed.
        """
        if k < 1:
            raise ValueError(f"k is {k}; expected at least 1")
        n = X.shape[0]
        labels, scores = np.empty((n, k), np.int32), np.empty((n, k), np.float32)
        for rows in self.blocks(X):
            labels[rows], scores[rows] = self._predict_block(take_rows(X, rows), k)
        return TopK(labels, scores)

    def blocks(self, X: sparse.csr_array, threads: int = 1) -> list[np.ndarray]:
        """See BlockModel.blocks: rows by their cluster in the first learner.

        So that a block visits few clusters, and is one visit's worth of rows in each where several
        learners, whose clusters differ, make it visit many.
        """
        if not self.learners:
            return consecutive(X.shape[0], BLOCK_ROWS)
        centroids = self.learners[0].centroids
        if X.shape[1] != centroids.shape[0]:
            raise ValueError(
                f"X has {X.shape[1]} features; the model was trained on {centroids.shape[0]}"
            )
        order = np.argsort(nearest_cluster(X, centroids, threads=threads), kind="stable")
        size = block_rows(self.settings, centroids.shape[1], X.shape[0])
        return [np.sort(order[rows]).astype(np.int32) for rows in consecutive(order.size, size)]

    def _predict_block(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores (m, k) of one block of rows."""
        labels = np.full((X.shape[0], k), -1, np.int32)
        scores = np.full((X.shape[0], k), -np.inf, np.float32)
        ids, votes, head_of = self.votes(X)
        known = csr_parts(self.labels)[:2]
        if not self.heads:
            tally(ids, votes, *known, self.label_weights, labels, scores)
            return labels, scores
        for number, rows in _visits(head_of):
            head = self.heads[number]
            of_visit = labels[rows], scores[rows]
            blend(
                ids[rows],
                votes[rows],
                *known,
                *csr_parts(restricted(take_rows(X, rows), head.features)),
                head.labels,
                head.starts,
                head.places,
                head.values,
                head.intercepts,
                self.settings.head.weight,
                self.label_weights,
                *of_visit,
            )
            labels[rows], scores[rows] = of_visit
        return labels, scores

    def votes(self, X: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All learners' neighbours of the rows of X, what their votes weigh, and the rows' heads.

        Returns
        -------
        ids, votes : int32 and float32, shape (m, learners x neighbours)
            A neighbour counts where its vote is positive.
        head_of : int32, shape (m,)
        """
        votes_of_each = self.settings.vote.neighbours
        shape = (X.shape[0], len(self.learners) * votes_of_each)
        ids, votes = np.empty(shape, np.int32), np.empty(shape, np.float32)
        one_head = np.zeros(X.shape[0], np.int32)
        head_of = one_head
        for number, learner in enumerate(self.learners):
            own = slice(number * votes_of_each, (number + 1) * votes_of_each)
            cluster_of = nearest_cluster(X, learner.centroids) if learner.clusters else one_head
            ids[:, own], votes[:, own] = self._votes(learner, cluster_of, X)
            if number == 0 and self.settings.head.scope == "cluster":
                head_of = cluster_of
        return ids, votes, head_of

    def evidence(self, x: sparse.csr_array, labels: Sequence[int]) -> list[Evidence]:
        """See Explainable.evidence: the neighbours' votes and the head's features."""
        ids, votes, head_of = self.votes(x)
        kept = votes[0] > 0
        head = self.heads[int(head_of[0])] if self.heads else None
        return blended_evidence(
            x, labels, ids[0, kept], votes[0, kept], self.labels, head,
            self.settings.head.weight, self.label_weights,
        )  # fmt: skip

    def labels_of(self, row: int) -> np.ndarray:
        """See Voting.labels_of."""
        return row_labels(self.labels, row)

    @property
    def label_weights(self) -> np.ndarray:
        """What the scores of each label are multiplied by, float32 (l,); computed once."""
        if self._tail_weights is None:
            weights = np.ones(self.labels.shape[1])
            if self.settings.tail != 0:
                weights = inverse_propensity(self.labels, *USUAL_PROPENSITY) ** self.settings.tail
            self._tail_weights = weights.astype(np.float32)
            self._tail_weights.flags.writeable = False
        return self._tail_weights

    def _votes(
        self, learner: Learner, cluster_of: np.ndarray, X: sparse.csr_array
    ) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours and their votes in the clusters that rows of X belong to."""
        shape = (X.shape[0], self.settings.vote.neighbours)
        ids = np.full(shape, -1, np.int32)
        weights = np.zeros(shape, np.float32)
        if not learner.clusters:
            return ids, weights
        for number, rows in _visits(cluster_of):
            # Held by no name: a saved model's cluster is gone before the next is opened.
            ids[rows], weights[rows] = learner.clusters[number].neighbours(
                take_rows(X, rows), self.settings.vote
            )
        return ids, weights

    @property
    def shape(self) -> tuple[int, int]:
        """See Model.shape."""
        return self.learners[0].centroids.shape[0], self.labels.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes of centroids, regressors, stored embeddings, head and the training labels."""
        labels = self.labels.indptr.nbytes + self.labels.indices.nbytes
        found: int = (
            labels
            + sum(head.nbytes for head in self.heads)
            + sum(
                csr_bytes(learner.centroids)
                + sum(a.nbytes for c in learner.clusters for a in c.arrays)
                for learner in self.learners
            )
        )
        return found

    def save(self, folder: Path) -> None:
        """See Model.save."""
        files.save_model(folder, self.settings, self.seed, self.labels)
        for number, learner in enumerate(self.learners):
            files.save_learner(
                folder, number, learner.centroids, learner.clusters, self.settings.storage
            )
        if self.heads:
            files.save_heads(folder, self.heads)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        settings, seed, labels = files.load_model(folder)
        model = cls(settings, seed)
        model.labels = labels
        model.learners = files.OnDemand(
            settings.learners, lambda number: Learner(*files.load_learner(folder, number))
        )
        if settings.head.kind != "none":
            model.heads = files.load_heads(folder)
        return model


def _visits(cluster_of: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The clusters met, ascending, and the rows in each."""
    for number in np.unique(cluster_of).tolist():
        yield number, np.flatnonzero(cluster_of == number)


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def block_rows(settings: LocalEmbeddingSettings, clusters: int, n: int) -> int:
    """Rows of a block, of n rows in all, for a model with so many clusters in a learner."""
    if settings.learners == 1:
        return BLOCK_ROWS
    most = VOTE_BYTES // (8 * settings.vote.neighbours * settings.learners)
    size = max(BLOCK_ROWS, min(VISIT_ROWS * clusters, most))
    if BLOCK_ROWS < size < n:
        return ceil(n / ceil(n / size))  # as even as they go
    return size


def split(
    train: Dataset,
    clusters: int,
    settings: PartitionSettings,
    seed: int,
    learner: int,
    threads: int = 1,
) -> tuple[list[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray], float]:
    """One learner's clusters of the labelled training rows (int32), centroids, and the seconds.

    The centroids as data, indices and indptr of a CSR matrix by feature.
    """
    start = perf_counter()
    labelled = np.flatnonzero(np.diff(train.Y.indptr)).astype(np.int32)
    members = [labelled] if labelled.size else []
    centroids = sparse.csr_array((train.n_features, 1), dtype=np.float32)
    if clusters > 1 and labelled.size:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(learner,)))
        assignment, centroids = partition(
            train.X, clusters, settings, rng, rows=labelled, threads=threads
        )
        # Sorted by cluster once, not searched for each of hundreds.
        ends = np.cumsum(np.bincount(assignment))
        members = np.split(labelled[np.argsort(assignment, kind="stable")], ends[:-1])
    parts = centroids.data, centroids.indices, centroids.indptr
    return members, parts, perf_counter() - start

"""LocalEmbedding: an ensemble of learners, each a partition with one embedding per cluster."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Self

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, PartitionSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.tally import tally
from xcbench.models.base import Executor, InlineExecutor, Task
from xcbench.models.local_embedding import files
from xcbench.models.local_embedding.cluster import Cluster, fit_cluster
from xcbench.models.local_embedding.partition import nearest_cluster, partition

POINTS_PER_CLUSTER = 6000  # of ``clusters: auto``, as in the RXML paper
PREDICT_ROWS = 8192  # whose votes are held at once


@dataclass(frozen=True, eq=False)
class Learner:
    """One partition: centroids float32 (C, d) and a fitted cluster for each."""

    centroids: np.ndarray
    clusters: list[Cluster]


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
        Seconds of partition, neighbours, completion and regression, summed over tasks.
    """

    def __init__(self, settings: LocalEmbeddingSettings, seed: int) -> None:
        self.settings = settings
        self.seed = seed
        self.stage_seconds: dict[str, float] = {}
        self.learners: list[Learner] = []
        self.labels = sparse.csr_array((0, 0), dtype=np.float32)

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """Fit every (learner, cluster) as a task of its own; points without labels take no part."""
        executor = executor or InlineExecutor()
        settings = self.settings
        clusters = settings.clusters
        if clusters == "auto":
            clusters = max(1, train.n_points // POINTS_PER_CLUSTER)
        self.labels = train.Y
        splits = executor.map(
            split,
            [
                Task(
                    f"learner {learner}", (train, clusters, settings.partition, self.seed, learner)
                )
                for learner in range(settings.learners)
            ],
            "partition",
        )
        tasks = [
            Task(
                f"learner {learner}, cluster {number}",
                (train, rows, settings, self.seed, learner, number),
                cost=float(rows.size),
            )
            for learner, (members, _, _) in enumerate(splits)
            for number, rows in enumerate(members)
        ]
        fitted = iter(executor.map(fit_cluster, tasks, "clusters"))
        total: Counter[str] = Counter()
        self.learners = []
        for members, centroids, seconds in splits:
            total["partition"] += seconds  # type: ignore[assignment]
            parts = [next(fitted) for _ in members]
            self.learners.append(Learner(centroids, [Cluster(*arrays) for arrays, _ in parts]))
            for _, stage_seconds in parts:
                total.update(stage_seconds)
        self.stage_seconds = dict(total)
        return self

    def predict(self, X: sparse.csr_array, k: int) -> TopK:
        """Pool the votes of all learners' neighbours; labels nobody votes for are not listed."""
        if k < 1:
            raise ValueError(f"k is {k}; expected at least 1")
        if self.learners and X.shape[1] != self.learners[0].centroids.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} features; the model was trained on "
                f"{self.learners[0].centroids.shape[1]}"
            )
        n = X.shape[0]
        labels = np.full((n, k), -1, np.int32)
        scores = np.full((n, k), -np.inf, np.float32)
        for start in range(0, n, PREDICT_ROWS):
            rows = slice(start, start + PREDICT_ROWS)
            self._predict_block(X[rows], labels[rows], scores[rows])
        return TopK(labels, scores)

    def _predict_block(self, X: sparse.csr_array, labels: np.ndarray, scores: np.ndarray) -> None:
        votes = [self._votes(learner, X) for learner in self.learners]
        tally(
            np.hstack([ids for ids, _ in votes]),
            np.hstack([weights for _, weights in votes]),
            *csr_parts(self.labels)[:2],
            self.labels.shape[1],
            labels,
            scores,
        )

    def _votes(self, learner: Learner, X: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        shape = (X.shape[0], self.settings.vote.neighbours)
        ids = np.full(shape, -1, np.int32)
        weights = np.zeros(shape, np.float32)
        if not learner.clusters:
            return ids, weights
        cluster_of = nearest_cluster(X, learner.centroids)
        for number, cluster in enumerate(learner.clusters):
            rows = np.flatnonzero(cluster_of == number)
            if rows.size:
                ids[rows], weights[rows] = cluster.neighbours(X[rows], self.settings.vote)
        return ids, weights

    @property
    def nbytes(self) -> int:
        """Bytes of centroids, regressors, stored embeddings and the training labels."""
        labels = self.labels.indptr.nbytes + self.labels.indices.nbytes
        return labels + sum(
            learner.centroids.nbytes + sum(a.nbytes for c in learner.clusters for a in c.arrays)
            for learner in self.learners
        )

    def save(self, folder: Path) -> None:
        """See Model.save."""
        files.save_header(folder, self.settings, self.seed, self.labels)
        for number, learner in enumerate(self.learners):
            files.save_learner(folder, number, learner.centroids, learner.clusters)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        settings, seed, labels = files.load_header(folder)
        model = cls(settings, seed)
        model.labels = labels
        model.learners = [
            Learner(*files.load_learner(folder, number)) for number in range(settings.learners)
        ]
        return model


def split(
    train: Dataset, clusters: int, settings: PartitionSettings, seed: int, learner: int
) -> tuple[list[np.ndarray], np.ndarray, float]:
    """One learner's clusters of the labelled training rows (int32), centroids, and the seconds."""
    start = perf_counter()
    labelled = np.flatnonzero(np.diff(train.Y.indptr)).astype(np.int32)
    if labelled.size == 0:
        return [], np.zeros((1, train.n_features), np.float32), perf_counter() - start
    if clusters == 1:
        members = [labelled]
        centroids = np.zeros((1, train.n_features), np.float32)
    else:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(learner,)))
        assignment, centroids = partition(train.X[labelled], clusters, settings, rng)
        members = [labelled[assignment == number] for number in range(len(centroids))]
    return members, centroids, perf_counter() - start

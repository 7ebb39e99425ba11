"""LocalEmbedding: an ensemble of learners, each a partition with one embedding per cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import numpy as np
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, PartitionSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.kernels.blend import blend
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.tally import tally
from xcbench.metrics.propensity import inverse_propensity
from xcbench.models.base import Executor, InlineExecutor, Task
from xcbench.models.local_embedding import files
from xcbench.models.local_embedding.cluster import Cluster, fit_cluster
from xcbench.models.local_embedding.head import LinearHead, assembled, head_tasks
from xcbench.models.local_embedding.partition import nearest_cluster, partition

POINTS_PER_CLUSTER = 6000  # of ``clusters: auto``, as in the RXML paper
USUAL_PROPENSITY = 0.55, 1.5  # A and B of Jain et al. (2016) where no others were fitted
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
        Seconds of partition, neighbours, completion, regression and head, summed over tasks.
    """

    def __init__(self, settings: LocalEmbeddingSettings, seed: int) -> None:
        self.settings = settings
        self.seed = seed
        self.stage_seconds: dict[str, float] = {}
        self.learners: list[Learner] = []
        self.labels = sparse.csr_array((0, 0), dtype=np.float32)
        self.head: LinearHead | None = None

    def fit(self, train: Dataset, executor: Executor | None = None) -> Self:
        """Fit every (learner, cluster), and every block of labels of the head, as its own task.

        Points without labels take no part in the clusters.
        """
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
                (fit_cluster, train, rows, settings, self.seed, learner, number),
                cost=float(rows.size),
            )
            for learner, (members, _, _) in enumerate(splits)
            for number, rows in enumerate(members)
        ]
        heads = head_tasks(train, settings.head) if settings.head.kind != "none" else []
        # In one stage, so that the head's tasks fill the cores the clusters leave idle.
        fitted = iter(executor.map(_call, [*tasks, *heads], "clusters"))
        total: Counter[str] = Counter()
        self.learners = []
        for members, centroids, seconds in splits:
            total["partition"] += seconds  # type: ignore[assignment]
            parts = [next(fitted) for _ in members]
            self.learners.append(Learner(centroids, [Cluster(*arrays) for arrays, _ in parts]))
            for _, stage_seconds in parts:
                total.update(stage_seconds)
        if heads:
            parts = list(fitted)
            self.head = assembled([arrays for arrays, _ in parts], train.n_features)
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
        pairs = [self._votes(learner, X) for learner in self.learners]
        ids = np.hstack([ids for ids, _ in pairs])
        votes = np.hstack([weights for _, weights in pairs])
        known = csr_parts(self.labels)[:2]
        if self.head is None:
            tally(ids, votes, *known, self._label_weights(), labels, scores)
            return
        blend(
            ids,
            votes,
            *known,
            *csr_parts(X),
            *csr_parts(self.head.weights),
            self.head.intercepts,
            self.settings.head.weight,
            self._label_weights(),
            labels,
            scores,
        )

    def _label_weights(self) -> np.ndarray:
        """What the scores of each label are multiplied by, float32 (l,)."""
        if self.settings.tail == 0:
            return np.ones(self.labels.shape[1], np.float32)
        weights = inverse_propensity(self.labels, *USUAL_PROPENSITY) ** self.settings.tail
        return weights.astype(np.float32)

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
        """Bytes of centroids, regressors, stored embeddings, head and the training labels."""
        labels = self.labels.indptr.nbytes + self.labels.indices.nbytes
        head = self.head.nbytes if self.head is not None else 0
        return (
            labels
            + head
            + sum(
                learner.centroids.nbytes + sum(a.nbytes for c in learner.clusters for a in c.arrays)
                for learner in self.learners
            )
        )

    def save(self, folder: Path) -> None:
        """See Model.save."""
        files.save_header(folder, self.settings, self.seed, self.labels)
        for number, learner in enumerate(self.learners):
            files.save_learner(folder, number, learner.centroids, learner.clusters)
        if self.head is not None:
            files.save_head(folder, self.head)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """See Model.load."""
        settings, seed, labels = files.load_header(folder)
        model = cls(settings, seed)
        model.labels = labels
        model.learners = [
            Learner(*files.load_learner(folder, number)) for number in range(settings.learners)
        ]
        if settings.head.kind != "none":
            model.head = files.load_head(folder, labels.shape[1])
        return model


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


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

"""Head: one linear classifier for each label, whose scores are blended with the vote [ours].

The vote is right where a test point has near neighbours; the head, of full rank, knows what single
features say of rare labels, which low-rank embeddings cut off.

Of ``scope: all`` there is one head, fitted against all rows; of ``scope: cluster`` one for each
cluster of the first learner, of the labels and against the rows of that cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.config.methods import HeadSettings
from xcbench.data.dataset import Dataset
from xcbench.data.matrix import take_rows
from xcbench.kernels.csr import csr_parts
from xcbench.models.base import Task
from xcbench.models.local_embedding.regression import active_features
from xcbench.optim.squared_hinge import OwnFeatures, Steps, truncated_newton

TASK_LABELS = 256
# Fitted at once: as many columns as keep their weights near the processor, of all features or of
# the labels' own, which are fewer.
BLOCK_LABELS = 32
OWN_LABELS = 64
# A label is fitted on its own features where their columns hold at most this part of the data's
# entries.
RARE = 6
# Of a cluster's head, times its other stages: 5 on two sets of short texts, 29 on one of long ones.
HEAD_COST = 10.0

# Features, their weights and the intercept of one label.
_Classifier = tuple[np.ndarray, np.ndarray, np.float32]
_Seconds = dict[str, float]


@dataclass(frozen=True, eq=False)
class LinearHead:
    """Weights and intercepts of some labels.

    Attributes
    ----------
    labels : int32, shape (m,)
        Ascending; those that occur in the rows it was fitted to.
    features : int32, shape (f,)
        Those with a weight, ascending.
    starts, places, values : int64 (f + 1,), int32, float32
        CSR parts of the weights (f, m) of at least the threshold's size; columns are places in
        ``labels``.
    intercepts : float32, shape (m,)
    """

    labels: np.ndarray
    features: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    values: np.ndarray
    intercepts: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return (
            self.labels, self.features, self.starts, self.places, self.values, self.intercepts,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)


def head_tasks(train: Dataset, members: Sequence[np.ndarray], settings: HeadSettings) -> list[Task]:
    """One task for every cluster, given by its rows, or every TASK_LABELS labels.

    Its first argument is the function; ``heads_of`` makes heads of the results. Costs are in the
    unit of a cluster's task, its rows: guesses that only order the tasks.
    """
    if settings.kind == "none":
        return []
    if settings.scope == "cluster":
        return [
            Task(
                f"head, cluster {number}",
                (fit_cluster_head, train, rows, settings),
                cost=HEAD_COST * rows.size,
            )
            for number, rows in enumerate(members)
        ]
    return [
        Task(
            f"head, labels {first} to {last - 1}",
            (fit_labels, train, first, last, settings),
            cost=train.n_points * (last - first) / TASK_LABELS,
        )
        for first in range(0, train.n_labels, TASK_LABELS)
        for last in [min(first + TASK_LABELS, train.n_labels)]
    ]


def heads_of(
    parts: Sequence[tuple[np.ndarray, ...]], n_features: int, settings: HeadSettings
) -> list[LinearHead]:
    """The heads, from what the tasks gave in order."""
    if settings.scope == "cluster":
        return [LinearHead(*arrays) for arrays in parts]
    return [_by_feature(parts, n_features)] if parts else []


def fit_cluster_head(
    train: Dataset, rows: np.ndarray, settings: HeadSettings
) -> tuple[tuple[np.ndarray, ...], _Seconds]:
    """LinearHead.arrays of the cluster of these training rows, and the seconds they took."""
    start = perf_counter()
    active, X = active_features(take_rows(train.X, rows))
    labels, positives = _positives(take_rows(train.Y, rows), 0, train.n_labels)
    starts, features, values, intercepts = _fit(X, positives, settings)
    head = _by_feature([(labels, starts, features, values, intercepts)], active.size)
    arrays = (head.labels, active[head.features], *head.arrays[2:])
    return arrays, {"head": perf_counter() - start}


def fit_labels(
    train: Dataset, first: int, last: int, settings: HeadSettings
) -> tuple[tuple[np.ndarray, ...], _Seconds]:
    """The classifiers of those of the labels ``first`` to ``last - 1`` that occur.

    Returns
    -------
    arrays : (int32 (m,), int64 (m + 1,), int32, float32, float32 (m,))
        The labels; by label: where its weights start, their features and values; the intercepts.
    seconds : dict of str to float
    """
    start = perf_counter()
    labels, positives = _positives(train.Y, first, last)
    return (labels, *_fit(train.X, positives, settings)), {"head": perf_counter() - start}


def _positives(Y: sparse.csr_array, first: int, last: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Those of the labels ``first`` to ``last - 1`` that occur, and the rows of each, int32."""
    indptr, indices, _ = csr_parts(Y)
    (entries,) = np.nonzero((indices >= first) & (indices < last))
    entries = entries[np.argsort(indices[entries], kind="stable")]
    rows = (np.searchsorted(indptr, entries, side="right") - 1).astype(np.int32)
    labels, starts = np.unique(indices[entries], return_index=True)
    return labels, np.split(rows, starts[1:]) if labels.size else []


def _fit(
    X: sparse.csr_array, positives: Sequence[np.ndarray], settings: HeadSettings
) -> tuple[np.ndarray, ...]:
    """Classifiers of labels given by their rows, packed by label."""
    fitted = _fit_rare(X, positives, settings)
    frequent = [label for label in range(len(positives)) if label not in fitted]
    for at in range(0, len(frequent), BLOCK_LABELS):
        block = frequent[at : at + BLOCK_LABELS]
        fitted |= _fit_block(X, {label: positives[label] for label in block}, settings)
    return _packed([fitted[label] for label in range(len(positives))])


def _fit_rare(
    X: sparse.csr_array, positives: Sequence[np.ndarray], settings: HeadSettings
) -> dict[int, _Classifier]:
    """Those of the labels that are fitted on their own features."""
    own = OwnFeatures(X, settings.lift)
    costs = [own.cost(rows) for rows in positives]
    # Those of like size together, so that few of a block's features are of no use to most of it.
    order = np.argsort(costs, kind="stable").tolist()
    rare = [label for label in order if RARE * costs[label] <= X.nnz]
    fitted = {}
    for at in range(0, len(rare), OWN_LABELS):
        block = rare[at : at + OWN_LABELS]
        for label, (features, w) in zip(
            block, own.fit([positives[label] for label in block], _steps(settings)), strict=True
        ):
            fitted[label] = _thresholded(features, w, settings.threshold)
    return fitted


def _fit_block(
    X: sparse.csr_array, positives: Mapping[int, np.ndarray], settings: HeadSettings
) -> dict[int, _Classifier]:
    """Labels, given by their rows, fitted together on all features."""
    n, d = X.shape
    positive = np.zeros((n, len(positives)), np.uint8)
    for place, rows in enumerate(positives.values()):
        positive[rows, place] = 1
    W = truncated_newton(csr_parts(X), d, positive, _steps(settings))
    every = np.arange(d, dtype=np.int32)
    return {
        label: _thresholded(every, W[:, place], settings.threshold)
        for place, label in enumerate(positives)
    }


def _steps(settings: HeadSettings) -> Steps:
    """The first Newton step alone is ridge regression."""
    rounds = 1 if settings.kind == "ridge" else settings.rounds
    return Steps(settings.ridge, rounds, settings.iterations)


def _thresholded(features: np.ndarray, w: np.ndarray, threshold: float) -> _Classifier:
    kept = np.abs(w[:-1]) >= threshold
    return features[kept], w[:-1][kept], w[-1]


def _packed(classifiers: Sequence[_Classifier]) -> tuple[np.ndarray, ...]:
    sizes = [features.size for features, _, _ in classifiers]
    nothing = np.empty(0, np.int32), np.empty(0, np.float32)
    return (
        np.cumsum([0, *sizes], dtype=np.int64),
        np.concatenate([nothing[0], *(features for features, _, _ in classifiers)]),
        np.concatenate([nothing[1], *(values for _, values, _ in classifiers)]),
        np.array([intercept for _, _, intercept in classifiers], np.float32),
    )


def _by_feature(parts: Sequence[tuple[Any, ...]], n_features: int) -> LinearHead:
    """The head of all labels, of parts as ``fit_labels`` gives, those of one label after another.

    Filled a part at a time: beside the parts there is one copy of the weights.
    """
    counts = np.zeros(n_features, np.int64)
    for _, _, features, _, _ in parts:
        counts += np.bincount(features, minlength=n_features)
    free = np.concatenate([[0], np.cumsum(counts)])
    with_weight = np.flatnonzero(counts).astype(np.int32)
    starts = free[[*with_weight, n_features]]
    places, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    before = 0
    for labels, starts_of, features, of_features, _ in parts:
        # By feature; within one the labels ascend, as the sort is stable.
        order = np.argsort(features, kind="stable")
        met, first, count = np.unique(features[order], return_index=True, return_counts=True)
        at = np.arange(features.size) + np.repeat(free[met] - first, count)
        places[at] = (before + np.repeat(np.arange(labels.size), np.diff(starts_of)))[order]
        values[at] = of_features[order]
        free[met] += count
        before += labels.size
    return LinearHead(
        np.concatenate([labels for labels, *_ in parts]),
        with_weight,
        starts,
        places,
        values,
        np.concatenate([intercepts for *_, intercepts in parts]),
    )

"""Head: one linear classifier for each label, whose scores are blended with the vote [ours].

The vote is right where a test point has near neighbours; the head, of full rank, knows what single
features say of rare labels, which low-rank embeddings cut off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy import sparse

from xcbench.config.methods import HeadSettings
from xcbench.data.dataset import Dataset
from xcbench.data.matrix import csr, row_pointers
from xcbench.kernels.csr import csr_parts
from xcbench.models.base import Task
from xcbench.optim.squared_hinge import RareLabels, truncated_newton

TASK_LABELS = 256
BLOCK_LABELS = 64  # fitted at once: as many columns as keep their weights near the processor
# A label is fitted on its own features where that touches at most this part of the data's entries;
# in a block its share of the passes over all of them costs about a sixth of a pass of its own.
RARE = 6

# Features, their weights and the intercept of one label.
_Classifier = tuple[np.ndarray, np.ndarray, np.float32]


@dataclass(frozen=True, eq=False)
class LinearHead:
    """Weights and intercepts of all labels.

    Attributes
    ----------
    weights : csr_array of float32, shape (d, l)
        Those of at least the threshold's size.
    intercepts : float32, shape (l,)
    """

    weights: sparse.csr_array
    intercepts: np.ndarray

    @property
    def nbytes(self) -> int:
        parts = (self.weights.indptr, self.weights.indices, self.weights.data, self.intercepts)
        return sum(part.nbytes for part in parts)


def head_tasks(train: Dataset, settings: HeadSettings) -> list[Task]:
    """One task for every TASK_LABELS labels; its first argument is the function."""
    return [
        Task(
            f"head, labels {first} to {last - 1}",
            (fit_labels, train, first, last, settings),
            # In the unit of a cluster's task, its rows: a guess that only orders the tasks.
            cost=train.n_points * (last - first) / TASK_LABELS,
        )
        for first in range(0, train.n_labels, TASK_LABELS)
        for last in [min(first + TASK_LABELS, train.n_labels)]
    ]


def fit_labels(
    train: Dataset, first: int, last: int, settings: HeadSettings
) -> tuple[tuple[np.ndarray, ...], dict[str, float]]:
    """The classifiers of labels ``first`` to ``last - 1``, and the seconds they took.

    Returns
    -------
    arrays : (int64 (labels + 1,), int32, float32, float32 (labels,))
        By label: where its weights start, their features and values; and the intercepts.
    seconds : dict of str to float
    """
    start = perf_counter()
    columns = train.Y[:, first:last].tocsc()
    positives = [_column(columns, label) for label in range(last - first)]
    fitted = _fit_rare(train, positives, settings)
    frequent = [label for label in range(last - first) if label not in fitted]
    for at in range(0, len(frequent), BLOCK_LABELS):
        block = frequent[at : at + BLOCK_LABELS]
        fitted |= _fit_block(train, {label: positives[label] for label in block}, settings)
    return _packed([fitted[label] for label in range(last - first)]), {
        "head": perf_counter() - start
    }


def _fit_rare(
    train: Dataset, positives: Sequence[np.ndarray], settings: HeadSettings
) -> dict[int, _Classifier]:
    """Those of the labels, given by their rows, that are worth fitting one by one."""
    rare = RareLabels(train.X)
    fitted = {}
    for label, rows in enumerate(positives):
        features, cost = rare.features(rows)
        if RARE * cost <= train.X.nnz:
            w = rare.fit(features, rows, settings.ridge, _rounds(settings), settings.iterations)
            fitted[label] = _thresholded(features, w, settings.threshold)
    return fitted


def _fit_block(
    train: Dataset, positives: Mapping[int, np.ndarray], settings: HeadSettings
) -> dict[int, _Classifier]:
    """Labels, given by their rows, fitted together on all features."""
    positive = np.zeros((train.n_points, len(positives)), np.uint8)
    for place, rows in enumerate(positives.values()):
        positive[rows, place] = 1
    W = truncated_newton(
        csr_parts(train.X),
        train.n_features,
        positive,
        settings.ridge,
        _rounds(settings),
        settings.iterations,
    )
    every = np.arange(train.n_features, dtype=np.int32)
    return {
        label: _thresholded(every, W[:, place], settings.threshold)
        for place, label in enumerate(positives)
    }


def _rounds(settings: HeadSettings) -> int:
    """Newton steps; the first alone is ridge regression."""
    return 1 if settings.kind == "ridge" else settings.rounds


def _thresholded(features: np.ndarray, w: np.ndarray, threshold: float) -> _Classifier:
    kept = np.abs(w[:-1]) >= threshold
    return features[kept], w[:-1][kept], w[-1]


def _packed(classifiers: Sequence[_Classifier]) -> tuple[np.ndarray, ...]:
    sizes = [features.size for features, _, _ in classifiers]
    return (
        np.cumsum([0, *sizes], dtype=np.int64),
        np.concatenate([features for features, _, _ in classifiers]),
        np.concatenate([values for _, values, _ in classifiers]),
        np.array([intercept for _, _, intercept in classifiers], np.float32),
    )


def _column(columns: sparse.csc_array, label: int) -> np.ndarray:
    """The rows that have a label, int32."""
    rows: np.ndarray = columns.indices[columns.indptr[label] : columns.indptr[label + 1]]
    return rows.astype(np.int32, copy=False)


def assembled(parts: Sequence[tuple[np.ndarray, ...]], n_features: int) -> LinearHead:
    """The head of all labels, from what the tasks gave in order."""
    n_labels = sum(intercepts.size for *_, intercepts in parts)
    sizes = np.concatenate([np.diff(starts) for starts, *_ in parts])
    by_label = sparse.csr_array(
        (
            np.concatenate([values for _, _, values, _ in parts]),
            np.concatenate([features for _, features, _, _ in parts]),
            np.concatenate([[0], np.cumsum(sizes)]),
        ),
        shape=(n_labels, n_features),
    )
    weights = by_label.T.tocsr()  # sorted, as it takes the labels one after the other
    indices, indptr = weights.indices.astype(np.int32, copy=False), row_pointers(weights.indptr)
    return LinearHead(
        csr(weights.data, indices, indptr, weights.shape),
        np.concatenate([intercepts for *_, intercepts in parts]),
    )

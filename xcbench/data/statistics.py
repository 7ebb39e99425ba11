"""The statistics of a dataset, as Table 1 of the benchmark prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse


class _Part(Protocol):
    @property
    def X(self) -> sparse.csr_array: ...

    @property
    def Y(self) -> sparse.csr_array: ...


class _Split(Protocol):
    @property
    def train(self) -> _Part: ...

    @property
    def test(self) -> _Part: ...


@dataclass(frozen=True)
class Statistics:
    """Counts and averages of one split.

    Attributes
    ----------
    n_train, n_test, n_features, n_labels : int
    features_per_point : float
        Stored features of a training row, on average.
    labels_per_point, labels_per_point_train : float
        Over all rows; over the training rows.
    points_per_label, points_per_label_train : float
        Rows with a label, averaged over all l labels; published tables use either.
    train_rows_without_labels, test_rows_without_labels : int
    train_rows_without_features, test_rows_without_features : int
    labels_without_training_rows, labels_of_test_only : int
        Labels no training row has; those of them that a test row has.
    """

    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    features_per_point: float
    labels_per_point: float
    labels_per_point_train: float
    points_per_label: float
    points_per_label_train: float
    train_rows_without_labels: int
    test_rows_without_labels: int
    train_rows_without_features: int
    test_rows_without_features: int
    labels_without_training_rows: int
    labels_of_test_only: int


def statistics(data: _Split) -> Statistics:
    """The statistics of a split: PreparedData, Parts, or anything with a train and a test part."""
    train, test = data.train, data.test
    (n_train, n_features), n_test = train.X.shape, test.X.shape[0]
    n_labels = train.Y.shape[1]
    n_pairs = train.Y.nnz + test.Y.nnz
    # Not an array over all labels: a header may state any number of them.
    in_train, in_test = np.unique(train.Y.indices), np.unique(test.Y.indices)
    return Statistics(
        n_train=n_train,
        n_test=n_test,
        n_features=n_features,
        n_labels=n_labels,
        features_per_point=_ratio(train.X.nnz, n_train),
        labels_per_point=_ratio(n_pairs, n_train + n_test),
        labels_per_point_train=_ratio(train.Y.nnz, n_train),
        points_per_label=_ratio(n_pairs, n_labels),
        points_per_label_train=_ratio(train.Y.nnz, n_labels),
        train_rows_without_labels=empty_rows(train.Y),
        test_rows_without_labels=empty_rows(test.Y),
        train_rows_without_features=empty_rows(train.X),
        test_rows_without_features=empty_rows(test.X),
        labels_without_training_rows=n_labels - in_train.size,
        labels_of_test_only=np.setdiff1d(in_test, in_train).size,
    )


def empty_rows(matrix: sparse.csr_array) -> int:
    """The number of rows without a stored entry."""
    return int((np.diff(matrix.indptr) == 0).sum())


def _ratio(count: int, total: int) -> float:
    return count / total if total else 0.0

"""The statistics of a dataset, as Table 1 of the benchmark prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from xcbench.data.matrix import column_counts

_RANKS_FITTED = 64


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
    heaviest_label, heaviest_feature : int
        The training rows that have the commonest one.
    labels_below_ten, features_below_ten : float
        The share of all labels (features) that fewer than ten training rows have.
    label_exponent, feature_exponent : float or None
        Of the power law of the training rows; see ``rank_exponent``.
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
    heaviest_label: int
    labels_below_ten: float
    label_exponent: float | None
    heaviest_feature: int
    features_below_ten: float
    feature_exponent: float | None


def statistics(data: _Split) -> Statistics:
    """The statistics of a split: PreparedData, Parts, or anything with a train and a test part."""
    train, test = data.train, data.test
    (n_train, n_features), n_test = train.X.shape, test.X.shape[0]
    n_labels = train.Y.shape[1]
    n_pairs = train.Y.nnz + test.Y.nnz
    (in_train, label_counts), (in_test, _) = column_counts(train.Y), column_counts(test.Y)
    feature_counts = column_counts(train.X)[1]
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
        heaviest_label=int(label_counts.max(initial=0)),
        labels_below_ten=_share_below_ten(label_counts, n_labels),
        label_exponent=rank_exponent(label_counts),
        heaviest_feature=int(feature_counts.max(initial=0)),
        features_below_ten=_share_below_ten(feature_counts, n_features),
        feature_exponent=rank_exponent(feature_counts),
    )


def label_frequencies(Y: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """The labels that have rows, the commonest first (ties by number), and how many rows each."""
    labels, counts = column_counts(Y)
    order = np.argsort(-counts, kind="stable")
    return labels[order], counts[order]


def rank_exponent(counts: np.ndarray) -> float | None:
    """The b of the power law count ~ rank**-b; None if the counts of fewer than two are given.

    A straight line through log count against log rank by least squares, at ranks equally far apart
    in the logarithm: the thousands of rare ones, all of one or two rows, would else be all that
    counts. It describes the shape; it is no test of whether there is a law.

    Parameters
    ----------
    counts : ndarray of int, shape (m,)
        Positive, in any order.
    """
    if counts.size < 2:
        return None
    ranks = np.unique(np.geomspace(1, counts.size, _RANKS_FITTED).astype(np.int64))
    by_rank = np.sort(counts)[::-1][ranks - 1]
    slope = np.polyfit(np.log(ranks), np.log(by_rank), 1)[0]
    return float(-slope)


def _share_below_ten(counts: np.ndarray, n_columns: int) -> float:
    return 1.0 - _ratio(int((counts >= 10).sum()), n_columns) if n_columns else 0.0


def empty_rows(matrix: sparse.csr_array) -> int:
    """The number of rows without a stored entry."""
    return int((np.diff(matrix.indptr) == 0).sum())


def _ratio(count: int, total: int) -> float:
    return count / total if total else 0.0

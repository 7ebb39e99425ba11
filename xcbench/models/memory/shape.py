"""The size of a dataset, and what part of it a cluster sees."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import exp1

from xcbench.data.dataset import Dataset
from xcbench.models.base import BLOCK_ROWS


@dataclass(frozen=True)
class DataShape:
    """Numbers of points, features and labels, and of stored entries.

    Attributes
    ----------
    n_train, n_test, n_features, n_labels : int
    nnz_features, nnz_labels : int
        Entries of the training part.
    nnz_test_features : int
    """

    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    nnz_features: int
    nnz_labels: int
    nnz_test_features: int

    @classmethod
    def of(cls, train: Dataset, test: Dataset) -> DataShape:
        """The shape of a training and a test part; no array is read."""
        return cls(
            n_train=train.n_points,
            n_test=test.n_points,
            n_features=train.n_features,
            n_labels=train.n_labels,
            nnz_features=int(train.X.nnz),
            nnz_labels=int(train.Y.nnz),
            nnz_test_features=int(test.X.nnz),
        )

    @property
    def train_bytes(self) -> int:
        """Both training matrices: int32 indices and row starts, float32 values."""
        return 8 * (self.nnz_features + self.nnz_labels + self.n_train)

    @property
    def blocks(self) -> int:
        """Tasks of the prediction."""
        return -(-self.n_test // BLOCK_ROWS)

    @property
    def block_rows(self) -> int:
        return min(self.n_test, BLOCK_ROWS)

    @property
    def block_bytes(self) -> int:
        """Test features of one block, CSR."""
        return self.test_bytes(self.block_rows)

    def test_bytes(self, rows: int) -> int:
        """Test features of so many rows, CSR."""
        return 8 * self.nnz_test_features * min(rows, self.n_test) // max(self.n_test, 1)

    def features_among(self, entries: float) -> int:
        """How many features occur among so many entries of the training part.

        Expected number of distinct draws where the frequency of features falls as Zipf's law has
        it, 1 / (j H_d): within a fifth of the clusters of the text data it was compared with.
        """
        d = self.n_features
        scale = entries / (log(d) + np.euler_gamma)
        distinct = d * -np.expm1(-scale / d) + scale * exp1(scale / d) if entries > 0 else 0.0
        return int(min(distinct, d, entries))

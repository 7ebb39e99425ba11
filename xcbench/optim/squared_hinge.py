"""One-vs-rest linear classifiers with the squared hinge loss, a block of labels at once.

For each label: min over w of shift/2 |w|^2 + 1/2 sum over rows of max(0, 1 - y_i (x_i.w))^2 with
y = 1 or -1 and an intercept in w, by truncated Newton steps: the loss is a quadratic on its active
rows, those with y_i (x_i.w) < 1 (Keerthi and DeCoste, JMLR 2005). The first step starts from w = 0,
where every row is active: it is ridge regression to the targets 1 and -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xcbench.data.matrix import csr, take_rows
from xcbench.kernels import rare_label
from xcbench.kernels import squared_hinge as kernels
from xcbench.kernels.csr import csr_parts

# What fitting a block of labels at once costs, in entries of the columns of one label fitted alone:
# an entry of the block, and one of its rows.
_BLOCK_ENTRY, _BLOCK_ROW = 6, 20


@dataclass(frozen=True)
class Steps:
    """How far the classifiers are fitted.

    Attributes
    ----------
    shift : float
        Positive.
    rounds : int
        Newton steps, without line search; one alone is ridge regression.
    iterations : int
        Conjugate gradient iterations of each. Stopping early regularises too.
    tolerance : float
        ``truncated_newton`` ends a step where the gradient is at most so long, relative to the
        first one.
    """

    shift: float
    rounds: int
    iterations: int
    tolerance: float = 0.0


def truncated_newton(
    parts: tuple[np.ndarray, np.ndarray, np.ndarray],
    n_features: int,
    positive: np.ndarray,
    steps: Steps,
    *,
    own: np.ndarray | None = None,
    last_counts: int = 1,
) -> np.ndarray:
    """Weights of a block of labels.

    Parameters
    ----------
    parts : (int64, int32, float32)
        CSR parts of the features A (n, d).
    n_features : int
        d.
    positive : uint8, shape (n, b)
        1 where a row has the label.
    steps : Steps
    own : float32, shape (d + 1, b), optional
        1 where a label may have a weight, else 0; everywhere when None.
    last_counts : int
        How many rows, at least 0, the last one stands for.

    Returns
    -------
    float32, shape (d + 1, b)
        The last row is the intercept. Columns have nothing to do with one
        another.
    """
    W = np.zeros((n_features + 1, positive.shape[1]), np.float32)
    image, active = np.empty_like(W), np.empty_like(positive)
    for number in range(steps.rounds):
        kernels.gradient(*parts, last_counts, positive, number > 0, W, active, image)
        residual = -(image + np.float32(steps.shift) * W)
        if own is not None:
            residual *= own
        direction = residual.copy()
        squared: np.ndarray = np.einsum("ij,ij->j", residual, residual)
        if number == 0:
            least = steps.tolerance**2 * squared
        for _ in range(steps.iterations):
            if (squared <= least).all():
                break
            kernels.curvature(*parts, last_counts, active, direction, image)
            if own is not None:
                image *= own
            kernels.advance(steps.shift, image, squared, W, residual, direction)
    return W


class OwnFeatures:
    """The same for labels with weights on the features of their positive rows only.

    Other features could only speak against a label, and so do, for the most part, those that are
    hardly more frequent in its rows than elsewhere: ``lift`` leaves these out. What a label costs
    alone is the number of entries in the columns of its features, while ``truncated_newton`` costs
    all entries of the data; labels with features in common are fitted together where that costs
    less.

    Parameters
    ----------
    A : csr_array of float32, shape (n, d)
    lift : float
        A feature counts as the label's if the share of the label's rows that have it is at least
        this many times the share of all rows; 0 takes all features of its rows.
    """

    def __init__(self, A: sparse.csr_array, lift: float = 0.0) -> None:
        n, d = A.shape
        self._lift = lift
        self._rows = csr_parts(A)
        values, rows, starts = (lambda T: (T.data, T.indices, T.indptr))(A.T.tocsr())
        self._columns = csr(values, rows.astype(np.int32, copy=False), starts, (d, n))
        self._feature_place = np.full(d, -1, np.int32)
        self._row_place = np.full(n, -1, np.int32)

    def cost(self, positives: np.ndarray) -> int:
        """What fitting a label with these positive rows (int32) costs alone."""
        return int(self._sizes(self._features(positives)).sum())

    def fit(
        self, positives: Sequence[np.ndarray], steps: Steps
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Labels given by their positive rows; see truncated_newton.

        Returns
        -------
        list of (int32 (m,), float32 (m + 1,))
            The features of each, and their weights and the intercept.
        """
        features = [self._features(rows) for rows in positives]
        union = np.unique(np.concatenate(features))
        of_union = take_rows(self._columns, union)
        met = np.zeros(self._row_place.size, np.bool_)
        met[of_union.indices] = True
        met[np.concatenate(positives)] = True
        rows = np.flatnonzero(met)
        alone = sum(int(self._sizes(own).sum()) for own in features)
        if alone < _BLOCK_ENTRY * of_union.nnz + _BLOCK_ROW * rows.size:
            weights = [
                self._alone(*label, steps) for label in zip(features, positives, strict=True)
            ]
        else:
            self._row_place[rows] = np.arange(rows.size, dtype=np.int32)
            weights = self._together(features, positives, union, of_union, rows.size, steps)
            self._row_place[rows] = -1
        return list(zip(features, weights, strict=True))

    def _alone(self, features: np.ndarray, positives: np.ndarray, steps: Steps) -> np.ndarray:
        starts, rows, values, n_rows = rare_label.columns_of(
            features, positives, *csr_parts(self._columns), self._row_place
        )
        counts = positives.size, n_rows, self._row_place.size - n_rows
        found: np.ndarray = rare_label.newton(
            starts, rows, values, *counts, steps.shift, steps.rounds, steps.iterations
        )
        return found

    def _together(
        self,
        features: Sequence[np.ndarray],
        positives: Sequence[np.ndarray],
        union: np.ndarray,
        columns: sparse.csr_array,
        n_rows: int,
        steps: Steps,
    ) -> list[np.ndarray]:
        """On the columns of the union of their features, and the rows met there."""
        places = [np.append(np.searchsorted(union, own), union.size) for own in features]
        # One row more, for those that have none of the features.
        positive = np.zeros((n_rows + 1, len(features)), np.uint8)
        own = np.zeros((union.size + 1, len(features)), np.float32)
        for label, (place, rows) in enumerate(zip(places, positives, strict=True)):
            own[place, label] = 1
            positive[self._row_place[rows], label] = 1
        local, shape = self._row_place[columns.indices], (union.size, n_rows + 1)
        A = csr(columns.data, local, columns.indptr, shape).T.tocsr()
        rest = self._row_place.size - n_rows
        W = truncated_newton(csr_parts(A), union.size, positive, steps, own=own, last_counts=rest)
        return [W[place, label] for label, place in enumerate(places)]

    def _features(self, positives: np.ndarray) -> np.ndarray:
        indptr, indices, _ = self._rows
        features, counts = rare_label.features_of(positives, indptr, indices, self._feature_place)
        usual = self._sizes(features) * (positives.size / self._row_place.size)
        kept: np.ndarray = features[counts >= self._lift * usual]
        return kept

    def _sizes(self, features: np.ndarray) -> np.ndarray:
        """Entries of the columns of some features, int64."""
        starts = self._columns.indptr.astype(np.int64, copy=False)
        sizes: np.ndarray = starts[features + 1] - starts[features]
        return sizes

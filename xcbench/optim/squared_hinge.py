"""One-vs-rest linear classifiers with the squared hinge loss, a block of labels at once.

For each label: min over w of shift/2 |w|^2 + 1/2 sum over rows of max(0, 1 - y_i (x_i.w))^2 with
y = 1 or -1 and an intercept in w, by truncated Newton steps: the loss is a quadratic on its active
rows, those with y_i (x_i.w) < 1 (Keerthi and DeCoste, JMLR 2005). The first step starts from w = 0,
where every row is active: it is ridge regression to the targets 1 and -1.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.kernels import rare_label
from xcbench.kernels import squared_hinge as kernels
from xcbench.kernels.csr import csr_parts


def truncated_newton(
    parts: tuple[np.ndarray, np.ndarray, np.ndarray],
    n_features: int,
    positive: np.ndarray,
    shift: float,
    rounds: int,
    iterations: int,
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
    shift : float
        Positive.
    rounds : int
        Newton steps, without line search; one alone is ridge regression.
    iterations : int
        Conjugate gradient iterations of each. Stopping early regularises too.

    Returns
    -------
    float32, shape (d + 1, b)
        The last row is the intercept. Columns have nothing to do with one
        another.
    """
    W = np.zeros((n_features + 1, positive.shape[1]), np.float32)
    image, active = np.empty_like(W), np.empty_like(positive)
    for number in range(rounds):
        kernels.gradient(*parts, positive, number > 0, W, active, image)
        residual = -(image + np.float32(shift) * W)
        direction = residual.copy()
        squared: np.ndarray = np.einsum("ij,ij->j", residual, residual)
        for _ in range(iterations):
            kernels.curvature(*parts, active, direction, image)
            kernels.advance(shift, image, squared, W, residual, direction)
    return W


class RareLabels:
    """The same for one label at a time, with weights on the features of its positive rows only.

    Other features could only speak against a label. What a label costs is the number of entries in
    the columns of its features, while ``truncated_newton`` costs all entries of the data.

    Parameters
    ----------
    A : csr_array of float32, shape (n, d)
    """

    def __init__(self, A: sparse.csr_array) -> None:
        n, d = A.shape
        self._n = n
        self._rows = csr_parts(A)
        self._columns = csr_parts(A.T.tocsr())
        self._feature_place = np.full(d, -1, np.int32)
        self._row_place = np.full(n, -1, np.int32)

    def features(self, positives: np.ndarray) -> tuple[np.ndarray, int]:
        """The features of a label with these positive rows (int32), and what fitting it costs."""
        indptr, indices, _ = self._rows
        features = rare_label.features_of(positives, indptr, indices, self._feature_place)
        starts = self._columns[0]
        return features, int(np.sum(starts[features + 1] - starts[features]))

    def fit(
        self,
        features: np.ndarray,
        positives: np.ndarray,
        shift: float,
        rounds: int,
        iterations: int,
    ) -> np.ndarray:
        """Weights of these features and the intercept, float32 (m + 1,); see truncated_newton."""
        starts, rows, values, n_rows = rare_label.columns_of(
            features, positives, *self._columns, self._row_place
        )
        counts = positives.size, n_rows, self._n - n_rows
        return rare_label.newton(starts, rows, values, *counts, shift, rounds, iterations)

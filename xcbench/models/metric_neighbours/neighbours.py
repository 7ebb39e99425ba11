"""The k-nearest-neighbour rule under a metric."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist


def majority(
    train: np.ndarray, y: np.ndarray, test: np.ndarray, factor: np.ndarray, k: int
) -> np.ndarray:
    """The class most frequent among the k nearest training points of each test point.

    Of classes with equal votes the smallest number wins, as in the authors' release and in
    scikit-learn; of training points at equal distances the earlier ones are taken, so their order
    must not tell their class.

    Parameters
    ----------
    train, test : float64, shapes (n, d) and (m, d)
    y : int64, shape (n,)
    factor : float64, shape (d, d)
        G of the metric G G^T.
    k : int
        All training points vote where there are fewer.

    Returns
    -------
    int64, shape (m,)
    """
    distances = cdist(test @ factor, train @ factor, "sqeuclidean")
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = np.zeros((len(test), int(y.max()) + 1), np.int64)
    np.add.at(votes, (np.arange(len(test))[:, None], y[nearest]), 1)
    found: np.ndarray = votes.argmax(axis=1)
    return found

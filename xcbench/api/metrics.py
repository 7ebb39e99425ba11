"""Ranking metrics with napkinXC's names and arguments, computed by xcbench.metrics.

Each returns the values at 1, 2, ..., k as fractions: ``precision_at_k(Y, top, k=5)[4]`` is P@5.
Conventions are those of xcbench/metrics/ranking.py: every row counts, also one without labels; a
list shorter than k is filled up with misses.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from xcbench.api.rankings import Ranking, Truth, aligned, as_truth
from xcbench.data.matrix import widened
from xcbench.metrics import propensity, ranking


def precision_at_k(Y_true: Truth, Y_pred: Ranking, k: int = 5) -> np.ndarray:
    """P@1 to P@k: the share of the first places that are right.

    Parameters
    ----------
    Y_true : sparse or dense matrix, shape (n, l), or list of lists of labels
        1 where a label is true.
    Y_pred : TopK, sparse or dense matrix of scores, shape (n, l), or list of rankings
        Best first; a ranking holds labels or (label, score) pairs. Of a sparse matrix the stored
        entries are ranked, ties go to the smaller label.
    k : int

    Returns
    -------
    ndarray of float64, shape (k,)

    Raises
    ------
    ValueError
        Sizes, labels or scores do not fit, or a list has a label twice.

    Examples
    --------
    >>> from xcbench import precision_at_k
    >>> precision_at_k([[0, 2], [1]], [[0, 1], [1, 2]], k=2)
    array([1. , 0.5])
    """
    Y, top = aligned(Y_true, Y_pred, k)
    return ranking.precision_at_k(ranking.hits(top, Y, k), _places(k)) / 100.0


def recall_at_k(Y_true: Truth, Y_pred: Ranking, k: int = 5) -> np.ndarray:
    """The mean share of a row's true labels among the first places, at 1 to k.

    A row without labels counts as 0. Parameters are those of precision_at_k.

    Examples
    --------
    >>> from xcbench import recall_at_k
    >>> recall_at_k([[0, 2], [1]], [[0, 1], [1, 2]], k=2)
    array([0.75, 0.75])
    """
    Y, top = aligned(Y_true, Y_pred, k)
    found = ranking.hits(top, Y, k).cumsum(axis=1)
    shares: np.ndarray = found / np.maximum(np.diff(Y.indptr), 1)[:, np.newaxis]
    value: np.ndarray = shares.mean(axis=0)
    return value


def ndcg_at_k(Y_true: Truth, Y_pred: Ranking, k: int = 5) -> np.ndarray:
    """nDCG@1 to nDCG@k with binary relevance; parameters are those of precision_at_k.

    Examples
    --------
    >>> from xcbench import ndcg_at_k
    >>> ndcg_at_k([[0, 2], [1]], [[0, 1], [1, 2]], k=2).round(3)
    array([1.   , 0.807])
    """
    Y, top = aligned(Y_true, Y_pred, k)
    found = ranking.hits(top, Y, k)
    return ranking.ndcg_at_k(found, np.diff(Y.indptr), _places(k)) / 100.0


def inverse_propensity(Y_train: Truth, A: float = 0.55, B: float = 1.5) -> np.ndarray:
    """Weights of the labels by how rare they are in training (Jain et al. 2016).

    Parameters
    ----------
    Y_train : sparse or dense matrix, shape (n, l), or list of lists of labels
    A, B : float
        Constants of the dataset; usual are 0.55 and 1.5.

    Returns
    -------
    ndarray of float64, shape (l,)

    Examples
    --------
    >>> from xcbench import inverse_propensity
    >>> inverse_propensity([[0], [0], [0], [0, 1]]).round(2)
    array([1.25, 1.39])
    """
    return propensity.inverse_propensity(as_truth(Y_train), A, B)


def psprecision_at_k(
    Y_true: Truth, Y_pred: Ranking, inv_ps: npt.ArrayLike, k: int = 5
) -> np.ndarray:
    """PSP@1 to PSP@k: precision weighted by inverse propensities, as share of the best possible.

    Parameters
    ----------
    Y_true, Y_pred, k : see precision_at_k
    inv_ps : array, shape (l,)
        See inverse_propensity; from the training labels. Finite, not negative.

    Examples
    --------
    >>> from xcbench import psprecision_at_k
    >>> psprecision_at_k([[0, 2], [1]], [[0, 1], [1, 2]], [1.0, 2.0, 3.0], k=2)
    array([0.6, 0.5])
    """
    gains, best, _ = _propensity_scored(Y_true, Y_pred, inv_ps, k)
    return propensity.ps_precision_at_k(gains, best, _places(k)) / 100.0


def psndcg_at_k(Y_true: Truth, Y_pred: Ranking, inv_ps: npt.ArrayLike, k: int = 5) -> np.ndarray:
    """PSnDCG@1 to PSnDCG@k; parameters are those of psprecision_at_k.

    Examples
    --------
    >>> from xcbench import psndcg_at_k
    >>> psndcg_at_k([[0, 2], [1]], [[0, 1], [1, 2]], [1.0, 2.0, 3.0], k=2).round(3)
    array([0.6  , 0.618])
    """
    gains, best, n_relevant = _propensity_scored(Y_true, Y_pred, inv_ps, k)
    return propensity.ps_ndcg_at_k(gains, best, n_relevant, _places(k)) / 100.0


def _propensity_scored(
    Y_true: Truth, Y_pred: Ranking, inv_ps: npt.ArrayLike, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is earned and could be at most (n, k), and the number of true labels (n,)."""
    Y, top = aligned(Y_true, Y_pred, k)
    weights = np.asarray(inv_ps, np.float64)
    if isinstance(Y_true, list | tuple) and weights.size > Y.shape[1]:
        Y = widened(Y, weights.size)  # lists do not tell how many labels there are
    if weights.shape != Y.shape[1:]:
        raise ValueError(
            f"inv_ps has the shape {weights.shape}; expected a weight for each of {Y.shape[1]} "
            "labels"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("inv_ps holds a weight that is negative or not finite")
    gains = propensity.earned(top, ranking.hits(top, Y, k), weights)
    return gains, propensity.attainable(Y, weights, k), np.diff(Y.indptr)


def _places(k: int) -> range:
    return range(1, k + 1)

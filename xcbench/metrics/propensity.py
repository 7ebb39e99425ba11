"""Propensity-scored metrics: rewards for rare labels, which annotators tend to miss.

Jain, Prabhu and Varma, "Extreme multi-label loss functions for recommendation, tagging, ranking
and other missing label applications", KDD 2016. Propensities come from the training labels. As in
pyxclib and napkinXC, each metric is a ratio of two sums over all rows, what the predictions earn
and what the best possible predictions would (not a mean of ratios).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.metrics.ranking import discounts, ideal_gain

PSnDCGVariant = Literal["pyxclib", "matlab"]


def inverse_propensity(Y_train: sparse.csr_array, a: float, b: float) -> np.ndarray:
    """Weight of each label, ``w = 1 + C (N_l + b)^-a`` with ``C = (ln N - 1)(b + 1)^a``.

    Parameters
    ----------
    Y_train : csr_array, shape (N, l)
        Training labels, all rows counted.
    a, b : float
        Constants of the dataset (catalogue); b > 0.

    Returns
    -------
    ndarray of float64, shape (l,)
        N_l is the number of training rows with the label. With fewer than three training rows C
        would be negative and is taken as 0.
    """
    if not (np.isfinite(b) and b > 0):
        raise ValueError(f"propensity b is {b}; expected a finite number of more than 0")
    if not np.isfinite(a):
        raise ValueError(f"propensity a is {a}; expected a finite number")
    n, n_labels = Y_train.shape
    counts = np.bincount(Y_train.indices, minlength=n_labels)
    scale = max(np.log(max(n, 1)) - 1.0, 0.0) * (b + 1.0) ** a
    weights: np.ndarray = 1.0 + scale * (counts + b) ** -a
    return weights


def earned(prediction: TopK, found: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of every right prediction, 0 elsewhere; shape as ``found`` (see ranking.hits)."""
    gains = np.zeros(found.shape)
    labels = prediction.labels[:, : found.shape[1]]
    right = found[:, : labels.shape[1]]
    gains[:, : labels.shape[1]][right] = weights[labels[right]]
    return gains


def attainable(Y: sparse.csr_array, weights: np.ndarray, k: int) -> np.ndarray:
    """The k largest weights among each row's true labels, decreasing, padded with 0.

    Returns
    -------
    ndarray of float64, shape (n, k)
    """
    n, n_labels = Y.shape
    # Sorting row * l + (place of the label by decreasing weight) orders every row at once.
    order = np.argsort(-weights, kind="stable")
    place = np.empty(n_labels, dtype=np.int64)
    place[order] = np.arange(n_labels)
    sizes = np.diff(Y.indptr).astype(np.int64)
    rows = np.repeat(np.arange(n, dtype=np.int64), sizes)
    keys = np.sort(rows * n_labels + place[Y.indices])
    position = np.arange(keys.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = position < k
    best = np.zeros((n, k))
    best[rows[first], position[first]] = weights[order[keys[first] - rows[first] * n_labels]]
    return best


def ps_precision_at_k(gains: np.ndarray, best: np.ndarray, k: Sequence[int]) -> np.ndarray:
    """PSP@k as share of the best attainable.

    Parameters
    ----------
    gains, best : ndarray of float64, shape (n, columns)
        See earned and attainable; what lies beyond the columns of either is 0.
    k : sequence of int

    Returns
    -------
    ndarray of float64, shape (len(k),)
        Percent; 0 where no row has labels.
    """
    return np.array([_ratio(gains[:, :at].sum(), best[:, :at].sum()) for at in k])


def ps_ndcg_at_k(
    gains: np.ndarray,
    best: np.ndarray,
    n_relevant: np.ndarray,
    k: Sequence[int],
    variant: PSnDCGVariant = "pyxclib",
) -> np.ndarray:
    """PSnDCG@k as share of the best attainable.

    Parameters
    ----------
    gains, best : ndarray of float64, shape (n, columns)
        See ps_precision_at_k.
    n_relevant : ndarray of int, shape (n,)
        Number of true labels of each row.
    k : sequence of int
    variant : {"pyxclib", "matlab"}
        What a row's discounted gain is divided by: the sum of discounts over min(k, number of its
        labels) positions, or over k positions for every row (nDCG_wt_k.m of the XC repository).

    Returns
    -------
    ndarray of float64, shape (len(k),)
        Percent; 0 where no row has labels.
    """
    discount = discounts(max(gains.shape[1], best.shape[1]))
    values = []
    for at in k:
        # The same divisor in every row cancels from the ratio.
        share = 1.0 / ideal_gain(n_relevant, at) if variant == "pyxclib" else np.ones(len(gains))
        reached, possible = (
            share @ (part[:, :at] @ discount[: min(at, part.shape[1])]) for part in (gains, best)
        )
        values.append(_ratio(reached, possible))
    return np.array(values)


def _ratio(reached: float, best: float) -> float:
    return 100.0 * float(reached) / float(best) if best > 0 else 0.0

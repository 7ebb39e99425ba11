"""Precision and nDCG at k.

The convention is that of pyxclib and napkinXC, in which the published tables are written:
- every test row counts in the denominator, also one without labels (it scores 0);
- a list shorter than k is padded with misses: P@k always divides by k;
- a prediction is read in the order of its columns, which TopK promises to be by score, then by
  the smaller label;
- nDCG@k divides a row's gain by the best gain it could reach, 1/log2(2) + ... over the first
  min(k, number of its labels) positions.
All functions return percent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.errors import DataError


def hits(prediction: TopK, Y: sparse.csr_array, k: int) -> np.ndarray:
    """Which of the first k predicted labels are right.

    Parameters
    ----------
    prediction : TopK
    Y : csr_array, shape (n, l)
        The true labels, canonical.
    k : int

    Returns
    -------
    ndarray of bool, shape (n, k)
        False where the prediction is padded or has fewer than k columns.

    Raises
    ------
    DataError
        There are no rows, their numbers differ, or a predicted label is not below l.
    """
    n, n_labels = Y.shape
    labels = prediction.labels[:, :k]
    if n == 0:
        raise DataError("There are no test rows, so no metric is defined.")
    if len(labels) != n:
        raise DataError(f"The prediction has {len(labels)} rows and the test labels have {n}.")
    if labels.size and labels.max() >= n_labels:
        raise DataError(
            f"The prediction holds label {labels.max()}; the test labels end at {n_labels - 1}."
        )
    # One sorted list of row * l + label for all true pairs; canonical rows make it sorted.
    true = np.repeat(np.arange(n, dtype=np.int64) * n_labels, np.diff(Y.indptr)) + Y.indices
    asked = np.arange(n, dtype=np.int64)[:, np.newaxis] * n_labels + labels
    found = np.zeros((n, k), dtype=bool)
    if true.size:
        at = np.minimum(np.searchsorted(true, asked), true.size - 1)
        found[:, : labels.shape[1]] = (true[at] == asked) & (labels >= 0)
    return found


def precision_at_k(found: np.ndarray, k: Sequence[int]) -> np.ndarray:
    """P@k: the share of the first k predictions that are right.

    Parameters
    ----------
    found : ndarray of bool, shape (n, columns)
        See hits; what lies beyond the columns is a miss.
    k : sequence of int

    Returns
    -------
    ndarray of float64, shape (len(k),)
        Percent.
    """
    return 100.0 * np.array([found[:, :at].sum() / (at * len(found)) for at in k])


def ndcg_at_k(found: np.ndarray, n_relevant: np.ndarray, k: Sequence[int]) -> np.ndarray:
    """nDCG@k with binary relevance.

    Parameters
    ----------
    found : ndarray of bool, shape (n, columns)
        See precision_at_k.
    n_relevant : ndarray of int, shape (n,)
        Number of true labels of each row.
    k : sequence of int

    Returns
    -------
    ndarray of float64, shape (len(k),)
        Percent.
    """
    discount = discounts(found.shape[1])
    values = []
    for at in k:
        gain = found[:, :at] @ discount[:at]
        values.append(100.0 * np.mean(gain / ideal_gain(n_relevant, at)))
    return np.array(values)


def discounts(k: int) -> np.ndarray:
    """1/log2(i + 1) for the positions i = 1..k, shape (k,)."""
    discount: np.ndarray = 1.0 / np.log2(np.arange(2, k + 2))
    return discount


def ideal_gain(n_relevant: np.ndarray, k: int) -> np.ndarray:
    """Best gain of each row at k, shape (n,); 1 for a row without labels, whose gain is 0."""
    counts = np.minimum(n_relevant, k)
    sums = np.concatenate([[1.0], np.cumsum(discounts(int(counts.max(initial=0))))])
    gains: np.ndarray = sums[counts]
    return gains

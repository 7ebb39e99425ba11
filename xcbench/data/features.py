"""How rows of features are scaled before any model sees them.

``raw`` leaves them as read. ``unit`` gives every row Euclidean length 1. ``tfidf`` multiplies
feature j by idf_j first, then gives every row length 1, with scikit-learn's smooth idf

    idf_j = ln((1 + n) / (1 + df_j)) + 1,

n the training rows and df_j those in which the feature is not zero: a feature never seen in
training keeps a finite weight, and one seen in every row is not lost. Test rows use the training
idf. Empty rows stay empty.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from scipy import sparse

from xcbench.data.matrix import csr

Features = Literal["unit", "tfidf", "raw"]

_ENTRIES_AT_ONCE = 1 << 22


def idf(X_train: sparse.csr_array) -> np.ndarray:
    """Smooth inverse document frequencies; ndarray of float64, shape (d,)."""
    n, d = X_train.shape
    seen = X_train.indices[X_train.data != 0]
    counts = np.bincount(seen, minlength=d)
    weights: np.ndarray = np.log((1.0 + n) / (1.0 + counts)) + 1.0
    return weights


def unit(X: sparse.csr_array) -> sparse.csr_array:
    """Rows scaled to length 1; lengths are summed in float64, the result is float32."""
    return _scaled(X, None)


def tfidf(X: sparse.csr_array, weights: np.ndarray) -> sparse.csr_array:
    """Columns multiplied by weights (d,), then rows scaled to length 1; float32."""
    return _scaled(X, weights)


def scale(
    X_train: sparse.csr_array, X_test: sparse.csr_array, features: Features
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Both parts scaled as named; whatever is learned is learned from the training rows."""
    if features == "raw":
        return X_train, X_test
    if features == "unit":
        return unit(X_train), unit(X_test)
    weights = idf(X_train)
    return tfidf(X_train, weights), tfidf(X_test, weights)


def _scaled(X: sparse.csr_array, weights: np.ndarray | None) -> sparse.csr_array:
    scaled = np.empty(X.nnz, np.float32)
    for first, last in _row_blocks(X.indptr):
        start, stop = int(X.indptr[first]), int(X.indptr[last])
        values = X.data[start:stop].astype(np.float64)
        if weights is not None:
            values *= weights[X.indices[start:stop]]
        counts = np.diff(X.indptr[first : last + 1])
        filled = counts > 0
        # reduceat would give an empty row the next row's first value.
        starts = (X.indptr[first:last] - start)[filled]
        lengths = np.sqrt(np.add.reduceat(values * values, starts)) if starts.size else starts
        # A row of stored zeros has length 0 and stays as it is.
        divisors = np.where(lengths > 0, lengths, 1.0)
        scaled[start:stop] = values / np.repeat(divisors, counts[filled])
    return csr(scaled, X.indices, X.indptr, X.shape)


def _row_blocks(indptr: np.ndarray) -> list[tuple[int, int]]:
    """Cut the rows into blocks of about _ENTRIES_AT_ONCE entries, so that memory stays constant."""
    cuts = [0]
    n = indptr.size - 1
    while cuts[-1] < n:
        goal = int(indptr[cuts[-1]]) + _ENTRIES_AT_ONCE
        cut = int(np.searchsorted(indptr, goal, side="right")) - 1
        cuts.append(min(max(cut, cuts[-1] + 1), n))
    return list(pairwise(cuts))

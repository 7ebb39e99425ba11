"""How rows of features are scaled before any model sees them.

``raw`` leaves them as read. ``unit`` gives every row Euclidean length 1. ``tfidf`` multiplies
feature j by idf_j first, then gives every row length 1, with scikit-learn's smooth idf

    idf_j = ln((1 + n) / (1 + df_j)) + 1,

n the training rows and df_j those in which the feature is not zero: a feature never seen in
training keeps a finite weight, and one seen in every row is not lost. Test rows use the training
idf. Empty rows stay empty.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.config.dataset import Features
from xcbench.data.matrix import csr
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.csr_rows import count_nonzeros, scale_rows


def idf(X_train: sparse.csr_array) -> np.ndarray:
    """Smooth inverse document frequencies; ndarray of float64, shape (d,)."""
    n, d = X_train.shape
    counts = np.zeros(d, np.int64)
    _, indices, values = csr_parts(X_train)
    count_nonzeros(indices, values, counts)
    weights: np.ndarray = np.log((1.0 + n) / (1.0 + counts)) + 1.0
    return weights


def unit(X: sparse.csr_array) -> sparse.csr_array:
    """Rows scaled to length 1; lengths are summed in float64, the result is float32."""
    return _scaled(X, None, False)


def tfidf(X: sparse.csr_array, weights: np.ndarray) -> sparse.csr_array:
    """Columns multiplied by weights (d,), then rows scaled to length 1; float32."""
    return _scaled(X, weights, False)


def scale(
    X_train: sparse.csr_array,
    X_test: sparse.csr_array,
    features: Features,
    overwrite: bool = False,
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Both parts scaled as named; whatever is learned is learned from the training rows.

    With ``overwrite`` the new values take the place of the given ones, which halves the memory.
    """
    if features == "raw":
        return X_train, X_test
    weights = idf(X_train) if features == "tfidf" else None
    return _scaled(X_train, weights, overwrite), _scaled(X_test, weights, overwrite)


def _scaled(X: sparse.csr_array, weights: np.ndarray | None, overwrite: bool) -> sparse.csr_array:
    indptr, indices, values = csr_parts(X)
    values = values.astype(np.float32, copy=False)
    out = values if overwrite else np.empty_like(values)
    scale_rows(indptr, indices, values, np.empty(0) if weights is None else weights, out)
    return csr(out, X.indices, X.indptr, X.shape)

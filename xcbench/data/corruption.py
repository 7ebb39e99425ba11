"""Training labels damaged on purpose, for experiments on robustness."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.config.dataset import CorruptionConfig
from xcbench.errors import DataError


def corrupted(Y: sparse.csr_array, how: CorruptionConfig, name: str) -> sparse.csr_array:
    """A share of the rows of Y (n, l), drawn at random, gets as many random labels instead.

    Parameters
    ----------
    Y : csr_array of float32, canonical, every stored value 1
    how : CorruptionConfig
        ``rows`` percent of the rows (rounded) get ``labels`` distinct labels each.
    name : str
        Of the dataset, for messages.

    Returns
    -------
    csr_array of float32, canonical

    Raises
    ------
    DataError
        There are not so many labels, or the share of rows comes to none.
    """
    n, n_labels = Y.shape
    if how.labels > n_labels:
        raise DataError(
            f"{name}: corrupted.labels: found {how.labels}; the dataset has {n_labels} labels"
        )
    n_corrupted = round(n * how.rows / 100)
    if n_corrupted == 0:
        raise DataError(
            f"{name}: corrupted.rows: found {how.rows:g}; of {n} training rows that percentage "
            f"is none, expected at least {100 / n:.2g}"
        )
    rng = np.random.default_rng(how.seed)
    rows = rng.choice(n, n_corrupted, replace=False)
    lists = np.split(Y.indices, Y.indptr[1:-1])
    for row in np.sort(rows):
        lists[row] = np.sort(rng.choice(n_labels, how.labels, replace=False))
    indptr = np.concatenate([[0], np.cumsum([labels.size for labels in lists])])
    indices = np.concatenate(lists).astype(Y.indices.dtype)
    data = np.ones(indices.size, Y.data.dtype)
    return sparse.csr_array((data, indices, indptr.astype(Y.indptr.dtype)), shape=Y.shape)

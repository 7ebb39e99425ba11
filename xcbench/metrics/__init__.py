"""Ranking and propensity-scored metrics on TopK; the convention is in metrics/ranking.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.metrics.propensity import (
    PSnDCGVariant,
    attainable,
    earned,
    inverse_propensity,
    ps_ndcg_at_k,
    ps_precision_at_k,
)
from xcbench.metrics.ranking import hits, ndcg_at_k, precision_at_k

__all__ = ["evaluate"]


def evaluate(
    prediction: TopK,
    Y_test: sparse.csr_array,
    Y_train: sparse.csr_array | None,
    k: Sequence[int],
    a: float = 0.55,
    b: float = 1.5,
    variant: PSnDCGVariant = "pyxclib",
) -> dict[str, float]:
    """All metrics at all k.

    Parameters
    ----------
    prediction : TopK
        For the rows of Y_test, in their order.
    Y_test : csr_array, shape (n, l)
    Y_train : csr_array, shape (N, l)
        What the propensities are estimated from; None leaves out PSP and PSnDCG.
    k : sequence of int
        Each at least 1.
    a, b : float
        Propensity constants; by default those of the datasets the papers name none for.
    variant : {"pyxclib", "matlab"}
        Of PSnDCG only.

    Returns
    -------
    dict
        "P@1" ..., "nDCG@1" ..., "PSP@1" ..., "PSnDCG@1" ..., in percent.

    Raises
    ------
    DataError
        See ranking.hits.
    """
    if not k or min(k) < 1:
        raise ValueError(f"k is {list(k)}; expected one or more numbers of at least 1")
    # No more columns than can hold something: memory is that of the data, however large k is.
    listed = min(max(k), prediction.labels.shape[1])
    found = hits(prediction, Y_test, listed)
    n_relevant = np.diff(Y_test.indptr)
    columns = {"P": precision_at_k(found, k), "nDCG": ndcg_at_k(found, n_relevant, k)}
    if Y_train is not None:
        weights = inverse_propensity(Y_train, a, b)
        gains = earned(prediction, found, weights)
        best = attainable(Y_test, weights, min(max(k), max(listed, int(n_relevant.max()))))
        columns["PSP"] = ps_precision_at_k(gains, best, k)
        columns["PSnDCG"] = ps_ndcg_at_k(gains, best, n_relevant, k, variant)
    return {
        f"{name}@{at}": float(value)
        for name, values in columns.items()
        for at, value in zip(k, values, strict=True)
    }

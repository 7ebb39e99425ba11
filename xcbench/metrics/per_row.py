"""What every test row contributes to each metric: what resampling the rows needs.

Each metric is 100 times a ratio of two sums over the test rows, what the predictions earn and what
there is to earn (see metrics/ranking.py and metrics/propensity.py). For P@k and nDCG@k the second
is the number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.metrics.propensity import PSnDCGVariant, attainable, earned
from xcbench.metrics.ranking import discounts, hits, ideal_gain

_MEASURES = ("P", "nDCG", "PSP", "PSnDCG")


@dataclass(frozen=True, eq=False)
class Contributions:
    """The summands of the metrics of one prediction.

    Attributes
    ----------
    names : tuple of str
        "P@1" and so on, one a column.
    gains, norms : ndarray of float64, shape (n, len(names))
        A metric in percent is 100 times the ratio of its two column sums; ``norms`` depends on the
        test rows alone.
    """

    names: tuple[str, ...]
    gains: np.ndarray
    norms: np.ndarray

    def only(self, names: Sequence[str]) -> Contributions:
        """The same of some metrics, in their order."""
        at = [self.names.index(name) for name in names]
        return Contributions(tuple(names), self.gains[:, at], self.norms[:, at])


def per_row(
    prediction: TopK,
    Y_test: sparse.csr_array,
    weights: np.ndarray,
    k: Sequence[int],
    variant: PSnDCGVariant = "pyxclib",
) -> Contributions:
    """Split all metrics at all k into their rows.

    Parameters
    ----------
    prediction : TopK
        For the rows of Y_test, in their order.
    Y_test : csr_array, shape (n, l)
    weights : ndarray of float64, shape (l,)
        See propensity.inverse_propensity.
    k : sequence of int
        Each at least 1.
    variant : {"pyxclib", "matlab"}
        Of PSnDCG only.

    Raises
    ------
    DataError
        See ranking.hits.
    """
    depth = max(k)
    found = hits(prediction, Y_test, depth)
    n_relevant = np.diff(Y_test.indptr)
    scored = earned(prediction, found, weights)
    best = attainable(Y_test, weights, depth)
    discount = discounts(depth)
    ones = np.ones(len(found))
    columns: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {name: [] for name in _MEASURES}
    for at in k:
        ideal = ideal_gain(n_relevant, at)
        share = 1.0 / ideal if variant == "pyxclib" else ones
        first = discount[:at]
        columns["P"].append((found[:, :at].sum(axis=1) / at, ones))
        columns["nDCG"].append((found[:, :at] @ first / ideal, ones))
        columns["PSP"].append((scored[:, :at].sum(axis=1), best[:, :at].sum(axis=1)))
        columns["PSnDCG"].append((share * (scored[:, :at] @ first), share * (best[:, :at] @ first)))
    pairs = [pair for name in _MEASURES for pair in columns[name]]
    return Contributions(
        tuple(f"{name}@{at}" for name in _MEASURES for at in k),
        np.column_stack([gain for gain, _ in pairs]),
        np.column_stack([norm for _, norm in pairs]),
    )


def mean_contributions(several: Sequence[Contributions]) -> Contributions:
    """Of several predictions of the same test rows (seeds of a method), the mean of each row."""
    gains = np.mean([one.gains for one in several], axis=0)
    return Contributions(several[0].names, gains, several[0].norms)

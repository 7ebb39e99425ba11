"""What a prediction rests on: the training points that voted for a label, the features that count.

Of every label the parts add up to the score that ``predict`` gives, but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeGuard

import numpy as np
from scipy import sparse

from xcbench.models.base import Model


def _no_ids() -> np.ndarray:
    return np.empty(0, np.int32)


def _no_shares() -> np.ndarray:
    return np.empty(0, np.float64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the score of one label of one point is made of.

    Attributes
    ----------
    label : int
    constant : float
        The part that is there whatever the point: an intercept.
    rows : int32, shape (m,)
        Training points that voted for the label, the largest share first.
    weights : float64, shape (m,)
        What each one's vote weighs, as the model counts it.
    row_shares : float64, shape (m,)
        What each one's vote adds to the score.
    features : int32, shape (f,)
        Features of the point that speak for or against the label, the largest share first.
    feature_shares : float64, shape (f,)
        What each one adds to the score.
    """

    label: int
    constant: float = 0.0
    rows: np.ndarray = field(default_factory=_no_ids)
    weights: np.ndarray = field(default_factory=_no_shares)
    row_shares: np.ndarray = field(default_factory=_no_shares)
    features: np.ndarray = field(default_factory=_no_ids)
    feature_shares: np.ndarray = field(default_factory=_no_shares)

    @property
    def total(self) -> float:
        """The score."""
        return self.constant + float(self.row_shares.sum() + self.feature_shares.sum())


class Explainable(Model, Protocol):
    """A model that says what its scores are made of."""

    def evidence(self, x: sparse.csr_array, labels: Sequence[int]) -> list[Evidence]:
        """What the scores of these labels rest on for the one row of x (1, d)."""
        ...


class Voting(Explainable, Protocol):
    """One whose training points vote."""

    def labels_of(self, row: int) -> np.ndarray:
        """The labels of a training point, int32."""
        ...


def is_explainable(model: Model) -> TypeGuard[Explainable]:
    """Whether a model says what its scores are made of."""
    return hasattr(model, "evidence")


def is_voting(model: Model) -> TypeGuard[Voting]:
    """Whether training points vote in a model."""
    return hasattr(model, "labels_of")


def row_labels(Y: sparse.csr_array, row: int) -> np.ndarray:
    """The labels of one row, int32."""
    labels: np.ndarray = Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
    return labels


def of_votes(
    rows: np.ndarray, weights: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, weights and shares of Evidence: a point that votes several times is counted once.

    Parameters
    ----------
    rows, weights : int32 and float32, shape (m,)
        Of the votes for the label.
    scale : float
        A vote's share is its weight times this.
    """
    points, which = np.unique(rows, return_inverse=True)
    totals = np.bincount(which, weights=weights.astype(np.float64), minlength=points.size)
    order = np.lexsort((points, -totals))
    return points[order], totals[order], totals[order] * scale


def of_features(features: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features and shares of Evidence, without those that add nothing."""
    order = np.lexsort((features, -np.abs(shares)))
    order = order[shares[order] != 0]
    return features[order].astype(np.int32), shares[order].astype(np.float64)


def linear_evidence(
    x: sparse.csr_array, labels: Sequence[int], weights: np.ndarray, constants: np.ndarray
) -> list[Evidence]:
    """Evidence of a linear model.

    Parameters
    ----------
    x : csr_array, shape (1, d)
    labels : sequence of int, m of them
    weights : shape (nnz of x, m)
        Of the features of x, for these labels.
    constants : shape (m,)
    """
    shares = x.data.astype(np.float64)[:, None] * weights
    found = []
    for place, label in enumerate(labels):
        features, of_label = of_features(x.indices, shares[:, place])
        found.append(
            Evidence(label, float(constants[place]), features=features, feature_shares=of_label)
        )
    return found

"""ITML from classes: the pairs, their bounds, and the metric it starts from."""

from __future__ import annotations

from math import ceil

import numpy as np
from scipy.spatial.distance import pdist

from xcbench.config.metric_learning import ItmlSettings, Prior
from xcbench.optim.bregman import itml

CLOSE, APART = 5, 95  # percentiles
_HISTOGRAM_PAIRS = 100
# A covariance with less than this share of its largest eigenvalue in some direction is singular.
_SINGULAR = 1e-10
_RIDGE = 0.01  # of the mean variance


def prior_metric(kind: Prior, X: np.ndarray) -> np.ndarray:
    """The identity, or the inverse of the sample covariance of X (n, d), as (d, d) float64.

    Of a singular covariance, as constant features and indicators of one column make it, the
    diagonal is first raised by a hundredth of the mean variance.
    """
    d = X.shape[1]
    if kind == "identity" or len(X) < 2:
        return np.eye(d)
    covariance = np.atleast_2d(np.cov(X, rowvar=False))
    mean = np.trace(covariance) / d
    if mean == 0:
        return np.eye(d)
    eigenvalues = np.linalg.eigvalsh(covariance)
    if eigenvalues[0] < _SINGULAR * eigenvalues[-1]:
        covariance += _RIDGE * mean * np.eye(d)
    inverse = np.linalg.inv(covariance)
    return (inverse + inverse.T) / 2


def fit_itml(
    settings: ItmlSettings, X: np.ndarray, y: np.ndarray, gamma: float, rng: np.random.Generator
) -> np.ndarray:
    """The factor G (d, d) of the metric learned from X (n, d) and its classes y (n,).

    That of the prior where all points are one.
    """
    prior = prior_metric(settings.prior, X)
    bounds = _percentiles(X) if settings.bounds == "percentiles" else _range(X, prior, rng)
    if bounds is None:
        return np.linalg.cholesky(prior)
    c = len(np.unique(y))
    count = settings.pairs * (c * c if settings.classes == "squared" else max(c * (c - 1), 1))
    first, second = rng.integers(0, len(X), (2, count))
    similar = y[first] == y[second]
    low, high = bounds
    return itml(
        X[first] - X[second],
        np.where(similar, low, high),
        similar,
        gamma=gamma,
        prior=prior,
        variant=settings.variant,
        cycles=ceil(settings.projections / count),
        tolerance=settings.tolerance,
    ).factor


def _percentiles(X: np.ndarray) -> tuple[float, float] | None:
    """Percentiles of the squared distances that are not 0, as a bound of 0 cannot be relaxed."""
    distances = pdist(X, "sqeuclidean")
    distances = distances[distances > 0]
    if distances.size == 0:
        return None
    low, high = np.percentile(distances, [CLOSE, APART])
    return float(low), float(high)


def _range(
    X: np.ndarray, prior: np.ndarray, rng: np.random.Generator
) -> tuple[float, float] | None:
    """The release's: centres of the 5th and 95th of 100 bins over some squared distances."""
    count = min(_HISTOGRAM_PAIRS, len(X) * (len(X) - 1) // 2)
    first, second = rng.integers(0, len(X), (2, count))
    differences = X[first] - X[second]
    distances = np.einsum("ij,jk,ik->i", differences, prior, differences)
    if count == 0 or distances.max() <= 0:
        return None
    least, span = float(distances.min()), float(np.ptp(distances))
    return least + (CLOSE - 0.5) / 100 * span, least + (APART - 0.5) / 100 * span

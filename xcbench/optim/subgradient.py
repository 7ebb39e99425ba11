"""The subgradient method for robust Euclidean embedding (Cayton and Dasgupta, ICML 2006).

B <- P(B - c / (n sqrt(k)) G_k): G a subgradient of ||D - dist(B)||_1 and P the projection to
positive semidefinite matrices of rank m. The n makes c a number that does not depend on the
number of points, for the diagonal of G adds up n signs. Sums run over pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from scipy.spatial.distance import pdist, squareform

from xcbench.optim.distances import leading_factor


@dataclass(frozen=True)
class SubgradientSolution:
    """The best point met.

    Attributes
    ----------
    point : ndarray of float64, shape (n, m)
    cost : float
    costs : list of float
        At the start and after every step; they rise and fall.
    seconds : list of float
        Wall time at each entry of ``costs``, from the call on.
    """

    point: np.ndarray
    cost: float
    costs: list[float] = field(repr=False)
    seconds: list[float] = field(repr=False)


def subgradient_embedding(
    distances: np.ndarray, start: np.ndarray, *, step: float, iterations: int
) -> SubgradientSolution:
    """Points (n, m) of small ||D - dist||_1, from a given start.

    Parameters
    ----------
    distances : ndarray of float64, shape (n (n - 1) / 2,)
        Squared, in pdist's order.
    start : ndarray of float64, shape (n, m)
    step : float
        c.
    iterations : int
    """
    began = perf_counter()
    Z = start
    error = pdist(Z, "sqeuclidean") - distances
    costs, seconds = [float(np.abs(error).sum())], [perf_counter() - began]
    best = Z
    for k in range(1, iterations + 1):
        Z = _step(Z, error, step / (len(Z) * k**0.5))
        error = pdist(Z, "sqeuclidean") - distances
        costs.append(float(np.abs(error).sum()))
        seconds.append(perf_counter() - began)
        if costs[-1] <= min(costs[:-1]):
            best = Z
    return SubgradientSolution(best, min(costs), costs, seconds)


def _step(Z: np.ndarray, error: np.ndarray, length: float) -> np.ndarray:
    """Leading factor of Z Z^T - length (diag(S 1) - S), S the signs of the errors."""
    signs = squareform(np.sign(error), checks=False)
    degrees = signs.sum(axis=1)

    def apply(vector: np.ndarray) -> np.ndarray:
        moved: np.ndarray = Z @ (Z.T @ vector) - length * (degrees * vector - signs @ vector)
        return moved

    return leading_factor(apply, Z.shape[1], Z.sum(axis=1))

"""Robust Euclidean embedding: min over S_+(n, m) of ||D - dist(Z Z^T)||_1, as MADMM wants it.

Cayton and Dasgupta, "Robust Euclidean embedding", ICML 2006; the splitting is that of the MADMM
paper, A X = dist(X) and f = 0. Sums run over the n (n - 1) / 2 pairs, each once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from xcbench.optim.distances import laplacian_product
from xcbench.optim.prox import prox_l1
from xcbench.optim.quartic import Quartic


class AbsoluteDistances:
    """The split problem of squared distances D, float64 (n (n - 1) / 2,) in pdist's order."""

    def __init__(self, distances: np.ndarray) -> None:
        self.distances = distances

    def smooth(self, point: np.ndarray) -> float:
        """0."""
        return 0.0

    def forward(self, point: np.ndarray) -> np.ndarray:
        """dist(Z)."""
        distances: np.ndarray = pdist(point, "sqeuclidean")
        return distances

    def nonsmooth(self, values: np.ndarray) -> float:
        """||D - values||_1."""
        return float(np.abs(self.distances - values).sum())

    def prox(self, values: np.ndarray, step: float) -> np.ndarray:
        """D and the errors shrunk by ``step``."""
        found: np.ndarray = self.distances + prox_l1(values - self.distances, step)
        return found

    def augmented(self, target: np.ndarray, rho: float) -> DistanceFit:
        """rho/2 ||dist(Z) - target||^2; each pair stands twice in the square array."""
        return DistanceFit(squareform(target, checks=False), 0.5 * rho)


@dataclass(frozen=True, eq=False)
class FitState:
    """A point with its cost, and what the Laplacians of the target and of its own distances
    make of it."""

    point: np.ndarray
    cost: float
    pulled: np.ndarray
    pushed: np.ndarray


class DistanceFit:
    """rho/2 ||dist(Z) - target||^2 over all entries of a symmetric float64 (n, n) target.

    The target is read once when begun and once a line; all else costs O(n m^2).
    """

    def __init__(self, target: np.ndarray, rho: float) -> None:
        self.target = target
        self.rho = rho
        self._degrees = target.sum(axis=1)[:, np.newaxis]

    def pull(self, points: np.ndarray) -> np.ndarray:
        """The target's Laplacian times points."""
        pulled: np.ndarray = self._degrees * points - self.target @ points
        return pulled

    def start(self, point: np.ndarray) -> FitState:
        """State at Z float64 (n, m)."""
        pulled = self.pull(point)
        pushed = laplacian_product(point, point, point)
        square = 2.0 * np.vdot(point, pushed) - 4.0 * np.vdot(point, pulled)
        square += np.vdot(self.target, self.target)
        return FitState(point, 0.5 * self.rho * float(square), pulled, pushed)

    def gradient(self, state: FitState) -> np.ndarray:
        """4 rho L_R Z with R = dist(Z) - target; horizontal, for L_R is symmetric."""
        gradient: np.ndarray = (4.0 * self.rho) * (state.pushed - state.pulled)
        return gradient

    def line(self, state: FitState, direction: np.ndarray) -> FitLine:
        """The cost along Z + t U."""
        return FitLine(self, state, direction)


class FitLine(Quartic):
    """rho/2 ||R + 2 t q(Z, U) + t^2 q(U, U)||^2."""

    def __init__(self, problem: DistanceFit, state: FitState, direction: np.ndarray) -> None:
        self._state = state
        self._direction = direction
        self._pulled = problem.pull(direction)
        Z, U = state.point, direction
        square = laplacian_product(U, U, U)
        residual = laplacian_product(Z, Z, U) - self._pulled
        mixed = laplacian_product(Z, U, U)
        terms = (
            np.vdot(state.pushed - state.pulled, U) * 4.0,
            np.vdot(Z, mixed) * 4.0 + np.vdot(U, residual) * 2.0,
            np.vdot(Z, square) * 4.0,
            np.vdot(U, square),
        )
        super().__init__(np.array([state.cost, *(problem.rho * term for term in terms)]))

    def move(self, t: float) -> FitState:
        """State at Z + t U."""
        point = self._state.point + t * self._direction
        pushed = laplacian_product(point, point, point)
        return FitState(point, self.cost(t), self._state.pulled + t * self._pulled, pushed)

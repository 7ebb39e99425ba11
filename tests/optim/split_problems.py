"""Small problems for the tests of MADMM."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from xcbench.optim.prox import prox_l1


def path_laplacian(n: int) -> np.ndarray:
    """Laplacian of the line graph."""
    L = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    L[0, 0] = L[-1, -1] = 1.0
    return L


class Modes:
    """tr(X^T L X) + mu ||X||_1 with A X = X."""

    def __init__(self, L: np.ndarray, mu: float) -> None:
        self.L, self.mu = L, mu

    def smooth(self, point):
        return float(np.vdot(point, self.L @ point))

    def smooth_gradient(self, point):
        return 2.0 * self.L @ point

    def forward(self, point):
        return point

    def adjoint(self, point, values):
        return values

    def nonsmooth(self, values):
        return self.mu * float(np.abs(values).sum())

    def prox(self, values, step):
        return prox_l1(values, self.mu * step)


class Products(Modes):
    """The same with the nonlinear A X = X X^T on all pairs."""

    def forward(self, point):
        return point @ point.T

    def adjoint(self, point, values):
        return (values + values.T) @ point


class DistanceGradients:
    """Absolute errors of squared distances for the generic X-step."""

    def __init__(self, distances: np.ndarray) -> None:
        self.distances = distances

    def smooth(self, point):
        return 0.0

    def smooth_gradient(self, point):
        return np.zeros_like(point)

    def forward(self, point):
        return pdist(point, "sqeuclidean")

    def adjoint(self, point, values):
        square = squareform(values)
        return 2.0 * (np.diag(square.sum(axis=1)) - square) @ point

    def nonsmooth(self, values):
        return float(np.abs(self.distances - values).sum())

    def prox(self, values, step):
        return self.distances + prox_l1(values - self.distances, step)


def spoiled_distances(n: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points in the plane and their squared distances, some doubled, in units of the median."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    D = pdist(X, "sqeuclidean")
    scale = np.median(D)
    D[rng.random(D.size) < share] *= 2.0
    return X / scale**0.5, D / scale

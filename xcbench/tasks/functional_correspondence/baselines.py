"""The smooth problems that coupled diagonalisation is compared with, for conjugate gradients.

Least squares puts the squared Frobenius norm of the residual in place of its 2,1-norm (Eynard et
al.); the smoothed 2,1-norm adds up sqrt(||row||^2 + eps).
"""

from __future__ import annotations

import numpy as np

from xcbench.manifolds.base import Embedded
from xcbench.optim.augmented import Augmented, AugmentedState, Measure
from xcbench.tasks.functional_correspondence.problem import Bases, CoupledDiagonalisation

Manifold = Embedded[Bases, Bases]


def least_squares(problem: CoupledDiagonalisation, manifold: Manifold) -> Augmented:
    """||residual||_F^2 + mu sum off: an X-step of MADMM with target 0 and rho 2."""
    matches = problem.matches
    return Augmented(problem, manifold, Measure(problem)).aim(np.zeros_like(matches.F), 2.0)


class Smoothed(Augmented):
    """Sum over rows of sqrt(||row||^2 + epsilon) in place of the 2,1-norm, epsilon > 0."""

    def __init__(self, problem: CoupledDiagonalisation, manifold: Manifold, epsilon: float) -> None:
        super().__init__(problem, manifold, Measure(problem))
        self.epsilon = epsilon
        self.rho = 1.0

    def start(self, point: Bases) -> AugmentedState:
        """State at a point; its gap is the derivative by the residual."""
        residual = self.measure.image(point)
        lengths = np.sqrt(np.sum(residual**2, axis=-1, keepdims=True) + self.epsilon)
        cost = self.measure.smooth(point) + float(lengths.sum())
        return AugmentedState(self, point, cost, residual / lengths)

"""Compressed modes as MADMM takes them: min tr(X^T L X) + w ||X||_1 with X^T X = I.

The X-step f(X) = tr(X^T L X) - rho <X, T> (up to a constant) along a line: with a tangent D,
D^T D = V diag(s) V^T, q = 1 + t^2 s, the retracted point is the polar factor
(X + t D) V diag(q^-1/2) V^T, so that

    f(t) = sum_i (a_i + 2 t b_i + t^2 c_i) / q_i - rho sum_i (g_i + t h_i) / sqrt(q_i)

with a, b, c, g, h the diagonals of V^T M V for M = X^T L X, X^T L D, D^T L D, X^T T and D^T T. Once
L D is known, any step costs O(k), and the exact one is found by trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np
from scipy import sparse

from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.augmented import Recall
from xcbench.optim.prox import prox_l1
from xcbench.tasks.compressed_modes.shifted import Solve, shifted_solver

# First trials of a line search, against a guess; then so many times so many between two of them.
FACTORS = np.exp2(np.arange(-5.0, 5.0))
REFINEMENTS, FINER = 2, np.linspace(0.0, 1.0, 9)


def modes_cost(energy: sparse.csr_array, weight: float, modes: np.ndarray) -> float:
    """tr(Phi^T L Phi) + weight ||Phi||_1."""
    return float(np.vdot(modes, energy @ modes)) + weight * float(np.abs(modes).sum())


class CompressedModes:
    """The split problem with A the identity.

    Parameters
    ----------
    energy : csr_array of float64, shape (n, n)
        Symmetric.
    weight : float
        Of the sum of absolute values.
    preconditioned : bool
        Whether X-steps have a preconditioner, factorised at the first one of every rho.
    """

    def __init__(
        self, energy: sparse.csr_array, weight: float, preconditioned: bool = False
    ) -> None:
        self.energy = energy
        self.weight = weight
        self._preconditioned = preconditioned
        self._factorised = cache(partial(shifted_solver, energy))
        self.product = Recall[np.ndarray](lambda point: energy @ point)

    def smooth(self, point: np.ndarray) -> float:
        """tr(X^T L X)."""
        return float(np.vdot(point, self.product(point)))

    def smooth_gradient(self, point: np.ndarray) -> np.ndarray:
        """2 L X."""
        return 2.0 * self.product(point)

    def forward(self, point: np.ndarray) -> np.ndarray:
        """X."""
        return point

    def adjoint(self, point: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The values."""
        return values

    def nonsmooth(self, values: np.ndarray) -> float:
        """Weighted sum of absolute values."""
        return self.weight * float(np.abs(values).sum())

    def prox(self, values: np.ndarray, step: float) -> np.ndarray:
        """Shrinkage by ``step`` times the weight."""
        return prox_l1(values, step * self.weight)

    def augmented(self, target: np.ndarray, rho: float) -> ModesXStep:
        """The X-step with exact line searches."""
        if self._preconditioned:
            return PreconditionedXStep(self, target, rho, self._factorised(rho))
        return ModesXStep(self, target, rho)


@dataclass(frozen=True, eq=False)
class ModesState:
    """Orthonormal X with L X, and the k x k products cost and gradient share."""

    x_step: ModesXStep
    point: np.ndarray
    product: np.ndarray

    @cached_property
    def energies(self) -> np.ndarray:
        """X^T L X."""
        found: np.ndarray = self.point.T @ self.product
        return found

    @cached_property
    def overlap(self) -> np.ndarray:
        """X^T T."""
        found: np.ndarray = self.point.T @ self.x_step.target
        return found

    @cached_property
    def cost(self) -> float:
        """tr(X^T L X) - rho <X, T>."""
        return float(np.trace(self.energies) - self.x_step.rho * np.trace(self.overlap))


class ModesXStep:
    """tr(X^T L X) + rho/2 ||X - T||^2 less its constant part, rho/2 (k + ||T||^2).

    The constant would drown the last digits of the cost that line searches compare.
    """

    def __init__(self, modes: CompressedModes, target: np.ndarray, rho: float) -> None:
        self.modes = modes
        self.target = target
        self.rho = rho

    def start(self, point: np.ndarray) -> ModesState:
        """State at an orthonormal point."""
        return ModesState(self, point, self.modes.product(point))

    def gradient(self, state: ModesState) -> np.ndarray:
        """2 L X - rho T, projected to the tangent space."""
        overlap = state.overlap
        symmetric = 2.0 * state.energies - (0.5 * self.rho) * (overlap + overlap.T)
        found: np.ndarray = 2.0 * state.product - self.rho * self.target - state.point @ symmetric
        return found

    def line(self, state: ModesState, direction: np.ndarray) -> ModesLine:
        """The cost along the polar retraction of ``direction``."""
        return ModesLine(self, state, direction)


class PreconditionedXStep(ModesXStep):
    """The X-step with Proj (2 L + rho I)^-1 for a preconditioner.

    The Hessian at X takes D to Proj (2 L D - D S), S = sym(X^T (2 L X - rho T)). Where X and T are
    near each other S is about 2 X^T L X - rho I, and the first part small beside 2 L.
    """

    def __init__(
        self, modes: CompressedModes, target: np.ndarray, rho: float, solve: Solve
    ) -> None:
        super().__init__(modes, target, rho)
        self._solve = solve

    def precondition(self, state: ModesState, gradient: np.ndarray) -> np.ndarray:
        """Positive: a tangent vector's product with a projection is that with the whole."""
        return Stiefel(*gradient.shape).project(state.point, self._solve(gradient))


class ModesLine:
    """f(t) of the module's text."""

    def __init__(self, x_step: ModesXStep, state: ModesState, direction: np.ndarray) -> None:
        self._x_step, self._state, self._direction = x_step, state, direction
        self._product = x_step.modes.energy @ direction
        squares, self._V = np.linalg.eigh(direction.T @ direction)
        self._s = np.maximum(squares, 0.0)
        inner = np.stack(
            (
                state.energies,
                state.point.T @ self._product,
                direction.T @ self._product,
                x_step.rho * state.overlap,
                x_step.rho * (direction.T @ x_step.target),
            )
        )
        # Of each of them the diagonal of V^T M V.
        self._a, self._b, self._c, self._g, self._h = ((inner @ self._V) * self._V).sum(axis=1)

    def cost(self, t: float) -> float:
        """Cost at the retracted point."""
        return float(self._costs(np.array([t]))[0])

    def _costs(self, t: np.ndarray) -> np.ndarray:
        t = t[:, None]
        q = 1.0 + t * t * self._s
        energies = (self._a + 2.0 * t * self._b + t * t * self._c) / q
        costs: np.ndarray = np.sum(energies - (self._g + t * self._h) / np.sqrt(q), axis=1)
        return costs

    def exact_step(self) -> float:
        """Where the cost is lowest around the minimiser of its second-order part, to a few percent.

        By finer and finer trials: the line is bounded and flat far out, where a root of its
        derivative is no minimum.
        """
        slope = float(np.sum(2.0 * self._b - self._h))
        if not slope < 0:
            return 0.0
        curvature = float(np.sum(2.0 * (self._c - self._s * self._a) + self._s * self._g))
        bend = float(np.max(self._s)) ** -0.5  # where the line has turned by half a right angle
        trials = (min(-slope / curvature, bend) if curvature > 0 else bend) * FACTORS
        for _ in range(REFINEMENTS):
            lowest = int(np.argmin(self._costs(trials)))
            low, high = max(lowest - 1, 0), min(lowest + 1, trials.size - 1)
            trials = trials[low] + (trials[high] - trials[low]) * FINER
        return float(trials[np.argmin(self._costs(trials))])

    def move(self, t: float) -> ModesState:
        """State at the retracted point; its product comes without the matrix."""
        root = (self._V / np.sqrt(1.0 + t * t * self._s)) @ self._V.T
        point = (self._state.point + t * self._direction) @ root
        product = (self._state.product + t * self._product) @ root
        self._x_step.modes.product.keep(point, product)
        return ModesState(self._x_step, point, product)

"""Completion with absolute errors: min over S_+(n, r) of sum w_ij |s_ij - z_i . z_j|, by MADMM.

A X is z_i . z_j on the pattern, f is 0 and g the weighted absolute errors. A X is measured with the
weights w too, so that the X-step is the completion with squared errors and the prox shrinks every
error by the same 1 / rho.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xcbench.kernels import masked
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.optim.augmented import Recall
from xcbench.optim.conjugate_gradient import Problem
from xcbench.optim.madmm import madmm
from xcbench.optim.masked_completion import CompletionState, MaskedCompletion, MaskedSymmetric
from xcbench.optim.prox import prox_l1

INNER_ITERATIONS = 3
TOLERANCE = 1e-3


def l1_completion(
    known: MaskedSymmetric,
    start: np.ndarray,
    *,
    rho: float,
    iterations: int,
    callback: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """Z of smallest weighted sum of absolute errors, from a given start.

    Stops early once the primal and the dual residual are both below a thousandth of their natural
    size.

    Parameters
    ----------
    known : MaskedSymmetric
    start : ndarray of float32, shape (n, r)
    rho : float
        Penalty; errors well below 1 / rho are treated as exact.
    iterations : int
        Rounds, each with three CG iterations on Z.
    callback : callable, optional
        Called with Z after every round.

    Returns
    -------
    ndarray of float32, shape (n, r)
    """
    point: np.ndarray = madmm(
        AbsoluteCompletion(known),
        start,
        manifold=PSDFixedRank(*start.shape),
        rho=rho,
        iterations=iterations,
        inner_iterations=INNER_ITERATIONS,
        absolute=0.0,
        relative=TOLERANCE,
        callback=callback,
    ).point
    return point


class AbsoluteCompletion:
    """The problem as madmm wants it; values on the pattern are float32, shape (entries,)."""

    def __init__(self, known: MaskedSymmetric) -> None:
        self.known = known
        self.forward = Recall(self._products)

    def _products(self, point: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.known.targets - self.known.residual(point)
        return found

    def smooth(self, point: np.ndarray) -> float:
        """0."""
        return 0.0

    def nonsmooth(self, values: np.ndarray) -> float:
        """Sum of w |s - values|."""
        return float(self.known.weights @ np.abs(self.known.targets - values))

    def prox(self, values: np.ndarray, step: float) -> np.ndarray:
        """Errors shrunk by ``step``."""
        found: np.ndarray = self.known.targets + prox_l1(values - self.known.targets, step)
        return found

    def augmented(self, target: np.ndarray, rho: float) -> Problem:
        """Completion of ``target`` with squared errors; rho only scales it."""
        return _XStep(self.known, target, self.forward)


class _XStep(MaskedCompletion):
    """Completion of a target, begun with what is known about the point."""

    def __init__(
        self,
        known: MaskedSymmetric,
        target: np.ndarray,
        products: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        super().__init__(known)
        self._target = target
        self._products = products

    def start(self, point: np.ndarray) -> CompletionState:
        residual = self._target - self._products(point)
        cost = masked.weighted_square(self.known.weights, residual)
        return CompletionState(point, cost, residual)

"""Completion with absolute errors: min over S_+(n, r) of sum w_ij |s_ij - z_i . z_j|, by MADMM.

The splitting of the MADMM paper with y = z_i . z_j on the pattern: a few smooth steps on Z, the
prox of the absolute errors (shrinkage at 1 / rho), and the scaled multiplier u.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.optim.admm import soft_threshold
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion, MaskedSymmetric

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

    Stops early once the primal residual (z_i . z_j - y) and the dual one (the change of y times
    rho) are both below a thousandth of their natural size.

    Parameters
    ----------
    known : MaskedSymmetric
    start : ndarray of float32, shape (n, r)
    rho : float
        Penalty; errors well below 1 / rho are treated as exact.
    iterations : int
        Rounds of the three steps, each with three CG iterations on Z.
    callback : callable, optional
        Called with Z after every round.

    Returns
    -------
    ndarray of float32, shape (n, r)
    """
    manifold = PSDFixedRank(*start.shape)
    threshold = 1.0 / rho
    Z = start
    error = -known.residual(Z)
    shrunk = soft_threshold(error, threshold)  # y - s
    dual = error - shrunk
    for _ in range(iterations):
        smooth = MaskedCompletion(replace(known, targets=known.targets + shrunk - dual))
        Z = conjugate_gradient(
            smooth, Z, manifold=manifold, iterations=INNER_ITERATIONS, tolerance=0.0
        ).point
        error = -known.residual(Z)
        previous, shrunk = shrunk, soft_threshold(error + dual, threshold)
        dual += error - shrunk
        if callback is not None:
            callback(Z)
        primal = _norm(error - shrunk) <= TOLERANCE * max(_norm(known.targets), 1e-12)
        if primal and rho * _norm(shrunk - previous) <= TOLERANCE * max(rho * _norm(dual), 1e-12):
            break
    return Z


def _norm(values: np.ndarray) -> float:
    return float(np.linalg.norm(values))

"""ADMM for ridge regression with an L1 term on the fitted values (SLEEC paper, Algorithm 4)."""

from __future__ import annotations

import numpy as np

from xcbench.optim.prox import prox_l1
from xcbench.optim.ridge import RidgeSolver, SparseOperator


def l1_regression(
    A: SparseOperator,
    B: np.ndarray,
    *,
    shift: float,
    l1: float,
    rho: float,
    iterations: int,
    exact_threshold: bool,
) -> np.ndarray:
    """min ||B - A V||^2 + shift ||V||^2 + l1 ||A V||_1 by ADMM on alpha = A V.

    Parameters
    ----------
    A : SparseOperator, n x d
    B : ndarray of float32, shape (n, r)
    shift, l1, rho : float
        Ridge, weight of the L1 term, penalty.
    iterations : int
    exact_threshold : bool
        The objective has no factor 1/2, so alpha's prox has threshold l1 / (2 rho); as printed
        it is l1 / rho, which solves the problem with twice the l1.

    Returns
    -------
    ndarray of float32, shape (d, r)
    """
    scale = 1.0 + rho
    solver = RidgeSolver(A, shift / scale)
    threshold = l1 / (2.0 * rho) if exact_threshold else l1 / rho
    alpha = np.zeros_like(B)
    dual = np.zeros_like(B)
    V = np.zeros((A.shape[1], B.shape[1]), np.float32)
    for _ in range(iterations):
        target = B + np.float32(rho) * (alpha - dual)
        V = solver.solve(target / np.float32(scale))
        fitted = A.multiply(V)
        alpha = prox_l1(fitted + dual, threshold)
        dual += fitted - alpha
    return V

"""Information-theoretic metric learning by cyclic Bregman projections (ITML lecture notes)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LearnedMetric:
    """What the projections ended with.

    Attributes
    ----------
    metric : float64, shape (d, d)
        Symmetric positive definite A of the distance d_A(x, y) = (x - y)^T A (x - y).
    slack : float64, shape (m,)
        The bounds as relaxed, xi.
    multipliers : float64, shape (m,)
        Not negative; positive only where the relaxed bound is met with equality.
    cycles : int
    converged : bool
    """

    metric: np.ndarray
    slack: np.ndarray
    multipliers: np.ndarray
    cycles: int
    converged: bool


def itml(
    differences: np.ndarray,
    bounds: np.ndarray,
    similar: np.ndarray,
    *,
    gamma: float,
    prior: np.ndarray,
    cycles: int = 100,
    tolerance: float = 1e-3,
) -> LearnedMetric:
    """min D_ld(A, A0) + gamma D_ld(diag xi, diag xi0), d_A <= xi (similar) or >= xi (dissimilar).

    Parameters
    ----------
    differences : float64, shape (m, d)
        x_i - x_j of each pair; a zero row binds nothing and is passed over.
    bounds : float64, shape (m,)
        xi0, positive squared distances.
    similar : bool, shape (m,)
    gamma : float
        Price of relaxing a bound; large holds on to them.
    prior : float64, shape (d, d)
        A0, positive definite.
    cycles : int
        At most this many passes over all pairs.
    tolerance : float
        Converged once a pass changes the multipliers by less than this share of their size.
    """
    A = np.array(prior, dtype=np.float64)
    slack = np.array(bounds, dtype=np.float64)
    multipliers = np.zeros(slack.size)
    sign = np.where(similar, 1.0, -1.0)
    # After the step 1/p' = 1/p - sign alpha and 1/xi' = 1/xi + sign alpha / gamma must be equal.
    # The notes print sign/2 (1/p - gamma/xi), which is the same at gamma = 1 only.
    share = gamma / (gamma + 1.0)
    pairs = np.flatnonzero(np.any(differences != 0, axis=1))
    for cycle in range(cycles):
        before = multipliers.copy()
        for t in pairs:
            Av = A @ differences[t]
            p = differences[t] @ Av
            alpha = min(float(multipliers[t]), float(sign[t] * share * (1.0 / p - 1.0 / slack[t])))
            beta = sign[t] * alpha / (1.0 - sign[t] * alpha * p)
            slack[t] = gamma * slack[t] / (gamma + sign[t] * alpha * slack[t])
            multipliers[t] -= alpha
            A += beta * np.outer(Av, Av)
        change = np.linalg.norm(multipliers - before)
        if change <= tolerance * max(float(np.linalg.norm(multipliers)), 1e-12):
            return LearnedMetric(A, slack, multipliers, cycle + 1, True)
    return LearnedMetric(A, slack, multipliers, cycles, False)

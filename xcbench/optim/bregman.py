"""Information-theoretic metric learning by cyclic Bregman projections (ITML lecture notes).

Three variants of Davis et al. (2007), of which two solve the problem that is stated:

- ``exact``: alpha = min(lambda, delta gamma/(gamma+1) (1/p - 1/xi)). After a step
  1/p' = 1/p - delta alpha and 1/xi' = 1/xi + delta alpha/gamma are equal, as a projection demands;
  with A^-1 = A0^-1 + sum delta lambda v v^T and 1/xi = 1/xi0 - delta lambda/gamma, which every step
  keeps, the limit meets the KKT conditions of the problem.
- ``released``: the authors' program. Its step is the exact one (``gamma_proj = gamma/(gamma+1)``);
  it passes over pairs closer than 1e-9 and stops by another rule.
- ``printed``: alpha = min(lambda, delta/2 (1/p - gamma/xi)), as in the notes and the paper. With
  eta = xi/gamma it is, step by step, the exact one at price 1 for the bounds xi0/gamma: it solves
  min D_ld(A, A0) + D_ld(diag eta, diag xi0/gamma). The two problems are one at gamma = 1 only;
  elsewhere gamma scales the bounds and no longer prices the slack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from xcbench.kernels.logdet import project

Variant = Literal["exact", "released", "printed"]
_RELEASED_LEAST = 1e-9  # "norm(v) < 10e-10"


@dataclass(frozen=True)
class LearnedMetric:
    """What the projections ended with.

    Attributes
    ----------
    factor : float64, shape (d, d)
        G with A = G G^T: distances are Euclidean between rows of X G.
    slack : float64, shape (m,)
        The bounds as relaxed, xi.
    multipliers : float64, shape (m,)
        Not negative; positive only where the relaxed bound is met with equality.
    cycles : int
    converged : bool
    """

    factor: np.ndarray
    slack: np.ndarray
    multipliers: np.ndarray
    cycles: int
    converged: bool

    @property
    def metric(self) -> np.ndarray:
        """Symmetric positive definite A (d, d) of d_A(x, y) = (x - y)^T A (x - y)."""
        A = self.factor @ self.factor.T
        found: np.ndarray = (A + A.T) / 2
        return found


def itml(
    differences: np.ndarray,
    bounds: np.ndarray,
    similar: np.ndarray,
    *,
    gamma: float,
    prior: np.ndarray,
    variant: Variant = "exact",
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
    variant : "exact", "released" or "printed"
        See the module.
    cycles : int
        At most this many passes over all pairs.
    tolerance : float
        Converged once a pass changes the multipliers by less than this share of their size;
        ``released`` takes the sum of changes over the sum of their sizes before and after.

    Raises
    ------
    ValueError
        gamma or a bound is not positive and finite.
    LinAlgError
        The prior is not positive definite.
    """
    bounds = np.asarray(bounds, dtype=np.float64)
    positive = np.append(bounds, gamma)
    if not (np.isfinite(positive) & (positive > 0)).all():
        raise ValueError("gamma and all bounds must be positive and finite")
    # See the module: the printed step is the exact one of another problem.
    price, scale = (1.0, float(gamma)) if variant == "printed" else (float(gamma), 1.0)
    differences = np.ascontiguousarray(differences, dtype=np.float64)
    if variant == "released":
        near = np.linalg.norm(differences, axis=1) < _RELEASED_LEAST
        differences = np.where(near[:, None], 0.0, differences)
    factor = np.ascontiguousarray(np.linalg.cholesky(np.asarray(prior, dtype=np.float64)))
    slack, multipliers = bounds / scale, np.zeros(bounds.size)
    signs = np.where(similar, 1.0, -1.0)
    converged, cycle = False, 0
    while cycle < cycles and not converged:
        before = multipliers.copy()
        project(differences, signs, price, factor, slack, multipliers)
        converged = _change(before, multipliers, variant) <= tolerance
        cycle += 1
    return LearnedMetric(factor, slack * scale, multipliers, cycle, converged)


def _change(before: np.ndarray, after: np.ndarray, variant: Variant) -> float:
    """How far a pass moved the multipliers, relative to them; 0 where all bounds are met."""
    size, change = float(np.linalg.norm(after)), after - before
    if variant == "released":
        size += float(np.linalg.norm(before))
        moved = float(np.abs(change).sum())
    else:
        moved = float(np.linalg.norm(change))
    return moved / size if size > 0 else moved

"""One pass of LogDet projections over all pairs, on a factor of the metric."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

# Squared distances outside of these have no finite inverse to work with.
_LEAST, _MOST = 1e-300, 1e300


@njit(
    types.void(
        readonly("f8", 2), readonly("f8"), types.float64,
        writable("f8", 2), writable("f8"), writable("f8"),
    ),
    cache=True, nogil=True, fastmath={"reassoc", "contract"},
)  # fmt: skip
def project(differences, signs, gamma, factor, slack, multipliers):
    """Project on each pair's half-space in turn; O(d^2) a pair.

    With u = G^T v, the update A + beta A v v^T A of A = G G^T makes G (I + s u u^T) of G, where
    (1 + s p)^2 = p'/p and p, p' are the distances before and after: A stays positive semidefinite
    whatever is rounded off.

    Parameters
    ----------
    differences : (m, d)
        v of each pair; pairs at distance 0 are passed over.
    signs : (m,)
        1 where the distance may be at most the slack, -1 where at least.
    factor, slack, multipliers : (d, d), (m,), (m,)
        G, xi and lambda; changed in place.
    """
    m, d = differences.shape
    held = gamma / (gamma + 1.0)
    u = np.empty(d)
    for t in range(m):
        u[:] = 0.0
        for i in range(d):
            v = differences[t, i]
            if v != 0.0:
                for j in range(d):
                    u[j] += v * factor[i, j]
        p = 0.0
        for j in range(d):
            p += u[j] * u[j]
        if not _LEAST < p < _MOST:
            continue
        sign = signs[t]
        alpha = sign * held * (1.0 / p - 1.0 / slack[t])
        if alpha < multipliers[t]:
            # Distance and slack meet; so written, neither is lost to cancellation.
            inverse = (1.0 - held) / p + held / slack[t]
            slack[t] = 1.0 / inverse
        else:
            alpha = multipliers[t]
            if alpha == 0.0:
                continue
            inverse = 1.0 / p - sign * alpha
            slack[t] = 1.0 / (1.0 / slack[t] + sign * alpha / gamma)
        multipliers[t] -= alpha
        step = (np.sqrt(1.0 / (p * inverse)) - 1.0) / p
        for i in range(d):
            along = 0.0
            for j in range(d):
                along += factor[i, j] * u[j]
            along *= step
            for j in range(d):
                factor[i, j] += along * u[j]

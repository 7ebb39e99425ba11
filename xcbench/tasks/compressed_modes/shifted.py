"""2 L + c I, factorised once: what the splittings solve with and MADMM's X-step is scaled by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

Solve = Callable[[np.ndarray], np.ndarray]


def shifted_solver(energy: sparse.csr_array, shift: float) -> Solve:
    """Solver of (2 L + shift I) X = R.

    Parameters
    ----------
    energy : csr_array of float64, shape (n, n)
        L, symmetric and positive semidefinite.
    shift : float
        Above 0.

    Returns
    -------
    callable
        R to X, both float64 of shape (n, k).
    """
    matrix = 2.0 * energy + shift * sparse.eye_array(energy.shape[0])
    # Positive definite: no pivoting is needed, and the order may be that of a symmetric pattern.
    factors = splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return lambda right: factors.solve(right)

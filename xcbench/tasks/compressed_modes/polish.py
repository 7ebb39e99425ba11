"""Modes that are sparse and orthonormal both, from a sparse matrix that is nearly orthonormal.

Where MADMM ends, X is orthonormal and its copy Z sparse, and they differ by the primal residual.
The answer keeps the zeros of Z, and moves its other entries by the least there is to Z^T Z = I.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

TARGET = 1e-12
MAX_STEPS = 50


def orthonormal_on_support(
    modes: np.ndarray, target: float = TARGET, steps: int = MAX_STEPS
) -> np.ndarray:
    """Orthonormal columns with the zeros of ``modes``.

    Newton's method on the k (k + 1) / 2 equations Z^T Z = I in the entries that are not zero, each
    step the shortest one (a minimum-norm solution). Quadratic where supports overlap in more than
    they have to.

    Parameters
    ----------
    modes : ndarray of float64, shape (n, k)
    target : float
        Largest entry of |Z^T Z - I| to stop at.
    steps : int
        At most this many.

    Returns
    -------
    ndarray of float64, shape (n, k)
        The best one met; its ``orthogonality`` says how good it is, as no orthonormal matrix need
        have these zeros (two columns that overlap in one entry alone).
    """
    k = modes.shape[1]
    upper = np.triu_indices(k)
    kept = modes != 0
    best, least = modes, orthogonality(modes)
    current = modes.copy()
    for _ in range(steps):
        if least <= target:
            break
        gap = (np.eye(k) - current.T @ current)[upper]
        jacobian = _jacobian(current, kept, upper)
        gram = (jacobian @ jacobian.T).toarray()
        current[kept] += jacobian.T @ np.linalg.lstsq(gram, gap, rcond=None)[0]
        found = orthogonality(current)
        if not np.isfinite(found):
            break
        if found < least:
            best, least = current.copy(), found
    return best


def orthogonality(modes: np.ndarray) -> float:
    """Largest entry of |Phi^T Phi - I|."""
    return float(np.abs(modes.T @ modes - np.eye(modes.shape[1])).max())


def _jacobian(
    modes: np.ndarray, kept: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> sparse.csr_array:
    """Derivative of the inner products of all ``pairs`` of columns in the entries ``kept``.

    In z_pi that of z_i . z_j is z_pj, and the other way round; of z_i . z_i it is 2 z_pi.
    """
    number = np.cumsum(kept).reshape(kept.shape) - 1
    rows, columns, values = [], [], []
    for pair, (i, j) in enumerate(zip(*pairs, strict=True)):
        shared = np.flatnonzero(kept[:, i] & kept[:, j])
        for of, by in ((i, j), (j, i)):
            rows.append(np.full(shared.size, pair))
            columns.append(number[shared, of])
            values.append(modes[shared, by])
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_array(entries, shape=(pairs[0].size, int(kept.sum()))).tocsr()

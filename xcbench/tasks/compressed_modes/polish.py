"""Modes that are sparse and orthonormal both, from a sparse matrix that is nearly orthonormal.

Where MADMM ends, X is orthonormal and its copy Z sparse, and they differ by the primal residual.
The answer keeps the zeros of Z, and moves its other entries by the least there is to Z^T Z = I.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

TARGET = 1e-12
MAX_STEPS = 50
PATIENCE = 5  # steps without a better matrix
# Against the largest entry on the diagonal: makes singular equations solvable.
RIDGE = 1e-13
# Triples of entries that share a row. Modes of more have hardly a zero, or are far from finished.
MOST_TRIPLES = 10_000_000


def orthonormal_on_support(
    modes: np.ndarray, target: float = TARGET, steps: int = MAX_STEPS
) -> np.ndarray:
    """Orthonormal columns with the zeros of ``modes``.

    Newton's method on Z^T Z = I in the entries that are not zero, each step the shortest one (a
    minimum-norm solution). Columns without a common row are orthogonal as they are, so there is an
    equation only for each pair with one. Quadratic where supports overlap in more than they have
    to.

    Parameters
    ----------
    modes : ndarray of float64, shape (n, k)
    target : float
        Largest entry of |Z^T Z - I| to stop at.
    steps : int
        At most this many; they end sooner where they no longer help.

    Returns
    -------
    ndarray of float64, shape (n, k)
        The best one met; its ``orthogonality`` says how good it is, as no orthonormal matrix need
        have these zeros (two columns that overlap in one entry alone). ``modes`` itself where more
        than MOST_TRIPLES triples of entries share a row.
    """
    counts = np.count_nonzero(modes, axis=1).astype(np.float64)
    if np.sum(counts**3) > MOST_TRIPLES:
        return modes
    equations = _Equations(modes != 0)
    best, least = modes, orthogonality(modes)
    current = modes.copy()
    waited = 0
    for _ in range(steps):
        if least <= target or waited == PATIENCE:
            break
        waited += 1
        equations.step(current)
        found = orthogonality(current)
        if not np.isfinite(found):
            break
        if found < least:
            best, least, waited = current.copy(), found, 0
    return best


def orthogonality(modes: np.ndarray) -> float:
    """Largest entry of |Phi^T Phi - I|."""
    return float(np.abs(modes.T @ modes - np.eye(modes.shape[1])).max())


def polish_bytes(n: int, k: int) -> int:
    """What ``orthonormal_on_support`` takes for n x k modes at most, but for copies of them."""
    # Most pairs of entries that share a row: all, or rows alike that reach MOST_TRIPLES.
    pairs = min(n * k**2, MOST_TRIPLES ** (2 / 3) * n ** (1 / 3))
    equations = k * (k + 1) // 2
    # By tracemalloc 90 bytes a pair while equations are numbered; the matrix and its factors.
    found: int = round(90 * pairs + 4 * 12 * min(equations**2, MOST_TRIPLES))
    return found


class _Equations:
    """z_a . z_b = [a = b] for the columns a <= b that share a row, in the entries of a support.

    The derivative in z_ia is z_ib, in z_ib it is z_ia; where a = b it is 2 z_ia. Entries are
    numbered along the rows, so that those which share one follow one another.
    """

    def __init__(self, kept: np.ndarray) -> None:
        k = kept.shape[1]
        counts = np.count_nonzero(kept, axis=1)
        column = np.nonzero(kept)[1]
        # Every entry beside each of its row's, itself included.
        partners = np.repeat(counts, counts)
        self._entry = np.repeat(np.arange(column.size), partners)
        within = np.arange(self._entry.size) - np.repeat(np.cumsum(partners) - partners, partners)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        self._partner = np.repeat(first, partners) + within
        a, b = column[self._entry], column[self._partner]
        pairs, self._equation = np.unique(
            np.minimum(a, b) * k + np.maximum(a, b), return_inverse=True
        )
        self._a, self._b = pairs // k, pairs % k
        self._kept = kept

    def step(self, modes: np.ndarray) -> None:
        """Change ``modes`` by a step of Newton's method; not where no entry has a size."""
        values = modes[self._kept]
        gap = (self._a == self._b) - (modes.T @ modes)[self._a, self._b]
        # Where a = b an entry is its own partner once, and counts twice.
        weights = np.where(self._entry == self._partner, 2.0, 1.0)
        jacobian = sparse.coo_array(
            (weights * values[self._partner], (self._equation, self._entry)),
            shape=(gap.size, values.size),
        ).tocsr()
        gram = (jacobian @ jacobian.T).tocsc()
        largest = gram.diagonal().max(initial=0.0)
        if not largest > 0:
            return
        ridge = RIDGE * largest * sparse.eye_array(gap.size, format="csc")
        factors = splu(
            gram + ridge,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        modes[self._kept] += jacobian.T @ factors.solve(gap)

"""One step of conjugate gradients on many right-hand sides, in three passes over memory."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        types.float32, readonly("f4"), writable("f4", 2), writable("f8"), writable("f8"),
        writable("f4", 2), writable("f4", 2), writable("f4", 2),
    ),
    cache=True, nogil=True, fastmath=True,
)  # fmt: skip
def advance(shift, scale, image, squared, norms, solution, residual, direction):
    """Independent steps for the columns of (G + shift I) X = B, all updated in place.

    Parameters
    ----------
    shift : float32
    scale : float32 (n)
        Diagonal of the preconditioner's inverse.
    image : float32 (n, r)
        G direction; overwritten.
    squared : float64 (r)
        residual . (scale residual) of each column.
    norms : float64 (r)
        Filled with residual . residual.
    solution, residual, direction : float32 (n, r)
    """
    n, r = image.shape
    curvature = np.zeros(r)
    for i in range(n):
        for c in range(r):
            image[i, c] += shift * direction[i, c]
            curvature[c] += np.float64(direction[i, c]) * np.float64(image[i, c])
    step = np.empty(r, np.float32)
    for c in range(r):
        # a column whose residual is zero has no direction left
        step[c] = squared[c] / curvature[c] if curvature[c] > 0.0 else 0.0
    new = np.zeros(r)
    norms[:] = 0.0
    for i in range(n):
        weight = np.float64(scale[i])
        for c in range(r):
            solution[i, c] += step[c] * direction[i, c]
            left = residual[i, c] - step[c] * image[i, c]
            residual[i, c] = left
            square = np.float64(left) * np.float64(left)
            norms[c] += square
            new[c] += weight * square
    ratio = np.empty(r, np.float32)
    for c in range(r):
        ratio[c] = new[c] / squared[c] if squared[c] > 0.0 else 0.0
        squared[c] = new[c]
    for i in range(n):
        for c in range(r):
            direction[i, c] = ratio[c] * direction[i, c] + scale[i] * residual[i, c]

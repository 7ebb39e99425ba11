"""Singular value projection (SVP) on a symmetric pattern, and the spectral start it shares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xcbench.optim.eigen import leading_eigenpairs
from xcbench.optim.masked_completion import MaskedSymmetric

OVERSAMPLING = 20
START_ITERATIONS = 4  # enough of a start: the solver that follows mends the rest
FIRST_ITERATIONS = 12  # of SVP, whose first step is the eigenproblem itself
WARM_ITERATIONS = 3


def spectral_factor(
    known: MaskedSymmetric,
    rank: int,
    rng: np.random.Generator,
    iterations: int = START_ITERATIONS,
) -> tuple[np.ndarray, np.ndarray]:
    """Z with Z Z^T near the best rank-``rank`` PSD approximation of P_Omega(S), zero off Omega.

    As near as ``iterations`` block iterations come: the trailing pairs are approximate.

    The matrix is the symmetric part of P_Omega(S): a pair that only one of two points chose
    enters with half its similarity.

    Returns
    -------
    Z : ndarray of float32, shape (n, rank)
    basis : ndarray of float32, shape (n, b)
        Start for the next eigenproblem.
    """
    width = min(known.n, rank + OVERSAMPLING)
    noise = rng.standard_normal((known.n, width), dtype=np.float32)
    half = known.targets * np.float32(0.5)
    pairs = leading_eigenpairs(lambda block: known.product(half, block), noise, rank, iterations)
    return _factor(pairs[0], pairs[1]), pairs[2]


def singular_value_projection(
    known: MaskedSymmetric,
    rank: int,
    iterations: int,
    rng: np.random.Generator,
    callback: Callable[[np.ndarray], None] | None = None,
) -> np.ndarray:
    """M <- P_r(M + P_Omega(S - M)), SVP with step 1 as printed in the SLEEC paper, from M = 0.

    M stays factored as Z Z^T: the matrix whose eigenpairs are wanted is Z Z^T plus a sparse one, so
    a step costs a few products with it and never forms it. ``callback`` is called with Z after
    every step.

    Returns
    -------
    ndarray of float32, shape (n, rank)
        Z; columns of eigenvalues that are not positive are zero.
    """
    Z, basis = spectral_factor(known, rank, rng, FIRST_ITERATIONS)
    if callback is not None:
        callback(Z)
    for _ in range(iterations - 1):
        half = known.residual(Z)
        half *= np.float32(0.5)

        def step(block: np.ndarray, Z: np.ndarray = Z, half: np.ndarray = half) -> np.ndarray:
            image = known.product(half, block)
            image += Z @ (Z.T @ block)
            return image

        values, vectors, basis = leading_eigenpairs(step, basis, rank, WARM_ITERATIONS)
        Z = _factor(values, vectors)
        if callback is not None:
            callback(Z)
    return Z


def _factor(values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    found: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0)).astype(np.float32)
    return found

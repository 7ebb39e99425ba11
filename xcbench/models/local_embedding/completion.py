"""Completion stage: embeddings Z whose inner products match the label similarities on Omega."""

from __future__ import annotations

import numpy as np

from xcbench.config.methods import CompletionSettings
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.models.local_embedding.neighbours import NeighbourLists
from xcbench.optim.alternating import alternating_gradient
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion, MaskedSymmetric
from xcbench.optim.robust_completion import l1_completion
from xcbench.optim.svp import singular_value_projection, spectral_factor


def complete(
    lists: NeighbourLists,
    order: np.ndarray,
    rank: int,
    settings: CompletionSettings,
    rng: np.random.Generator,
) -> np.ndarray:
    """Embeddings of the points, float32 (n, min(rank, n)), rows in the points' own order.

    ``order`` is the row order in which the kernels work (see locality_order).
    """
    n = order.size
    rank = min(rank, n)
    position = np.empty(n, np.int32)
    position[order] = np.arange(n, dtype=np.int32)
    if settings.kind == "released":
        Z = alternating_gradient(lists.directed(position), rank, settings.iterations, rng)
    else:
        Z = _symmetric(lists.symmetrised(position), rank, settings, rng)
    return Z[position]


def _symmetric(
    known: MaskedSymmetric, rank: int, settings: CompletionSettings, rng: np.random.Generator
) -> np.ndarray:
    if settings.kind == "svp":
        return singular_value_projection(known, rank, settings.iterations, rng)
    if settings.start == "random":
        start = rng.standard_normal((known.n, rank), dtype=np.float32)
    else:
        start = spectral_factor(known, rank, rng)[0]
    if settings.kind == "none":
        return start
    if settings.kind == "madmm_l1":
        return l1_completion(known, start, rho=settings.rho, iterations=settings.iterations)
    solution = conjugate_gradient(
        MaskedCompletion(known),
        start,
        manifold=PSDFixedRank(known.n, rank),
        iterations=settings.iterations,
        beta=settings.beta,
        line_search=settings.line_search,
        tolerance=settings.tolerance,
    )
    point: np.ndarray = solution.point
    return point

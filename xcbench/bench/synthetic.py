"""The fixed synthetic problem of the stage benchmarks: the shape of Bibtex."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.data.dataset import Dataset

POINTS, FEATURES, LABELS = 4880, 1836, 159
FEATURES_PER_POINT, LABELS_PER_POINT = 68, 2.4


def bibtex_like(seed: int = 0) -> Dataset:
    """Power-law label and feature frequencies; unit rows; the same bytes for the same seed."""
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.poisson(LABELS_PER_POINT - 1, POINTS)
    Y = _draw(rng, sizes, LABELS, 0.7)
    Y.data[:] = 1.0
    X = _draw(rng, np.full(POINTS, FEATURES_PER_POINT), FEATURES, 0.8)
    X.data /= np.repeat(np.sqrt(X.power(2).sum(axis=1)), np.diff(X.indptr)).astype(np.float32)
    return Dataset(X, Y, "synthetic")


def _draw(
    rng: np.random.Generator, sizes: np.ndarray, width: int, exponent: float
) -> sparse.csr_array:
    """Rows of ``sizes`` draws (repeats merged) from a power law over ``width`` columns."""
    weight = np.arange(1, width + 1) ** -exponent
    columns = rng.choice(width, int(sizes.sum()), p=weight / weight.sum()).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    matrix = sparse.csr_array(
        (np.ones(columns.size, np.float32), columns, indptr), shape=(sizes.size, width)
    )
    matrix.sum_duplicates()
    return matrix

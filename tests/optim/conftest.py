"""A small symmetric completion problem."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.optim.masked_completion import MaskedSymmetric


def masked(n: int, r: int, share: float, noise: float, seed: int) -> MaskedSymmetric:
    """Noisy Gram matrix of rank r on a random symmetric pattern with weights 1 and 2."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, r))
    upper = sparse.csr_array(np.triu((rng.random((n, n)) < share) | np.eye(n, dtype=bool)))
    rows = np.repeat(np.arange(n), np.diff(upper.indptr))
    targets = np.einsum("ij,ij->i", Z[rows], Z[upper.indices])
    targets += noise * rng.standard_normal(targets.size)
    weights = rng.integers(1, 3, targets.size)
    weights[rows == upper.indices] = 1
    return MaskedSymmetric(
        upper.indptr.astype(np.int64),
        upper.indices.astype(np.int32),
        weights.astype(np.float32),
        targets.astype(np.float32),
    )


def dense(known: MaskedSymmetric, values: np.ndarray) -> np.ndarray:
    """The stored triangle as an (n, n) float64 array."""
    out = np.zeros((known.n, known.n))
    out[np.repeat(np.arange(known.n), np.diff(known.indptr)), known.columns] = values
    return out


@pytest.fixture
def known() -> MaskedSymmetric:
    return masked(n=60, r=4, share=0.4, noise=0.1, seed=0)

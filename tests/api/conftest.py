"""Points in groups whose features and labels tell the group, and every estimator made small."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from xcbench import RXML, SLEEC, FeatureNeighbours, GlobalFixedRank, Maxide, OneVsRest

GROUPS = 4


def grouped(n: int, seed: int = 0) -> tuple[sparse.csr_array, sparse.csr_array]:
    """X (n, 12), unit rows, and Y (n, 8): group g has label 2g and, two times of three, 2g + 1."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % GROUPS
    X = 0.2 * rng.random((n, 12)) * (rng.random((n, 12)) < 0.3)
    X[np.arange(n), group] += 1.0
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    Y = np.zeros((n, 2 * GROUPS), np.int8)
    Y[np.arange(n), 2 * group] = 1
    Y[np.arange(n), 2 * group + 1] = np.arange(n) % 3 > 0
    return sparse.csr_array(X), sparse.csr_array(Y)


ESTIMATORS = {
    "rxml": RXML(rank=8, learners=2, clusters=2),
    "rxml-blend": RXML("rxml-blend", rank=8),
    "sleec": SLEEC(rank=8, vote_neighbours=5),
    "global": GlobalFixedRank(rank=8, ridge=0.1),
    "maxide": Maxide(ranks=(4, 8)),
    "ridge": OneVsRest(ridge=0.1),
    "knn": FeatureNeighbours(neighbours=5),
}


@pytest.fixture
def train() -> tuple[sparse.csr_array, sparse.csr_array]:
    return grouped(60)


@pytest.fixture
def test() -> tuple[sparse.csr_array, sparse.csr_array]:
    return grouped(20, seed=1)

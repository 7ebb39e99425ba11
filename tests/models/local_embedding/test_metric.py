"""The metric of ``vote: itml``."""

import numpy as np
from scipy import sparse

from xcbench.config.methods import NeighbourSettings
from xcbench.models.local_embedding.metric import metric_factor
from xcbench.models.local_embedding.neighbours import find_neighbours


def two_groups(n: int = 80) -> tuple[np.ndarray, sparse.csr_array]:
    """Embeddings whose first dimension tells the label and whose second is louder noise."""
    rng = np.random.default_rng(0)
    group = np.arange(n) % 2
    E = np.column_stack([group + 0.1 * rng.standard_normal(n), 3.0 * rng.standard_normal(n)])
    Y = sparse.csr_array(np.eye(2, dtype=np.float32)[group])
    return E.astype(np.float32), Y


def test_the_telling_dimension_gains_on_the_noise():
    E, Y = two_groups()
    lists = find_neighbours(Y, NeighbourSettings(count=20))
    L = metric_factor(E, lists, Y, 1.0, np.random.default_rng(0))
    A = L @ L.T
    assert A[0, 0] > 10 * A[1, 1]
    group = np.arange(80) % 2

    def right(Z):
        distance = np.linalg.norm(Z[:, None] - Z[None], axis=2)
        np.fill_diagonal(distance, np.inf)
        return np.mean(group[distance.argmin(axis=1)] == group)

    assert right(E @ L) > right(E)


def test_a_cluster_with_nothing_to_learn_from_keeps_the_euclidean_metric():
    Y = sparse.csr_array(np.ones((1, 1), np.float32))
    lists = find_neighbours(Y, NeighbourSettings(count=5))
    one = np.ones((1, 2), np.float32)
    np.testing.assert_array_equal(
        metric_factor(one, lists, Y, 1.0, np.random.default_rng(0)), np.eye(2)
    )
    same = np.ones((6, 2), np.float32)  # six equal points of one label
    Y = sparse.csr_array(np.ones((6, 1), np.float32))
    lists = find_neighbours(Y, NeighbourSettings(count=5))
    np.testing.assert_array_equal(
        metric_factor(same, lists, Y, 1.0, np.random.default_rng(0)), np.eye(2)
    )

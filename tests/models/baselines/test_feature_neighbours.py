"""Nearest neighbours from the features against brute force."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.peers import FeatureNeighboursSettings
from xcbench.data.dataset import Dataset
from xcbench.models.baselines import FeatureNeighbours, feature_neighbours


def rows(*dense: list[float]) -> sparse.csr_array:
    return sparse.csr_array(np.array(dense, np.float32))


def fitted(data: Dataset, **settings: float) -> FeatureNeighbours:
    return FeatureNeighbours(FeatureNeighboursSettings(**settings), 0).fit(data)


def brute_force(train: Dataset, X: np.ndarray, neighbours: int, power: float) -> np.ndarray:
    """The votes for every label, float64 (n, l)."""
    A = train.X.toarray().astype(float)
    lengths = [np.maximum(np.linalg.norm(M, axis=1), 1e-30)[:, None] for M in (X, A)]
    cosine = (X / lengths[0]) @ (A / lengths[1]).T
    nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :neighbours]
    best = np.take_along_axis(cosine, nearest, axis=1)
    weights = np.where(best > 0, np.maximum(best, 0) ** power, 0)
    return np.einsum("im,iml->il", weights, train.Y.toarray()[nearest])


@pytest.mark.parametrize("power", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("neighbours", [1, 7, 500])
def test_votes_are_those_of_the_nearest_by_cosine(neighbours, power):
    rng = np.random.default_rng(0)
    X = np.abs(rng.standard_normal((90, 12))) * (rng.random((90, 12)) < 0.4)
    Y = (rng.random((70, 9)) < 0.2).astype(np.float32)
    train = Dataset(rows(*X[:70]), rows(*Y))
    found = fitted(train, neighbours=neighbours, power=power).predict(rows(*X[70:]), 9)
    votes = brute_force(train, X[70:].astype(np.float32), neighbours, power)
    for i in range(20):
        listed = found.labels[i] >= 0
        assert set(found.labels[i][listed]) == set(np.flatnonzero(votes[i]))
        expected = votes[i][found.labels[i][listed]]
        np.testing.assert_allclose(found.scores[i][listed], expected, rtol=1e-4)


def test_two_neighbours_by_hand():
    train = Dataset(rows([2, 0], [3, 4], [0, 5]), rows([1, 0, 0], [0, 1, 0], [0, 0, 1]))
    found = fitted(train, neighbours=2, power=2.0).predict(rows([1, 0]), 3)
    assert found.labels.tolist() == [[0, 1, -1]]
    np.testing.assert_allclose(found.scores[0, :2], [1.0, 0.36], rtol=1e-6)


def test_a_point_without_a_common_feature_has_no_vote_even_at_power_0():
    train = Dataset(rows([1, 0], [0, 1]), rows([1, 0], [0, 1]))
    found = fitted(train, neighbours=2, power=0.0).predict(rows([1, 0]), 2)
    assert found.labels.tolist() == [[0, -1]]


def test_no_more_similarities_are_held_than_a_block_has_rows(monkeypatch):
    rng = np.random.default_rng(1)
    train = Dataset(rows(*rng.random((30, 5))), rows(*(rng.random((30, 4)) < 0.5)))
    X = rows(*rng.random((25, 5)))
    model = fitted(train, neighbours=5)
    whole = model.predict(X, 3)
    held = []
    real = model._neighbours
    monkeypatch.setattr(model, "_neighbours", lambda X: held.append(X.shape[0]) or real(X))
    monkeypatch.setattr(feature_neighbours, "SIMILARITIES", 30 * 4)
    blocks = model.predict(X, 3)
    assert held == [4] * 6 + [1]
    np.testing.assert_array_equal(blocks.labels, whole.labels)
    np.testing.assert_array_equal(blocks.scores, whole.scores)

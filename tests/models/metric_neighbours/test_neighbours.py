"""The k-NN vote: against scikit-learn, and its ties."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from xcbench.models.metric_neighbours import majority


@pytest.mark.parametrize("k", [1, 4, 7])
def test_agrees_with_scikit_learn(k):
    rng = np.random.default_rng(k)
    X, test, factor = (rng.standard_normal((n, 3)) for n in (40, 60, 3))
    y = rng.integers(0, 4, 40)
    theirs = KNeighborsClassifier(k).fit(X @ factor, y).predict(test @ factor)
    np.testing.assert_array_equal(majority(X, y, test, factor, k), theirs)


def test_of_equal_votes_the_smallest_class_wins():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([2, 1, 1, 2])
    assert majority(X, y, np.zeros((1, 1)), np.eye(1), 4) == [1]


def test_of_equal_distances_the_earlier_points_vote():
    X, y = np.array([[1.0], [-1.0], [1.0]]), np.array([1, 1, 0])
    assert majority(X, y, np.zeros((1, 1)), np.eye(1), 2) == [1]
    assert majority(X[::-1], y[::-1], np.zeros((1, 1)), np.eye(1), 1) == [0]


def test_all_vote_where_there_are_fewer_than_k():
    X, y = np.array([[0.0], [5.0], [6.0]]), np.array([0, 1, 1])
    assert majority(X, y, np.zeros((1, 1)), np.eye(1), 9) == [1]


def test_the_metric_decides_who_is_near():
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0, 1])
    origin = np.zeros((1, 2))
    assert majority(X, y, origin, np.eye(2), 1) == [0]
    assert majority(X, y, origin, np.diag([3.0, 1.0]), 1) == [1]

"""ITML from classes: what it starts from, what it learns, and degenerate data."""

import numpy as np
import pytest

from xcbench.config.metric_learning import ItmlSettings
from xcbench.models.metric_neighbours import itml as module
from xcbench.models.metric_neighbours.itml import fit_itml, prior_metric


@pytest.fixture
def asked(monkeypatch):
    """The arguments of each call of the solver."""
    calls = []

    def record(differences, bounds, similar, **options):
        calls.append((differences, bounds, similar, options))
        return solver(differences, bounds, similar, **options)

    solver = module.itml
    monkeypatch.setattr(module, "itml", record)
    return calls


def points(n=60, d=3, c=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % c
    X = rng.standard_normal((n, d))
    X[:, 0] += 4 * y
    return X, y


def fitted(X, y, **changes):
    return fit_itml(ItmlSettings(**changes), X, y, 1.0, np.random.default_rng(0))


def test_the_prior_is_the_inverse_of_the_sample_covariance():
    X, _ = points()
    inverse = np.linalg.inv(np.cov(X, rowvar=False))
    np.testing.assert_allclose(prior_metric("inverse_covariance", X), inverse, rtol=1e-10)
    np.testing.assert_array_equal(prior_metric("identity", X), np.eye(3))


@pytest.mark.parametrize(
    "X",
    [
        np.column_stack([np.arange(6.0), np.ones(6)]),
        np.repeat(np.arange(6.0)[:, None], 2, axis=1),
        np.arange(8.0).reshape(2, 4) ** 2,
    ],
    ids=["constant feature", "equal features", "fewer points than features"],
)
def test_of_a_singular_covariance_the_diagonal_is_raised_by_a_hundredth(X):
    covariance = np.cov(X, rowvar=False)
    raised = covariance + 0.01 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    prior = prior_metric("inverse_covariance", X)
    np.testing.assert_allclose(prior @ raised, np.eye(len(covariance)), atol=1e-8)
    assert np.linalg.eigvalsh(prior).min() > 0


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.ones((1, 2))])
def test_the_prior_of_points_that_are_all_one_is_the_identity(X):
    np.testing.assert_array_equal(prior_metric("inverse_covariance", X), np.eye(2))


@pytest.mark.parametrize(
    ("changes", "count"),
    [({}, 180), ({"pairs": 3}, 27), ({"pairs": 40, "classes": "distinct"}, 240)],
)
def test_the_number_of_pairs_goes_with_the_classes(asked, changes, count):
    fitted(*points(), **changes)
    ((differences, bounds, similar, _),) = asked
    assert differences.shape == (count, 3)
    assert bounds.shape == similar.shape == (count,)
    assert 0.2 < similar.mean() < 0.5


def test_bounds_are_percentiles_of_the_squared_distances_of_all_pairs(asked):
    X, y = points()
    X[1] = X[0]  # Of one point twice there is no distance to take part.
    fitted(X, y)
    ((_, bounds, similar, _),) = asked
    squared = [np.sum((X[i] - X[j]) ** 2) for i in range(60) for j in range(i)]
    low, high = np.percentile([d for d in squared if d > 0], [5, 95])
    np.testing.assert_allclose(np.unique(bounds[similar]), [low])
    np.testing.assert_allclose(np.unique(bounds[~similar]), [high])


def test_histogram_bounds_are_hundredths_of_the_range_of_some_distances(asked):
    X = np.concatenate([np.zeros((30, 1)), np.full((30, 1), 10.0)])
    fitted(X, np.arange(60) % 2, bounds="histogram", pairs=50)
    ((_, bounds, similar, _),) = asked
    np.testing.assert_allclose(np.unique(bounds[similar]), [4.5])
    np.testing.assert_allclose(np.unique(bounds[~similar]), [94.5])


def test_projections_limit_the_passes_and_every_pass_is_whole(asked):
    fitted(*points(), projections=400)
    assert asked[0][3]["cycles"] == 3


def test_similar_points_come_closer_and_dissimilar_ones_apart():
    X, y = points()
    factor = fitted(X, y)
    metric = factor @ factor.T
    assert metric[0, 0] > 3 * max(metric[1, 1], metric[2, 2])


@pytest.mark.parametrize("bounds", ["percentiles", "histogram"])
@pytest.mark.parametrize("prior", ["identity", "inverse_covariance"])
def test_points_that_are_all_one_leave_the_prior(bounds, prior):
    factor = fitted(np.ones((6, 2)), np.arange(6) % 2, bounds=bounds, prior=prior)
    np.testing.assert_array_equal(factor, np.eye(2))


@pytest.mark.parametrize("bounds", ["percentiles", "histogram"])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (points()[0], np.zeros(60, np.int64)),
        (np.column_stack([points()[0], np.ones(60)]), points()[1]),
        (np.ones((1, 2)), np.zeros(1, np.int64)),
    ],
    ids=["one class", "constant feature", "one point"],
)
def test_degenerate_data_give_a_positive_definite_metric(X, y, bounds):
    factor = fitted(X, y, bounds=bounds)
    assert np.linalg.eigvalsh(factor @ factor.T).min() > 0

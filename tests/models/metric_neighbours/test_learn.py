"""Choosing gamma inside the training part."""

from importlib import import_module

import numpy as np
import pytest

from xcbench.config.metric_learning import FixedMetricSettings, ItmlSettings
from xcbench.models.base import InlineExecutor
from xcbench.models.metric_neighbours import learn, majority

# The package exports the function of that name.
module = import_module("xcbench.models.metric_neighbours.learn")


def parts(seed=0, n=40):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(2):
        y = rng.integers(0, 2, n)
        X = rng.standard_normal((n, 4))
        X[:, 0] += 2 * y
        X[:, 1] *= 6
        found.append((X, y))
    return found


def learned(settings, seed=0, found=None):
    return learn(settings, found or parts(), 4, seed, InlineExecutor())


def test_a_fixed_metric_has_no_gamma():
    result = learned(FixedMetricSettings())
    np.testing.assert_array_equal(result.factors, [np.eye(4)] * 2)
    assert np.isnan(result.gammas).all()
    assert result.errors.shape == (2, 0)


def test_the_inverse_covariance_is_that_of_each_part():
    result = learned(FixedMetricSettings(metric="inverse_covariance"))
    for factor, (X, _) in zip(result.factors, parts(), strict=True):
        np.testing.assert_allclose(factor @ factor.T, np.linalg.inv(np.cov(X, rowvar=False)))


def test_the_gamma_with_the_smallest_error_is_taken():
    result = learned(ItmlSettings(gammas=(10.0, 1e-6, 0.1)))
    grid = np.array([1e-6, 0.1, 10.0])
    assert result.errors.shape == (2, 3)
    np.testing.assert_array_equal(result.gammas, grid[result.errors.argmin(axis=1)])
    # A gamma that leaves the prior alone is worse here: the second feature is loud noise.
    assert (result.gammas > 1e-6).all()


def test_of_equal_errors_the_smallest_gamma_is_taken():
    X = np.repeat(np.eye(2), 20, axis=0) * 100
    part = (X, np.repeat([0, 1], 20))
    result = learned(ItmlSettings(gammas=(5.0, 0.5)), found=[part])
    np.testing.assert_array_equal(result.errors, [[0.0, 0.0]])
    np.testing.assert_array_equal(result.gammas, [0.5])


def test_a_single_gamma_is_not_cross_validated():
    result = learned(ItmlSettings(gammas=(0.3,)))
    assert result.errors.shape == (2, 0)
    np.testing.assert_array_equal(result.gammas, [0.3, 0.3])


def test_the_same_seed_gives_the_same_metrics_and_another_one_others():
    first, again, other = (learned(ItmlSettings(), seed).factors for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-6


def test_a_part_is_learned_from_alone():
    found = parts()
    first = learned(ItmlSettings(), found=found).factors[0]
    changed = [found[0], (found[1][0] + 100, 1 - found[1][1])]
    np.testing.assert_array_equal(learned(ItmlSettings(), found=changed).factors[0], first)


def test_learning_helps_where_a_loud_feature_hides_the_class():
    (train, test) = parts(seed=3, n=200)
    result = learned(ItmlSettings(), found=[train])
    errors = [
        np.mean(majority(*train, test[0], factor, 4) != test[1])
        for factor in (np.eye(4), result.factors[0])
    ]
    assert errors[1] < errors[0] - 0.03


@pytest.mark.parametrize("k", [1, 4])
def test_cross_validation_counts_each_point_once(k):
    # With one class there is nothing to mistake.
    X = np.random.default_rng(0).standard_normal((7, 2))
    found = learn(ItmlSettings(), [(X, np.zeros(7, np.int64))], k, 0, InlineExecutor())
    np.testing.assert_array_equal(found.errors, np.zeros((1, 4)))


def test_a_candidate_learns_from_one_fold_and_is_judged_on_the_other(monkeypatch):
    fitted, judged = [], []
    fit, vote = module.fit_itml, module.majority

    def recorded_fit(settings, X, y, gamma, rng):
        fitted.append((X, y))
        return fit(settings, X, y, gamma, rng)

    def recorded_vote(train, y, test, factor, k):
        judged.append((train, y, test))
        return vote(train, y, test, factor, k)

    monkeypatch.setattr(module, "fit_itml", recorded_fit)
    monkeypatch.setattr(module, "majority", recorded_vote)
    X, y = parts(n=21)[0]
    learned(ItmlSettings(gammas=(0.1, 1.0)), found=[(X, y)])
    *candidates, final = fitted
    assert len(candidates) == len(judged) == 4
    for (fold, classes), (train, labels, test) in zip(candidates, judged, strict=True):
        np.testing.assert_array_equal(fold, train)
        np.testing.assert_array_equal(classes, labels)
        together = np.concatenate([train, test])
        np.testing.assert_array_equal(np.sort(together, axis=0), np.sort(X, axis=0))
        assert not {tuple(row) for row in train} & {tuple(row) for row in test}
    np.testing.assert_array_equal(final[0], X)


class Counted(InlineExecutor):
    def __init__(self):
        self.stages = []

    def map(self, function, tasks, stage):
        self.stages.append((stage, len(tasks)))
        return super().map(function, tasks, stage)


def test_long_fits_go_through_the_executor_and_come_to_the_same():
    executor, settings = Counted(), ItmlSettings(projections=10**9)
    shared = learn(settings, parts(), 4, 0, executor)
    assert executor.stages == [("cross_validation", 8), ("metric", 2)]
    alone = learned(ItmlSettings())
    np.testing.assert_array_equal(shared.factors, alone.factors)
    np.testing.assert_array_equal(shared.errors, alone.errors)


@pytest.mark.parametrize("settings", [FixedMetricSettings(), ItmlSettings()])
def test_short_fits_start_no_processes(settings):
    executor = Counted()
    learn(settings, parts(), 4, 0, executor)
    assert executor.stages == []

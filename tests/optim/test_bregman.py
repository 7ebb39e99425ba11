"""ITML: the optimality conditions of its convex problem."""

import numpy as np
import pytest

from xcbench.optim.bregman import itml


def problem(seed: int = 0, m: int = 12, d: int = 4):
    rng = np.random.default_rng(seed)
    differences = rng.standard_normal((m, d))
    similar = np.arange(m) < m // 2
    distances = np.einsum("ij,ij->i", differences, differences)
    bounds = np.where(similar, np.quantile(distances, 0.2), np.quantile(distances, 0.8))
    return differences, bounds, similar


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_solution_meets_the_optimality_conditions(gamma):
    differences, bounds, similar = problem()
    prior = np.diag([1.0, 2.0, 0.5, 1.0])
    learned = itml(
        differences, bounds, similar, gamma=gamma, prior=prior, cycles=5000, tolerance=1e-10
    )
    assert learned.converged
    A, sign, multipliers = learned.metric, np.where(similar, 1.0, -1.0), learned.multipliers
    # stationarity in A and in xi
    gathered = (differences * (sign * multipliers)[:, None]).T @ differences
    np.testing.assert_allclose(np.linalg.inv(A), np.linalg.inv(prior) + gathered, atol=1e-8)
    np.testing.assert_allclose(
        1 / learned.slack, 1 / bounds - sign * multipliers / gamma, rtol=1e-8
    )
    # feasibility and complementary slackness
    distances = np.einsum("ij,jk,ik->i", differences, A, differences)
    violation = sign * (distances - learned.slack)
    assert violation.max() < 1e-6
    assert multipliers.min() >= 0
    np.testing.assert_allclose(multipliers * violation, 0.0, atol=1e-6)
    assert np.count_nonzero(multipliers > 1e-9) > 0


def test_metric_stays_symmetric_positive_definite():
    for seed in range(5):
        learned = itml(*problem(seed), gamma=1.0, prior=np.eye(4), cycles=3)
        np.testing.assert_allclose(learned.metric, learned.metric.T, atol=1e-12)
        assert np.linalg.eigvalsh(learned.metric).min() > 0


def test_identical_points_and_repeated_pairs_are_harmless():
    differences, bounds, similar = problem()
    differences = np.vstack([differences, np.zeros(4), differences[:1]])
    bounds, similar = np.append(bounds, [1.0, bounds[0]]), np.append(similar, [True, True])
    learned = itml(differences, bounds, similar, gamma=1.0, prior=np.eye(4))
    assert np.all(np.isfinite(learned.metric))
    assert learned.multipliers[-2] == 0


def test_met_bounds_leave_the_prior_alone():
    differences, _, similar = problem()
    distances = np.einsum("ij,ij->i", differences, differences)
    bounds = np.where(similar, 2 * distances, distances / 2)
    learned = itml(differences, bounds, similar, gamma=1.0, prior=np.eye(4))
    np.testing.assert_array_equal(learned.metric, np.eye(4))
    assert learned.cycles == 1

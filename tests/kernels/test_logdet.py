"""The projection kernel: one step in closed form, read-only inputs."""

import numpy as np
import pytest

from xcbench.kernels.logdet import project


def step(sign, bound, gamma=1e12, multiplier=0.0, v=(3.0, 4.0)):
    factor, slack, multipliers = np.eye(2), np.array([bound]), np.array([multiplier])
    project(np.array([v]), np.array([sign]), gamma, factor, slack, multipliers)
    return factor @ factor.T, slack[0], multipliers[0]


@pytest.mark.parametrize(("sign", "bound"), [(1.0, 5.0), (-1.0, 100.0)])
def test_a_step_at_a_high_price_brings_the_distance_to_the_bound(sign, bound):
    A, slack, multiplier = step(sign, bound)
    v = np.array([3.0, 4.0])
    assert v @ A @ v == pytest.approx(bound, rel=1e-9)
    assert slack == pytest.approx(bound, rel=1e-9)
    # A^-1 = I + delta lambda v v^T, solved for the distance.
    assert multiplier == pytest.approx(sign * (1 / bound - 1 / 25))
    # Across the pair's direction nothing moves.
    across = np.array([-4.0, 3.0])
    assert across @ A @ across == pytest.approx(25.0, rel=1e-12)


def test_a_step_at_price_one_meets_in_the_harmonic_middle():
    A, slack, _ = step(1.0, 5.0, gamma=1.0)
    v = np.array([3.0, 4.0])
    assert v @ A @ v == pytest.approx(slack, rel=1e-12)
    assert 1 / slack == pytest.approx((1 / 25 + 1 / 5) / 2)


@pytest.mark.parametrize(("sign", "bound"), [(1.0, 30.0), (-1.0, 20.0)])
def test_a_bound_that_is_met_and_has_no_multiplier_moves_nothing(sign, bound):
    A, slack, multiplier = step(sign, bound)
    np.testing.assert_array_equal(A, np.eye(2))
    assert (slack, multiplier) == (bound, 0.0)


@pytest.mark.parametrize(("sign", "bound"), [(1.0, 30.0), (-1.0, 20.0)])
def test_no_step_takes_back_more_than_the_multiplier(sign, bound):
    held = 1e-4
    A, slack, multiplier = step(sign, bound, gamma=2.0, multiplier=held)
    assert multiplier == 0.0
    np.testing.assert_allclose(
        np.linalg.inv(A), np.eye(2) - sign * held * np.outer([3, 4], [3, 4]), rtol=1e-12
    )
    assert 1 / slack == pytest.approx(1 / bound + sign * held / 2.0)


@pytest.mark.parametrize("v", [(0.0, 0.0), (1e-170, 0.0), (1e160, 0.0), (np.nan, 1.0)])
def test_a_pair_without_a_finite_inverse_distance_is_passed_over(v):
    A, slack, multiplier = step(1.0, 5.0, v=v)
    np.testing.assert_array_equal(A, np.eye(2))
    assert (slack, multiplier) == (5.0, 0.0)


def test_inputs_may_be_read_only():
    differences, signs = np.array([[3.0, 4.0]]), np.array([1.0])
    differences.flags.writeable = signs.flags.writeable = False
    factor = np.eye(2)
    project(differences, signs, 1.0, factor, np.array([5.0]), np.zeros(1))
    assert factor[0, 0] < 1

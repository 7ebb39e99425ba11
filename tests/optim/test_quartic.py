"""Steps of a quartic."""

import numpy as np
import pytest

from xcbench.optim.quartic import Quartic


def test_the_lower_of_two_minima_ahead_is_found():
    # (t - 1)^2 (t - 3)^2 - t / 10: minima near 1 and 3, the second one lower
    poly = np.polynomial.Polynomial.fromroots([1, 1, 3, 3])
    line = Quartic(poly.coef - np.array([0, 0.1, 0, 0, 0]))
    assert line.exact_step() == pytest.approx(3.0, abs=0.05)
    assert line.cost(2.0) == pytest.approx(1.0 - 0.2)


@pytest.mark.parametrize(
    "coefficients", [[1.0, 1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0], [0.0, np.nan, 1, 0, 0]]
)
def test_no_minimum_ahead_is_a_step_of_zero(coefficients):
    assert Quartic(np.array(coefficients)).exact_step() == 0.0

"""Exponents of growth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcbench.bench.scaling.fit import fit_power


@given(
    exponent=st.floats(-3, 3),
    factor=st.floats(1e-6, 1e6),
    sizes=st.lists(st.integers(1, 1000), min_size=3, max_size=6, unique=True),
)
def test_an_exact_power_law_is_found(exponent, factor, sizes):
    power = fit_power(sizes, [factor * n**exponent for n in sizes])
    assert power.exponent == pytest.approx(exponent, abs=1e-6)
    assert power(sizes[0]) == pytest.approx(factor * sizes[0] ** exponent, rel=1e-6)
    assert power.error == pytest.approx(0, abs=1e-6)


def test_the_error_is_that_of_least_squares():
    rng = np.random.default_rng(0)
    sizes = np.array([1e3, 2e3, 4e3, 8e3, 16e3])
    costs = sizes**1.5 * np.exp(0.1 * rng.standard_normal(5))
    power = fit_power(sizes, costs)
    design = np.column_stack([np.log(sizes), np.ones(5)])
    slope, residual, *_ = np.linalg.lstsq(design, np.log(costs))
    expected = np.sqrt(residual[0] / 3 * np.linalg.inv(design.T @ design)[0, 0])
    assert (power.exponent, power.error) == pytest.approx((slope[0], expected))
    assert str(power) == f"{slope[0]:.2f} ± {expected:.2f}"


def test_two_points_have_no_error():
    power = fit_power([10, 100], [1.0, 10.0])
    assert power.error is None
    assert str(power) == "1.00"


@pytest.mark.parametrize(
    ("sizes", "costs"),
    [([10], [1.0]), ([10, 10], [1.0, 2.0]), ([10, 20], [1.0, 0.0]), ([10, 20], [1.0, None])],
)
def test_no_line_goes_through_what_has_no_logarithm_or_one_size(sizes, costs):
    assert fit_power(sizes, costs) is None

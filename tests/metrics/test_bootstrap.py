"""The paired bootstrap against the normal approximation and cases where it is known."""

import numpy as np
import pytest

from xcbench.metrics import bootstrap
from xcbench.metrics.bootstrap import Interval, affordable, interval, percent, resample
from xcbench.metrics.per_row import Contributions


def hits(right):
    """P@1 of a method with these rows right."""
    gains = np.asarray(right, dtype=float)[:, np.newaxis]
    return Contributions(("P@1",), gains, np.ones_like(gains))


@pytest.fixture
def pair():
    """Two methods that agree on most of 600 rows."""
    rng = np.random.default_rng(3)
    a = rng.random(600) < 0.6
    return hits(a), hits(np.where(rng.random(600) < 0.2, ~a, a))


def test_the_spread_of_a_paired_difference_is_that_of_its_rows(pair):
    values = resample(pair)
    difference = values[:, 0, 0] - values[:, 1, 0]
    rows = 100 * (pair[0].gains - pair[1].gains)[:, 0]
    assert difference.mean() == pytest.approx(rows.mean(), abs=0.15)
    assert difference.std() == pytest.approx(rows.std() / np.sqrt(600), rel=0.06)
    unpaired = np.hypot(*(100 * one.gains.std() / np.sqrt(600) for one in pair))
    assert difference.std() < 0.8 * unpaired


def test_the_interval_is_that_of_the_normal_approximation(pair):
    values = resample(pair)
    rows = 100 * (pair[0].gains - pair[1].gains)[:, 0]
    found = interval(rows.mean(), values[:, 0, 0] - values[:, 1, 0])
    half = 1.96 * rows.std() / np.sqrt(600)
    assert found.low == pytest.approx(rows.mean() - half, abs=0.25 * half)
    assert found.high == pytest.approx(rows.mean() + half, abs=0.25 * half)


def test_the_same_seed_gives_the_same_numbers_in_blocks_of_any_size(pair, monkeypatch):
    whole = resample(pair, 50, seed=1)
    assert not np.array_equal(whole, resample(pair, 50, seed=2))
    monkeypatch.setattr(bootstrap, "_BLOCK_COUNTS", 7 * 600)
    np.testing.assert_allclose(resample(pair, 50, seed=1), whole, rtol=1e-12)


def test_metrics_that_are_ratios_are_ratios_of_resampled_sums():
    rng = np.random.default_rng(0)
    norms = rng.random((40, 1))
    half = Contributions(("PSP@1",), norms / 2, norms)
    np.testing.assert_allclose(resample([half], 20), 50.0)


def test_rows_with_nothing_to_earn_give_no_nan():
    empty = Contributions(("PSP@1",), np.zeros((3, 1)), np.zeros((3, 1)))
    assert not resample([empty], 5).any()


@pytest.mark.parametrize("rows", [1, 2515, 100_000, 587_000, 10**8])
@pytest.mark.parametrize("methods", [2, 20])
def test_the_work_is_bounded_but_for_the_least_number_of_resamples(rows, methods):
    drawn = affordable(rows, methods, 9)
    assert bootstrap.LEAST <= drawn <= bootstrap.MOST
    work = drawn * rows * 9 * (methods + 1)
    assert work <= bootstrap.WORK or drawn == bootstrap.LEAST
    assert work + rows * 9 * (methods + 1) > bootstrap.WORK or drawn == bootstrap.MOST


def test_small_data_gets_all_resamples_and_large_data_fewer(pair, monkeypatch):
    assert len(resample(pair)) == bootstrap.MOST == 2000
    monkeypatch.setattr(bootstrap, "WORK", 600 * 3 * 700)
    assert len(resample(pair)) == 700


def test_nothing_of_nothing_is_zero_percent():
    gains, norms = np.array([1.0, 0.0]), np.array([4.0, 0.0])
    assert percent(gains, norms).tolist() == [25.0, 0.0]


def test_equal_methods_are_tied_and_clear_ones_are_not(pair):
    same = resample([pair[0], pair[0]])
    assert interval(0.0, same[:, 0, 0] - same[:, 1, 0]) == Interval(0.0, 0.0, 0.0)
    assert Interval(0.0, 0.0, 0.0).is_tied
    clear = resample([hits(np.ones(100)), hits(np.arange(100) < 50)])
    assert not interval(50.0, clear[:, 0, 0] - clear[:, 1, 0]).is_tied

"""Points of trials."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from xcbench.config.tuning import Choices, Range
from xcbench.errors import XCBenchError
from xcbench.tuning.samplers import SAMPLERS, Tried, make_sampler, settled

SPACE = {
    "rank": Range(low=2, high=4),
    "ridge": Range(low=0.01, high=100, log=True),
    "power": Range(low=1, high=3),
    "kind": Choices(("a", "b", None)),
    "size": Choices((10, 20, 40)),
}
CURRENT = {"rank": 3, "ridge": 2.0, "power": 2.0, "kind": "a", "size": 10}


@pytest.fixture(params=SAMPLERS)
def name(request):
    if request.param == "optuna":
        pytest.importorskip("optuna")
    return request.param


def points(name, seed=0, count=20):
    sampler, tried = make_sampler(name, SPACE, CURRENT, seed), [Tried(CURRENT, 1.0)]
    for number in range(1, count + 1):
        point = sampler.point(number, tried)
        tried.append(Tried(point, None if number % 5 == 0 else point["ridge"]))
    return [each.point for each in tried[1:]]


def test_points_lie_in_the_space_and_are_of_the_types_of_the_settings(name):
    for point in points(name):
        assert list(point) == list(SPACE)
        assert type(point["rank"]) is int
        assert 2 <= point["rank"] <= 4
        assert type(point["ridge"]) is float
        assert 0.01 <= point["ridge"] <= 100
        assert type(point["power"]) is float
        assert 1 <= point["power"] <= 3
        assert point["kind"] in SPACE["kind"].values
        assert point["size"] in SPACE["size"].values


def test_the_same_seed_and_history_give_the_same_points(name):
    assert points(name, count=6) == points(name, count=6)
    assert points(name, count=6) != points(name, seed=1, count=6)


def test_a_random_point_depends_on_seed_and_number_alone():
    sampler = make_sampler("random", SPACE, CURRENT, 4)
    alone = sampler.point(17, [])
    assert sampler.point(17, [Tried(CURRENT, 1.0)]) == alone
    assert sampler.point(18, []) != alone


def test_random_draws_are_even_over_whole_numbers_and_over_logarithms():
    sampler = make_sampler("random", SPACE, CURRENT, 0)
    drawn = [sampler.point(number, []) for number in range(3000)]
    counts = np.bincount([point["rank"] for point in drawn], minlength=5)[2:]
    np.testing.assert_allclose(counts / 3000, 1 / 3, atol=0.04)
    logs = np.log10([point["ridge"] for point in drawn])
    np.testing.assert_allclose(np.histogram(logs, 4, (-2, 2))[0] / 3000, 0.25, atol=0.04)


@given(
    low=st.floats(1e-6, 1e6),
    width=st.floats(1e-9, 1e9),
    log=st.booleans(),
    share=st.floats(0, 1),
)
def test_a_drawn_number_keeps_its_place_in_a_range_of_any_width(low, width, log, share):
    assume(low + width > low * (1 + 1e-12))
    span = Range(low=low, high=low + width, log=log)
    value = low * (1 + width / low) ** share if log else low + share * width
    found = settled(value, span, low)
    assert span.low <= found <= span.high
    step = value * math.log1p(width / low) if log else width
    assert abs(found - value) <= 0.0051 * step + 1e-12 * low


def test_a_drawn_number_has_few_digits():
    assert settled(0.123456, Range(low=0.1, high=10, log=True), 1.0) == 0.123
    assert settled(7.123456, Range(low=0.1, high=10, log=True), 1.0) == 7.1
    assert settled(3.123456, Range(low=1, high=8), 2.0) == 3.12


def test_a_point_outside_of_the_space_is_no_hindrance():
    pytest.importorskip("optuna")
    outside = CURRENT | {"rank": 100, "size": 11}
    sampler = make_sampler("optuna", SPACE, outside, 0)
    assert sampler.point(1, [Tried(outside, 5.0)])["rank"] in (2, 3, 4)


def test_optuna_goes_where_the_objective_is_high():
    pytest.importorskip("optuna")
    space = {"x": Range(low=0.0, high=1.0)}
    sampler, tried = make_sampler("optuna", space, {"x": 0.5}, 0), []
    for number in range(1, 26):
        point = sampler.point(number, tried)
        tried.append(Tried(point, -((point["x"] - 0.8) ** 2)))
    late = [each.point["x"] for each in tried[15:]]
    assert abs(np.median(late) - 0.8) < 0.1


def test_without_optuna_it_is_said_how_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(XCBenchError, match=r"install xcbench\[tune\], or use --sampler random"):
        make_sampler("optuna", SPACE, CURRENT, 0)

"""Step lengths: what Manopt's adaptive backtracking does, and that the exact search is exact."""

import math

import numpy as np
import pytest

from xcbench.optim.line_search import (
    MAX_EVALUATIONS,
    AdaptiveArmijo,
    ExactLineSearch,
    make_line_search,
    minimise_along,
)


class FakeLine:
    """A line with a given cost function that remembers where it was asked."""

    def __init__(self, cost, step=1.0):
        self._cost, self._step, self.asked = cost, step, []

    def exact_step(self):
        return self._step

    def cost(self, t):
        self.asked.append(t)
        return self._cost(t)

    def move(self, t):
        raise AssertionError("a line search only looks")


def parabola(minimiser):
    """Cost 0 and slope -1 at 0, smallest at ``minimiser``."""
    return lambda t: -t + t * t / (2 * minimiser)


def test_armijo_starts_at_one_over_the_length_of_the_direction():
    line = FakeLine(parabola(10.0))
    assert AdaptiveArmijo()(line, 0.0, -1.0, 4.0) == 0.25
    assert line.asked == [0.25]


def test_armijo_halves_until_half_the_promised_decrease():
    # On a parabola the decrease is at least half of the promise up to its minimiser.
    line = FakeLine(parabola(0.3))
    assert AdaptiveArmijo()(line, 0.0, -1.0, 1.0) == 0.25
    assert line.asked == [1.0, 0.5, 0.25]


@pytest.mark.parametrize(
    ("minimiser", "evaluations", "accepted", "next_trial"),
    [(2.0, 1, 1.0, 2.0), (0.7, 2, 0.5, 0.5), (0.3, 3, 0.25, 0.5), (0.2, 4, 0.125, 0.25)],
)
def test_the_next_trial_is_doubled_after_one_or_many_evaluations_and_kept_after_two(
    minimiser, evaluations, accepted, next_trial
):
    search = AdaptiveArmijo()
    line = FakeLine(parabola(minimiser))
    assert search(line, 0.0, -1.0, 1.0) == accepted
    assert len(line.asked) == evaluations
    again = FakeLine(parabola(100.0))
    search(again, 0.0, -1.0, 1.0)
    assert again.asked == [next_trial]


def test_armijo_stops_after_ten_evaluations_and_takes_a_small_decrease():
    # Decreases, but never by half of what a slope of -1 promises.
    line = FakeLine(lambda t: -0.1 * t)
    assert AdaptiveArmijo()(line, 0.0, -1.0, 1.0) == 0.5**9
    assert len(line.asked) == MAX_EVALUATIONS == 10


@pytest.mark.parametrize("cost", [lambda t: t, lambda t: math.nan, lambda t: math.inf])
@pytest.mark.parametrize("search", [AdaptiveArmijo, ExactLineSearch])
def test_no_decrease_gives_step_zero(search, cost):
    assert search()(FakeLine(cost), 0.0, -1.0, 1.0) == 0.0


def test_exact_takes_the_lines_own_step():
    assert ExactLineSearch()(FakeLine(parabola(0.4), step=0.4), 0.0, -1.0, 1.0) == 0.4


def test_exact_halves_a_step_that_the_retraction_turned_into_a_rise():
    assert ExactLineSearch()(FakeLine(parabola(0.3), step=1.0), 0.0, -1.0, 1.0) == 0.5


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan, math.inf])
def test_exact_refuses_a_step_that_is_none(step):
    line = FakeLine(parabola(0.3), step=step)
    assert ExactLineSearch()(line, 0.0, -1.0, 1.0) == 0.0
    assert line.asked == []


def test_line_searches_are_made_by_name_and_fresh():
    assert isinstance(make_line_search("exact"), ExactLineSearch)
    assert make_line_search("armijo") is not make_line_search("armijo")


def test_minimise_along_a_parabola_takes_two_steps_from_a_near_trial():
    asked = []

    def derivative(t):
        asked.append(t)
        return t / 0.37 - 1.0

    assert minimise_along(derivative, -1.0, 0.1) == pytest.approx(0.37)
    assert len(asked) == 2


@pytest.mark.parametrize("first", [0.02, 0.3, 2.0, 20.0])
@pytest.mark.parametrize(
    ("cost", "derivative"),
    [
        (lambda t: math.cosh(t - 0.8), lambda t: math.sinh(t - 0.8)),
        (lambda t: (t - 0.8) ** 4, lambda t: 4.0 * (t - 0.8) ** 3),
        (lambda t: t**6 - 2.0 * t, lambda t: 6.0 * t**5 - 2.0),
    ],
    ids=["cosh", "quartic", "steep"],
)
def test_minimise_along_reaches_nearly_the_whole_decrease(cost, derivative, first):
    t = minimise_along(derivative, derivative(0.0), first)
    lowest = min(cost(step) for step in np.linspace(0.0, 2.0, 200))
    assert cost(t) - lowest < 0.05 * (cost(0.0) - lowest)


def test_minimise_along_backs_off_from_a_derivative_that_is_no_number():
    t = minimise_along(lambda t: t - 0.8 if t < 1.0 else math.nan, -0.8, 10.0)
    assert t == pytest.approx(0.8, rel=0.05)

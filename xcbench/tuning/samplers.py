"""Which point a trial tries: drawn at random, or by Optuna from what the trials before found.

Either way a trial's point depends on the seed, its number and the finished trials before it alone,
so that a search that was killed goes on as it would have.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from xcbench.config.tuning import Choices, Range, Space
from xcbench.errors import XCBenchError
from xcbench.tuning.space import Point, is_whole

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

SamplerName = Literal["random", "optuna"]
SAMPLERS: tuple[SamplerName, ...] = ("random", "optuna")


@dataclass(frozen=True)
class Tried:
    """A finished trial as a sampler sees it; ``objective`` is None of a failed one."""

    point: Point
    objective: float | None


class Sampler(Protocol):
    """Chooses the points of a search."""

    def point(self, number: int, tried: Sequence[Tried]) -> Point:
        """The point of the trial of a number, from 1."""
        ...


def make_sampler(name: SamplerName, space: Space, current: Point, seed: int) -> Sampler:
    """A sampler by its name.

    Parameters
    ----------
    name : {"random", "optuna"}
    space : Space
    current : Point
        Of the config as it is; tells which ranges are of whole numbers.
    seed : int

    Raises
    ------
    XCBenchError
        Optuna is not installed.
    """
    if name == "random":
        return RandomSampler(space, current, seed)
    try:
        import optuna  # noqa: F401
    except ImportError:
        raise XCBenchError(
            "Optuna is not installed; install xcbench[tune], or use --sampler random"
        ) from None
    return OptunaSampler(space, current, seed)


class RandomSampler:
    """Independent draws; those of ranges are uniform, or uniform in the logarithm."""

    def __init__(self, space: Space, current: Point, seed: int) -> None:
        self._space, self._current, self._seed = space, current, seed

    def point(self, number: int, tried: Sequence[Tried]) -> Point:
        """See Sampler; ``tried`` is not looked at."""
        rng = np.random.default_rng([self._seed, number])
        return {
            key: self._drawn(span, self._current[key], rng) for key, span in self._space.items()
        }

    def _drawn(self, span: Choices | Range, current: Any, rng: np.random.Generator) -> Any:
        if isinstance(span, Choices):
            return span.values[int(rng.integers(len(span.values)))]
        # Whole numbers are rounded: those at the ends need half a step more to be as likely.
        half = 0.5 if is_whole(span, current) else 0.0
        low, high = span.low - half, span.high + half
        if span.log:
            value = math.exp(rng.uniform(math.log(low), math.log(high)))
        else:
            value = float(rng.uniform(low, high))
        return settled(value, span, current)


class OptunaSampler:
    """Optuna's tree-structured Parzen estimator; every point is asked of a study made anew."""

    def __init__(self, space: Space, current: Point, seed: int) -> None:
        self._space, self._current, self._seed = space, current, seed

    def point(self, number: int, tried: Sequence[Tried]) -> Point:
        """See Sampler."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        seed = int(np.random.default_rng([self._seed, number]).integers(2**31))
        study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed)
        )
        distributions = {key: self._distribution(key) for key in self._space}
        for trial in tried:
            if (parameters := self._parameters(trial.point)) is None:
                continue
            failed = trial.objective is None
            state = optuna.trial.TrialState.FAIL if failed else optuna.trial.TrialState.COMPLETE
            study.add_trial(
                optuna.trial.create_trial(
                    state=state,
                    value=trial.objective,
                    params=parameters,
                    distributions=distributions,
                )
            )
        asked = study.ask(distributions).params
        return {key: self._value(key, asked[key]) for key in self._space}

    def _distribution(self, key: str) -> BaseDistribution:
        from optuna import distributions as of

        span, current = self._space[key], self._current[key]
        if isinstance(span, Range):
            if is_whole(span, current):
                return of.IntDistribution(int(span.low), int(span.high), log=span.log)
            return of.FloatDistribution(float(span.low), float(span.high), log=span.log)
        # Choices by their position, which has an order where they have one.
        if self._is_ordered(span):
            return of.IntDistribution(0, len(span.values) - 1)
        return of.CategoricalDistribution(range(len(span.values)))

    @staticmethod
    def _is_ordered(span: Choices) -> bool:
        numbers = all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in span.values
        )
        return numbers and list(span.values) == sorted(span.values)

    def _parameters(self, point: Point) -> dict[str, Any] | None:
        """A point as Optuna has it; None of one outside of the space, as the config's may be."""
        found: dict[str, Any] = {}
        for key, span in self._space.items():
            value = point[key]
            if isinstance(span, Choices):
                if value not in span.values:
                    return None
                found[key] = span.values.index(value)
            elif isinstance(value, int | float) and span.low <= value <= span.high:
                found[key] = value
            else:
                return None
        return found

    def _value(self, key: str, asked: Any) -> Any:
        span = self._space[key]
        if isinstance(span, Choices):
            return span.values[asked]
        return settled(asked, span, self._current[key])


def settled(value: float, span: Range, current: Any) -> int | float:
    """A drawn number as a config has it: whole where it must be, of few digits, in the range.

    Rounded to a thousandth to a hundredth of the range (of a logarithmic one around the value), so
    that a narrow range holds as many numbers as a wide one.
    """
    if is_whole(span, current):
        return int(min(max(round(value), span.low), span.high))
    width = span.high - span.low
    if span.log:
        logs = math.log(span.high) - math.log(span.low)
        width = value * max(logs, sys.float_info.epsilon)
    digits = 2 - math.floor(math.log10(max(width, sys.float_info.min)))
    return min(max(round(value, digits), float(span.low)), float(span.high))

"""A trial as a line of ``tune.csv``, and what a line must hold to be one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from xcbench.config.tuning import Space
from xcbench.config.yaml import inline, parse
from xcbench.errors import ConfigError
from xcbench.runner.result import one_line
from xcbench.runner.store import cell
from xcbench.tuning.space import Point, holds

Status = Literal["done", "failed", "impossible"]
_COMPARED = ("difference", "difference_se")
_SCORES = ("objective", "se", *_COMPARED)
_SECONDS = ("train_s", "predict_s")


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes
    ----------
    number : int
    point : Point
    scores : dict of str to float
        objective and its standard error over the held-out rows (se), the difference to trial 0 and
        its standard error, which are not there if trial 0 failed; empty of a failed trial.
    metrics, seconds : dict of str to float
    error : str
        Why it failed.
    is_impossible : bool
        Whether it failed because its values do not go together or the data does not have them, as
        they would again; another failure may pass.
    """

    number: int
    point: Point
    scores: dict[str, float] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    error: str = ""
    is_impossible: bool = False

    @property
    def is_done(self) -> bool:
        return bool(self.scores)

    @property
    def is_compared(self) -> bool:
        return "difference" in self.scores

    @property
    def status(self) -> Status:
        if self.is_done:
            return "done"
        return "impossible" if self.is_impossible else "failed"


@dataclass(frozen=True)
class Lines:
    """The lines of the trials of a search.

    Attributes
    ----------
    space : Space
    start : Point
        Of trial 0.
    metrics : sequence of str
    objective : str
        The one of them that is maximised.
    n_held : int
        The held-out rows.
    """

    space: Space
    start: Point
    metrics: Sequence[str]
    objective: str
    n_held: int

    @property
    def columns(self) -> tuple[str, ...]:
        head = ("trial", "status", *self.space)
        return (*head, *_SCORES, *self.metrics, *_SECONDS, "error")

    def row(self, trial: Trial) -> dict[str, Any]:
        """The cells of a trial by their columns."""
        return {
            "trial": trial.number,
            "status": trial.status,
            **{key: inline(trial.point[key]) for key in self.space},
            **{name: repr(value) for name, value in trial.scores.items()},
            **{name: repr(value) for name, value in trial.metrics.items()},
            **{name: f"{value:.6f}" for name, value in trial.seconds.items()},
            "error": cell(one_line(trial.error)),
        }

    def trial(self, row: Mapping[str | None, Any]) -> Trial:
        """The trial of a line, as ``csv.DictReader`` gives it.

        Raises
        ------
        ValueError
            It holds what no trial writes.
        """
        if None in row or None in row.values():
            raise ValueError(f"expected {len(self.columns)} cells")
        cells = {str(name): str(text) for name, text in row.items()}
        number, status = cells["trial"], cells["status"]
        if not (number.isascii() and number.isdigit()):
            raise ValueError(f"trial: found {number!r}; expected a whole number")
        if status not in get_args(Status):
            expected = ", ".join(get_args(Status))
            raise ValueError(f"status: found {status!r}; expected one of {expected}")
        point = self._point(int(number), cells)
        if status != "done":
            self._require_empty(cells)
            is_impossible = status == "impossible"
            return Trial(int(number), point, error=cells["error"], is_impossible=is_impossible)
        if cells["error"]:
            raise ValueError(f"error: found {cells['error']!r} of a trial that is done")
        found = self._scores(cells)
        metrics, seconds = self._numbers(self.metrics, cells), self._numbers(_SECONDS, cells)
        if found["objective"] != metrics[self.objective]:
            raise ValueError(f"objective: found another number than that of {self.objective}")
        return Trial(int(number), point, found, metrics, seconds)

    def _point(self, number: int, cells: Mapping[str, str]) -> Point:
        point = Point()
        for key, span in self.space.items():
            try:
                value = parse(cells[key], key).value
            except ConfigError:
                raise ValueError(f"{key}: found {cells[key]!r}; expected a value") from None
            current = self.start[key]
            of_start = value == current and type(value) is type(current)
            if not (holds(span, value, current) if number else of_start):
                expected = f"one of {inline(span.mapping())}" if number else inline(current)
                raise ValueError(f"{key}: found {cells[key]!r}; expected {expected}")
            point[key] = value
        return point

    def _scores(self, cells: Mapping[str, str]) -> dict[str, float]:
        names = [name for name in _SCORES if name not in _COMPARED or cells[name]]
        if 0 < len([name for name in names if name in _COMPARED]) < len(_COMPARED):
            raise ValueError("difference and difference_se: expected both, or none of them")
        return self._numbers(names, cells)

    def _numbers(self, names: Iterable[str], cells: Mapping[str, str]) -> dict[str, float]:
        found = {}
        for name in names:
            try:
                number = float(cells[name])
            except ValueError:
                raise ValueError(f"{name}: found {cells[name]!r}; expected a number") from None
            is_signed, is_error = name == "difference", name.endswith("se") and name in _SCORES
            # One row has no standard error.
            is_valid = math.isnan(number) if is_error and self.n_held == 1 else number >= 0
            if not (is_valid or (is_signed and not math.isnan(number))) or math.isinf(number):
                raise ValueError(f"{name}: found {cells[name]!r}, which no trial can come to")
            found[name] = number
        return found

    def _require_empty(self, cells: Mapping[str, str]) -> None:
        for name in (*_SCORES, *self.metrics, *_SECONDS):
            if cells[name]:
                raise ValueError(f"{name}: found {cells[name]!r} of a trial that failed")
        if not cells["error"]:
            raise ValueError("error: is empty of a trial that failed")

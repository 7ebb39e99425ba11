"""Choosing rows of the result table: conditions on their values, and their order."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Self

from xcbench.config.problems import suggestion
from xcbench.config.yaml import parse
from xcbench.errors import ConfigError
from xcbench.report.rows import Row
from xcbench.report.task_table import METRICS

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION = re.compile(r"\s*([^=<>!]+?)\s*(!=|>=|<=|=|>|<)(.*)", re.DOTALL)
_RANKING_METRIC = re.compile(r"(P|nDCG|PSP|PSnDCG)@\d+")


@dataclass(frozen=True)
class Filter:
    """Lets a row through when its dataset, method and status are wanted and all conditions hold.

    ``methods`` are labels or patterns of them (``rxml*``); an empty tuple, or None, asks nothing.
    """

    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    status: str | None = None
    conditions: tuple[Condition, ...] = ()

    def __call__(self, row: Row) -> bool:
        """Whether a row is wanted."""
        return (
            (not self.datasets or row["dataset"] in self.datasets)
            and (not self.methods or any(fnmatchcase(str(row["method"]), m) for m in self.methods))
            and self.status in (None, row["status"])
            and all(condition(row) for condition in self.conditions)
        )


@dataclass(frozen=True)
class Condition:
    """``KEY=VALUE``, or with ``!=``, ``>=``, ``<=``, ``>`` or ``<``.

    A text of the row is compared with the value as it stands (so by the alphabet), anything else
    with what the value is in YAML. A row without the key is only ever equal to an empty value.
    """

    key: str
    operator: str
    text: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a condition.

        Raises
        ------
        ConfigError
            It has no operator or no key.
        """
        found = _CONDITION.fullmatch(text)
        if found is None:
            raise ConfigError(
                f"--where {text}: expected KEY=VALUE, as in method.rank=50, or P@1>=60"
            )
        return cls(found[1], found[2], found[3].strip())

    def __call__(self, row: Row) -> bool:
        """Whether it holds for a row."""
        found = row.get(self.key)
        if _is_missing(found):
            return self.operator in ("=", "!=") and _OPERATORS[self.operator]("", self.text)
        wanted: Any = self.text if isinstance(found, str) else _value(self.text)
        if _are_numbers(found, wanted) or type(found) is type(wanted):
            try:
                return _OPERATORS[self.operator](found, wanted)
            except TypeError:  # Two lists of different things have no order.
                return False
        return self.operator == "!="


def check_keys(option: str, keys: Iterable[str], known: Collection[str]) -> None:
    """Refuse keys that no row has.

    Raises
    ------
    ConfigError
        The first of them, with the nearest known one.
    """
    for key in keys:
        if key not in known:
            hint = suggestion(key, known) or (
                "; expected a column of results.csv, or a config key such as method.rank"
            )
            raise ConfigError(f"{option}: unknown column {key!r}{hint}")


def in_order_of(column: str, rows: Iterable[Row]) -> list[Row]:
    """Rows by a column: metrics best first, anything else ascending; those without it last."""
    having: list[Row] = []
    lacking: list[Row] = []
    for row in rows:
        (lacking if _is_missing(row.get(column)) else having).append(row)
    return [
        *sorted(having, key=lambda row: _rank(row[column]), reverse=_is_best_high(column)),
        *lacking,
    ]


def columns_of(rows: Sequence[Row], promised: Sequence[str]) -> list[str]:
    """The promised columns, and after them what else the rows have, by the alphabet."""
    others = {key for row in rows for key in row}.difference(promised)
    return [*promised, *sorted(others)]


def _is_best_high(column: str) -> bool:
    if column in METRICS:
        return METRICS[column].better == "higher"
    return _RANKING_METRIC.fullmatch(column) is not None


def _rank(value: Any) -> tuple[bool, float, str]:
    """Numbers before texts."""
    if isinstance(value, (int, float)):
        return False, value, ""
    return True, 0.0, str(value)


def _value(text: str) -> Any:
    try:
        return parse(text, text).value
    except ConfigError:
        return text


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))

"""The ``tune:`` block of a config: which settings `xcbench tune` chooses, and among which values.

tune:
  rank: [50, 100, 200]
  regression.ridge: {low: 0.5, high: 8, log: true}
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ValidationError, model_validator

from xcbench.config.base import Settings
from xcbench.config.changes import flat
from xcbench.config.problems import (
    Problem,
    has_key,
    inner_model,
    problems_of,
    shown,
    unknown_key,
)
from xcbench.config.resolve import resolve_method
from xcbench.config.schema import MethodConfig
from xcbench.config.sweep import put
from xcbench.config.tasks import TaskSchema
from xcbench.config.yaml import KeyPath

MOST_CHOICES = 1000


@dataclass(frozen=True)
class Choices:
    """One of some values."""

    values: tuple[Any, ...]

    def mapping(self) -> list[Any]:
        """As a config has it."""
        return list(self.values)

    def bounds(self) -> tuple[Any, ...]:
        """The values that tell whether a method takes them all."""
        return self.values


class Range(Settings):
    """A number between two, ends included; ``log``: one between their logarithms."""

    low: int | float
    high: int | float
    log: bool = False

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low is {self.low} and high {self.high}; expected low below high")
        if self.log and self.low <= 0:
            raise ValueError(f"low is {self.low}; expected more than 0 where log is true")
        return self

    def mapping(self) -> dict[str, Any]:
        """As a config has it."""
        return self.model_dump()

    def bounds(self) -> tuple[Any, ...]:
        """The values that tell whether a method takes them all."""
        return (self.low, self.high)


Space = dict[str, Choices | Range]


def has_value(model: type[BaseModel], key: str) -> bool:
    """Whether a method of this model has a value, not settings of its own, under a dotted key."""
    return has_key(model, key) and stage_at(model, key) is None


def stage_at(model: type[BaseModel], key: str) -> type[BaseModel] | None:
    """The settings that a method of this model has under a dotted key, if that is what it has."""
    inner: type[BaseModel] | None = model
    for part in key.split("."):
        inner = inner_model(inner, part)
    return inner


def resolve_space(
    given: Any,
    entries: list[tuple[KeyPath, Any]],
    schema: TaskSchema,
    problems: list[Problem],
) -> Space:
    """The search space of a config, checked against its methods; defects go to ``problems``.

    Parameters
    ----------
    given : mapping or None
        Dotted method keys, and a list of values or a mapping of low, high and log for each. A
        stage's name and a list of words is short for its kind.
    entries : list of (path, value)
        The methods as the file has them. A method without a key keeps out of it; a key that no
        method has is a problem.
    schema : TaskSchema
    """
    if given is None:
        return {}
    if not isinstance(given, dict):
        problems.append(Problem(("tune",), f"found {shown(given)}; expected a mapping"))
        return {}
    methods = _resolved(entries, schema)
    models = {type(method.settings) for _, method in methods} or set(schema.models.values())
    known = sorted({key for model in models for key in flat(model().model_dump())} - {"model"})
    space: Space = {}
    for written, value in given.items():
        path = ("tune", written)
        key = _key(written, value, path, models, known, problems)
        if key in space:
            problems.append(Problem(path, f"{key} is given twice"))
        elif key is not None and (span := _span(value, path, problems)) is not None:
            space[key] = span
            refused = _refused(key, span, methods, schema)
            problems.extend(Problem(path, message) for message in refused)
    return space


def _key(
    written: str,
    value: Any,
    path: KeyPath,
    models: Iterable[type[BaseModel]],
    known: Sequence[str],
    problems: list[Problem],
) -> str | None:
    """The key of the value that is meant: of a stage with words its kind."""
    having = [model for model in models if has_key(model, written)]
    if not having:
        problems.append(Problem(path, unknown_key(written, known)))
        return None
    stages = [stage for model in having if (stage := stage_at(model, written)) is not None]
    if len(stages) < len(having):  # A method that has a stage of this name keeps out of it.
        return written
    kind = f"{written}.kind"
    has_kind = any("kind" in stage.model_fields for stage in stages)
    if has_kind and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return kind
    keys = dict.fromkeys(f"{written}.{key}" for stage in stages for key in stage.model_fields)
    message = f"holds settings of its own; expected one of {', '.join(keys)}"
    problems.append(Problem(path, message))
    return None


def _resolved(
    entries: list[tuple[KeyPath, Any]], schema: TaskSchema
) -> list[tuple[dict[str, Any], MethodConfig]]:
    """The methods that can be read; what is wrong with the others was said."""
    found = []
    for path, value in entries:
        raw = {"preset": value} if isinstance(value, str) else value
        method = resolve_method(raw, path, schema, [])
        if method is not None:
            found.append((raw, method))
    return found


def _span(value: Any, path: KeyPath, problems: list[Problem]) -> Choices | Range | None:
    if isinstance(value, Mapping):
        try:
            return Range.model_validate(value)
        except ValidationError as error:
            problems.extend(problems_of(error, Range, path))
            return None
    if not isinstance(value, list) or not value:
        expected = "a list of values, or {low: ..., high: ..., log: true}"
        problems.append(Problem(path, f"found {shown(value)}; expected {expected}"))
        return None
    if len(value) > MOST_CHOICES:
        message = f"gives {len(value)} values; expected at most {MOST_CHOICES}"
        problems.append(Problem(path, message))
        return None
    distinct: list[Any] = []
    for one in value:
        if one in distinct:
            problems.append(Problem(path, f"the value {shown(one)} is given twice"))
            return None
        distinct.append(one)
    return Choices(tuple(distinct))


def _refused(
    key: str,
    span: Choices | Range,
    methods: list[tuple[dict[str, Any], MethodConfig]],
    schema: TaskSchema,
) -> list[str]:
    """What the methods that have the key say of the values."""
    messages: dict[str, None] = {}
    for raw, method in methods:
        if not has_value(type(method.settings), key):
            continue
        for value in span.bounds():
            entry, found = copy.deepcopy(raw), list[Problem]()
            put(entry, key, value)
            resolve_method(entry, (), schema, found)
            messages |= dict.fromkeys(problem.message for problem in found)
    return list(messages)

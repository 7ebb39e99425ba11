"""The methods of a config, each at every point of the sweep's grid."""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from xcbench.config.base import Settings
from xcbench.config.changes import flat
from xcbench.config.problems import Problem, has_key, shown, unknown_key
from xcbench.config.resolve import resolve_method
from xcbench.config.schema import MethodConfig
from xcbench.config.tasks import TaskSchema
from xcbench.config.yaml import KeyPath

LONGEST_LABEL = 80
MOST_JOBS = 10_000  # a grid of a few long lists would fill the memory before anything is said


def too_many() -> str:
    """What is expected instead of more jobs than anyone would wait for."""
    return f"expected a config of at most {MOST_JOBS} jobs"


def resolve_methods(
    entries: list[tuple[KeyPath, Any]], sweep: Any, schema: TaskSchema, problems: list[Problem]
) -> tuple[MethodConfig, ...]:
    """Every method of a config in full, expanded over the sweep; defects go to ``problems``.

    Parameters
    ----------
    entries : list of (path, value)
        What the file says under ``method:`` or ``methods:``.
    sweep : mapping or None
        Dotted method keys and the values each one takes. A method that has no such key keeps out
        of that axis; a key that no method has is a problem.
    schema : TaskSchema
        Of the config's task.
    """
    plain: list[tuple[KeyPath, dict[str, Any], MethodConfig]] = []
    for path, value in entries:
        raw = {"preset": value} if isinstance(value, str) else value
        method = resolve_method(raw, path, schema, problems)
        if method is not None:
            plain.append((path, raw, method))
    axes = _axes(sweep, [method for _, _, method in plain], schema, problems)
    if (size := sum(_grid_size(base, axes) for _, _, base in plain)) > MOST_JOBS:
        problems.append(Problem(("sweep",), f"gives {size} methods; {too_many()}"))
        return ()
    methods: dict[str, MethodConfig] = {}
    for path, raw, base in plain:
        for method in _expanded(raw, path, base, axes, schema, problems):
            if method.label in methods:
                problems.append(
                    Problem(path, f"the label {method.label!r} is taken; give this method another")
                )
            methods[method.label] = method
    return tuple(methods.values())


def _axes(
    sweep: Any, methods: list[MethodConfig], schema: TaskSchema, problems: list[Problem]
) -> dict[str, list[Any]]:
    """The sweep's keys and values, checked: lists of distinct values, keys some method has."""
    if sweep is None:
        return {}
    if not isinstance(sweep, dict):
        problems.append(Problem(("sweep",), f"found {shown(sweep)}; expected a mapping"))
        return {}
    axes: dict[str, list[Any]] = {}
    models: set[type[Settings]] = {type(method.settings) for method in methods}
    models = models or set(schema.models.values())
    known = sorted({key for model in models for key in flat(model().model_dump())} - {"model"})
    for key, values in sweep.items():
        if not isinstance(values, list) or not values:
            message = f"found {shown(values)}; expected a list of values"
            problems.append(Problem(("sweep", key), message))
        elif len(values) > MOST_JOBS:
            problems.append(Problem(("sweep", key), f"gives {len(values)} values; {too_many()}"))
        elif not any(has_key(model, key) for model in models):
            problems.append(Problem(("sweep", key), unknown_key(key, known)))
        else:
            axes[key] = _distinct(values, ("sweep", key), problems)
    return axes


def _distinct(values: list[Any], path: KeyPath, problems: list[Problem]) -> list[Any]:
    """The values once each, so that what else is wrong with them is said once."""
    distinct: list[Any] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
            continue
        problem = Problem(path, f"the value {shown(value)} is given twice")
        if problem not in problems:
            problems.append(problem)
    return distinct


def _keys_of(method: MethodConfig, axes: Mapping[str, list[Any]]) -> list[str]:
    """The keys of the grid that this method has."""
    return [key for key in axes if has_key(type(method.settings), key)]


def _grid_size(method: MethodConfig, axes: Mapping[str, list[Any]]) -> int:
    return math.prod(len(axes[key]) for key in _keys_of(method, axes))


def _expanded(
    raw: dict[str, Any],
    path: KeyPath,
    base: MethodConfig,
    axes: Mapping[str, list[Any]],
    schema: TaskSchema,
    problems: list[Problem],
) -> Iterator[MethodConfig]:
    """The method at every point of the grid, labelled by where it stands."""
    keys = _keys_of(base, axes)
    for values in itertools.product(*(axes[key] for key in keys)):
        entry = copy.deepcopy(raw)
        for key, value in zip(keys, values, strict=True):
            put(entry, key, value)
        if keys:
            suffix = "-".join(f"{key}{worded(v)}" for key, v in zip(keys, values, strict=True))
            entry["label"] = f"{base.label}-{suffix}"[:LONGEST_LABEL]
        found: list[Problem] = []
        method = resolve_method(entry, path, schema, found)
        for problem in found:
            relocated = _in_sweep(problem, path, keys)
            if relocated not in problems:
                problems.append(relocated)
        if method is not None:
            yield method


def put(entry: dict[str, Any], key: str, value: Any) -> None:
    """Write a value under its dotted key into a method as a file has it."""
    *parents, last = key.split(".")
    for parent in parents:
        below = entry.get(parent)
        entry[parent] = {"kind": below} if isinstance(below, str) else (below or {})
        entry = entry[parent]
    entry[last] = value


def worded(value: Any) -> str:
    """A swept value as a label states it."""
    return re.sub(r"[^A-Za-z0-9._+=-]+", "_", str(value)).strip("_")


def _in_sweep(problem: Problem, path: KeyPath, keys: list[str]) -> Problem:
    """A defect of a swept value belongs to the sweep, where the person wrote it."""
    inside = ".".join(str(part) for part in problem.path[len(path) :])
    for key in keys:
        if inside == key or inside.startswith(key + "."):
            return Problem(("sweep", key), problem.message)
    return problem

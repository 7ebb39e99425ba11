"""From a config file and ``--set`` overrides to a Config, or every defect at once."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from xcbench.config.overrides import Override, apply_override, parse_override
from xcbench.config.problems import (
    Problem,
    dotted,
    inner_model,
    problems_of,
    shown,
    unknown,
    unknown_key,
)
from xcbench.config.schema import Config, ConfigBody
from xcbench.config.sweep import MOST_JOBS, resolve_methods, too_many
from xcbench.config.tasks import SCHEMAS, XC, TaskSchema, body_of
from xcbench.config.tuning import resolve_space
from xcbench.config.yaml import Document, KeyPath, all_at_once, parse, printable
from xcbench.errors import ConfigError

_OUTSIDE_BODY = ("method", "methods", "sweep", "tune")
_LARGEST_FILE = 1 << 18  # what is larger is a data file named by mistake, or a device


def load_config(path: Path, overrides: Sequence[str] = ()) -> Config:
    """Read one config file and apply ``--set`` overrides on top.

    Raises
    ------
    ConfigError
        One line a defect: file, line, path in the file, what was found, what was expected.
    """
    return load_document(parse(_text(path), str(path)), str(path), overrides)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    if len(content) > _LARGEST_FILE:
        raise ConfigError(f"{path}: is larger than {_LARGEST_FILE} bytes; expected a config")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"found the byte 0x{content[error.start]:02x}; expected UTF-8 text"
        raise ConfigError(f"{path}:{line}: {found}") from None


def load_document(document: Document, source: str, overrides: Sequence[str] = ()) -> Config:
    """Validate a parsed config; see ``load_config``."""
    if not isinstance(document.value, dict):
        raise ConfigError(f"{source}: holds {shown(document.value)}; expected a mapping")
    raw = copy.deepcopy(document.value)
    origins = _apply(raw, [parse_override(text) for text in overrides])
    problems: list[Problem] = []
    schema = _schema(raw, problems)
    if problems:  # Of what kind everything else is to be, nobody knows.
        where = _Places(source, document.lines, origins)
        raise all_at_once([where.line(problem) for problem in problems], source)
    body = _body(raw, schema, problems)
    entries = _method_entries(raw, problems)
    methods = resolve_methods(entries, raw.get("sweep"), schema, problems)
    space = resolve_space(raw.get("tune"), entries, schema, problems)
    if body is not None:
        problems.extend(_too_many_jobs(body, len(methods)))
    if problems or body is None:
        where = _Places(source, document.lines, origins)
        lines = [where.line(problem) for problem in where.ordered(problems)]
        raise all_at_once(lines, source)
    return Config(body, methods, space)


def _too_many_jobs(body: ConfigBody, n_methods: int) -> list[Problem]:
    n_splits, n_seeds = len(body.splits), len(body.seeds or (body.seed,))
    n_sets, n_tasks = len(body.datasets or (body.dataset,)), len(body.task.each())
    if n_sets * n_tasks * n_splits * n_seeds * n_methods <= MOST_JOBS:
        return []
    listed = [key for key, value in body.task if isinstance(value, tuple) and len(value) > 1]
    tasks = f" with {n_tasks} values of task.{' and task.'.join(listed)}" if listed else ""
    seeds = f" from {n_seeds} seeds" if n_seeds > 1 else ""
    sets = f" on {n_sets} datasets" if n_sets > 1 else ""
    message = f"{n_splits} splits of {n_methods} methods{sets}{tasks}{seeds}; {too_many()}"
    counts: dict[KeyPath, int] = {
        ("splits",): n_splits,
        ("seeds",): n_seeds,
        ("datasets",): n_sets,
        ("task", *listed[:1]): n_tasks,
    }
    return [Problem(max(counts, key=lambda path: counts[path]), message)]


def _apply(raw: dict[str, Any], overrides: list[Override]) -> dict[KeyPath, str]:
    """Apply the overrides in their order; which one wrote which path."""
    origins: dict[KeyPath, str] = {}
    for override in overrides:
        for path in apply_override(raw, override):
            below = [written for written in origins if written[: len(path)] == path]
            for written in below:  # What was written there is replaced.
                del origins[written]
            origins[path] = f"--set {override.text}"
    return origins


def _schema(raw: dict[str, Any], problems: list[Problem]) -> TaskSchema:
    """What the config's kind of task takes."""
    task = raw.get("task", XC.kind)
    if isinstance(task, dict) and "kind" not in task:
        problems.append(Problem(("task", "kind"), "is missing"))
        return XC
    kind = task["kind"] if isinstance(task, dict) else task
    if isinstance(kind, str) and kind in SCHEMAS:
        return SCHEMAS[kind]
    path = ("task", "kind") if isinstance(task, dict) else ("task",)
    problems.append(Problem(path, unknown(kind, SCHEMAS)))
    return XC


def _body(raw: dict[str, Any], schema: TaskSchema, problems: list[Problem]) -> ConfigBody | None:
    given = {key: value for key, value in raw.items() if key not in _OUTSIDE_BODY}
    model, before = body_of(schema.kind), len(problems)
    problems.extend(_alternatives(given, schema))
    try:
        body = model.model_validate(given)
        return body if len(problems) == before else None
    except ValidationError as error:
        for problem in problems_of(error, model, ()):
            key = problem.path[0] if len(problem.path) == 1 else ""
            if key == "dataset" or (problem.path[:1] == ("datasets",) and len(problem.path) == 2):
                found = _at(given, problem.path)
                problems.append(Problem(problem.path, problem.message + _name_hint(found)))
            elif key in model.model_fields or not key:
                problems.append(problem)
            else:
                problems.append(Problem(problem.path, _misplaced(str(key), schema)))
        return None


def _at(given: Any, path: KeyPath) -> Any:
    for part in path:
        given = given[part]
    return given


def _alternatives(given: dict[str, Any], schema: TaskSchema) -> list[Problem]:
    """Keys that exclude each other, that nothing stands in for, or that this task has not."""
    found = []
    if "seed" in given and "seeds" in given:
        found.append(Problem(("seeds",), "give either seed or seeds, not both"))
    if "dataset" in given and "datasets" in given:
        found.append(Problem(("datasets",), "give either dataset or datasets, not both"))
    elif "dataset" not in given and "datasets" not in given:
        found.append(Problem(("dataset",), "is missing"))
    for key in ("dataset", "datasets"):
        if key in given and given[key] is None:
            expected = "a mapping" if key == "dataset" else "a list of mappings"
            found.append(Problem((key,), f"found nothing; expected {expected}"))
    if schema is not XC:
        found += [
            Problem((key,), f"task {schema.kind} has no {key}; they are of task {XC.kind}")
            for key in ("splits", "metrics")
            if key in given
        ]
    return found


def _name_hint(dataset: Any) -> str:
    """A dataset given as a word is most likely its name."""
    is_word = isinstance(dataset, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", dataset)
    return f"; did you mean {{name: {dataset}}}?" if is_word else ""


def _misplaced(key: str, schema: TaskSchema) -> str:
    """An unknown key at the top is mistyped, or belongs one level down."""
    body = body_of(schema.kind)
    homes: dict[str, type[BaseModel]] = {f"method ({n})": m for n, m in schema.models.items()}
    for name in body.model_fields:
        if (inner := inner_model(body, name)) is not None:
            homes.setdefault(name, inner)
    for home, model in homes.items():
        if key in model.model_fields:
            return f"unknown key {shown(key)} at the top; it belongs to {home.split()[0]}"
    return unknown_key(key, [*body.model_fields, *_OUTSIDE_BODY])


def _method_entries(raw: dict[str, Any], problems: list[Problem]) -> list[tuple[KeyPath, Any]]:
    if "method" in raw and "methods" in raw:
        problems.append(Problem(("method",), "give either method or methods, not both"))
    elif "method" in raw:
        return [(("method",), raw["method"])]
    elif "methods" not in raw:
        problems.append(Problem(("methods",), "is missing"))
    elif not isinstance(raw["methods"], list) or not raw["methods"]:
        found = shown(raw["methods"])
        problems.append(Problem(("methods",), f"found {found}; expected a list of methods"))
    else:
        return [(("methods", i), entry) for i, entry in enumerate(raw["methods"])]
    return []


class _Places:
    """Where a path of the config was written: a line of the file, or a ``--set``."""

    def __init__(self, source: str, lines: dict[KeyPath, int], origins: dict[KeyPath, str]) -> None:
        self._source = source
        self._lines = lines
        self._origins = origins

    def line(self, problem: Problem) -> str:
        place, path = self._place(problem.path)[1], printable(dotted(problem.path))
        return f"{place}: {path}: {problem.message}"

    def ordered(self, problems: list[Problem]) -> list[Problem]:
        """The command line's first, then as the file runs."""
        return sorted(problems, key=lambda problem: self._place(problem.path)[0])

    def _place(self, path: KeyPath) -> tuple[int, str]:
        for written, origin in self._origins.items():
            if written[: len(path)] == path:
                return 0, origin
        parents = [path[:length] for length in range(len(path), 0, -1)]
        # First: the file's lines of what is below an override are of what it replaced.
        for parent in parents:
            if parent in self._origins:
                return 0, self._origins[parent]
        for parent in parents:
            if parent in self._lines:
                line = self._lines[parent]
                return line, f"{self._source}:{line}"
        return 0, self._source

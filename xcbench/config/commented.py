"""Writes a config with every key, its value, what it does and what values it takes.

The words are the descriptions of the settings' fields; the bounds are those of their types.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from xcbench.config.base import Settings
from xcbench.config.dataset import DatasetConfig, MetricsConfig
from xcbench.config.problems import inner_model
from xcbench.config.schema import ConfigBody, MethodConfig
from xcbench.config.yaml import dump, inline

_WIDTH = 100


def commented(
    dataset: DatasetConfig,
    methods: Sequence[MethodConfig],
    notes: Sequence[str] = (),
    about_data: Sequence[str] = (),
    more: str = "",
    k: tuple[int, ...] = MetricsConfig().k,
) -> str:
    """The text of a config.

    Parameters
    ----------
    dataset : DatasetConfig
    methods : sequence of MethodConfig
        Presets, or presets with changes.
    notes, about_data : sequence of str
        Comments at the top, and above the dataset.
    more : str
        YAML that is added at the end, commented out.
    k : tuple of int
        Where the metrics cut lists.
    """
    body = ConfigBody(dataset=dataset, metrics=MetricsConfig(k=k))
    sections = [
        _comments(notes),
        [*_comments(about_data), "dataset:", *_settings(dataset, 1, leave_out=True)],
        _methods(methods),
        [*_key(body, "seed", 0), *_key(body, "splits", 0)],
        [*_about(ConfigBody, "metrics", 0), "metrics:", *_settings(body.metrics, 1)],
        [*_about(ConfigBody, "executor", 0), "executor:", *_settings(body.executor, 1)],
        [f"# {line}".rstrip() for line in more.splitlines()],
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def values_taken(model: type[BaseModel], key: str) -> str:
    """What values a field takes, in words; nothing for a field that holds settings."""
    if inner_model(model, key) is not None:
        return ""
    return _worded(model.model_json_schema()["properties"][key])


def _methods(methods: Sequence[MethodConfig]) -> list[str]:
    if len(methods) == 1:
        return ["method:", *_method(methods[0], 1)]
    lines = ["methods:"]
    for method in methods:
        first, *rest = _method(method, 2)
        lines += [f"  - {first.strip()}", *rest]
    return lines


def _method(method: MethodConfig, depth: int) -> list[str]:
    indent = "  " * depth
    lines = [f"{indent}preset: {method.preset}"] if method.preset else []
    if method.label != method.preset:
        lines.append(f"{indent}label: {method.label}")
    return [*lines, *_settings(method.settings, depth)]


def _settings(settings: Settings, depth: int, leave_out: bool = False) -> list[str]:
    """Every key of some settings; with ``leave_out`` those without a value as comments."""
    lines: list[str] = []
    for key, field in type(settings).model_fields.items():
        is_empty = getattr(settings, key) is None
        if is_empty and field.examples:
            example = {key: field.examples[0]}
            text = dump(example).splitlines() if depth else []
            lines += _about(type(settings), key, depth)
            lines += ["  " * depth + f"# {line}" for line in text]
        elif not (is_empty and leave_out):
            lines += _key(settings, key, depth)
    return lines


def _key(settings: Settings, key: str, depth: int) -> list[str]:
    value, indent = getattr(settings, key), "  " * depth
    about = _about(type(settings), key, depth)
    if isinstance(value, Settings):
        return [*about, f"{indent}{key}:", *_settings(value, depth + 1)]
    plain = settings.model_dump(mode="json", include={key})[key]
    return [*about, f"{indent}{key}: {inline(plain)}"]


def _about(model: type[BaseModel], key: str, depth: int) -> list[str]:
    described = model.model_fields[key].description or ""
    taken = values_taken(model, key)
    return _comments([f"{described} [{taken}]" if taken else described], depth)


def _comments(notes: Sequence[str], depth: int = 0) -> list[str]:
    start = "  " * depth + "# "
    lines: list[str] = []
    for note in notes:
        lines += textwrap.wrap(
            note, _WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
        )
    return lines


def _worded(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        parts = [
            part
            for part in schema["anyOf"]
            if not (part.get("type") == "null" and "examples" in schema)
        ]
        return " or ".join(_worded(part) for part in parts)
    if "enum" in schema or "const" in schema:
        return " | ".join(str(word) for word in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "")
    if kind == "array":
        return f"list of {_worded(schema['items'])}"
    names = {"integer": "whole number", "boolean": "true | false", "string": "text"}
    found: str = names.get(kind, kind) + ",".join(_bounds(schema))
    return found


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    words = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    for key, word in words.items():
        if key in schema and schema[key] < 2**63 - 1:
            yield f" {word} {schema[key]:g}"

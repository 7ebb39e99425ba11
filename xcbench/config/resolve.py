"""A method in full: its preset, with what the config changes merged in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from xcbench.config.base import Settings
from xcbench.config.problems import (
    Problem,
    problems_of,
    shown,
    unknown,
    unknown_key,
)
from xcbench.config.schema import MethodConfig
from xcbench.config.tasks import ALL_MODELS, ALL_PRESETS, SCHEMAS, TaskSchema
from xcbench.config.yaml import KeyPath

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,79}")


def resolve_method(
    raw: Any, path: KeyPath, schema: TaskSchema, problems: list[Problem]
) -> MethodConfig | None:
    """One method of a task in full, or None and what is wrong with it."""
    if not isinstance(raw, dict):
        problems.append(
            Problem(path, f"found {shown(raw)}; expected the name of a preset or a mapping")
        )
        return None
    given = dict(raw)
    preset, label = given.pop("preset", None), given.pop("label", None)
    base = _preset(preset, path, schema, problems)
    if base is None:
        return None
    if "model" in given and given["model"] != base.get("model", given["model"]):
        message = f"preset {preset!r} is a {base['model']} model; leave model out, or the preset"
        problems.append(Problem((*path, "model"), message))
        return None
    merged = merge(base, given)
    if "model" not in merged:
        problems.extend(_without_model(given, path, schema))
        return None
    if not isinstance(merged["model"], str) or merged["model"] not in schema.models:
        message = _foreign(merged["model"], "model", schema) or unknown(
            merged["model"], schema.models
        )
        problems.append(Problem((*path, "model"), message))
        return None
    label = label if label is not None else preset if preset is not None else merged["model"]
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        message = "expected an ASCII letter or digit, then these and . _ + = -, at most 80 of them"
        problems.append(Problem((*path, "label"), f"found {shown(label)}; {message}"))
        # Goes on for what else is wrong, under a label that no second invalid one shares.
        label = "-".join(("invalid", *map(str, path)))
    settings = schema.models[merged["model"]]
    try:
        return MethodConfig(label, preset, settings.model_validate(merged))
    except ValidationError as error:
        problems.extend(_with_head_keys(problems_of(error, settings, path), path, settings))
        return None


def model_of(raw: Any) -> type[Settings] | None:
    """The model of a method as written, or None when that is a mistake."""
    given = {"preset": raw} if isinstance(raw, str) else raw
    if not isinstance(given, dict):
        return None
    preset, model = given.get("preset"), given.get("model")
    if isinstance(preset, str) and preset in ALL_PRESETS:
        model = ALL_PRESETS[preset]["model"]
    return ALL_MODELS.get(model) if isinstance(model, str) else None


def _without_model(given: Mapping[str, Any], path: KeyPath, schema: TaskSchema) -> list[Problem]:
    """Neither preset nor model is there: perhaps one is mistyped."""
    known = {"preset", "label"}.union(*(model.model_fields for model in schema.models.values()))
    unknown_keys = [key for key in given if key not in known]
    choice = f"give a preset ({', '.join(schema.presets)}) or a model ({', '.join(schema.models)})"
    return [
        Problem((*path, key), unknown_key(key, ["preset", "model"])) for key in unknown_keys
    ] or [Problem(path, choice)]


def _with_head_keys(
    found: list[Problem], path: KeyPath, settings: type[BaseModel]
) -> list[Problem]:
    """Let ``perset`` and ``lable`` be recognised: preset and label are keys of a method too."""
    known = ["preset", "label", *settings.model_fields]
    return [
        Problem(each.path, unknown_key(str(each.path[-1]), known))
        if len(each.path) == len(path) + 1 and each.path[-1] not in settings.model_fields
        else each
        for each in found
    ]


def _preset(
    preset: Any, path: KeyPath, schema: TaskSchema, problems: list[Problem]
) -> Mapping[str, Any] | None:
    if preset is None:
        return {}
    if isinstance(preset, str) and preset in schema.presets:
        return schema.presets[preset]
    message = _foreign(preset, "preset", schema) or unknown(preset, schema.presets)
    problems.append(Problem((*path, "preset"), message))
    return None


def _foreign(name: Any, what: Literal["preset", "model"], schema: TaskSchema) -> str:
    """What to say of a preset or model that belongs to other tasks; nothing for an unknown one."""
    homes = [
        other.kind
        for other in SCHEMAS.values()
        if isinstance(name, str) and name in (other.presets if what == "preset" else other.models)
    ]
    if not homes:
        return ""
    tasks = " and ".join(homes)
    return f"found {shown(name)}, a {what} of task {tasks}; the task here is {schema.kind}"


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``over`` on top of ``base``, key by key; a stage given as a word changes only its kind."""
    merged = dict(base)
    for key, value in over.items():
        below = base.get(key)
        if isinstance(below, Mapping) and isinstance(value, str):
            value = {"kind": value}
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = merge(below, value)
        merged[key] = value
    return merged

"""A method in full: its preset, with what the config changes merged in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from xcbench.config.methods import MethodSettings
from xcbench.config.presets import PRESETS
from xcbench.config.problems import (
    Problem,
    problems_of,
    shown,
    unknown,
    unknown_key,
)
from xcbench.config.schema import MethodConfig
from xcbench.config.yaml import KeyPath

MODELS: dict[str, type[MethodSettings]] = {
    settings.model_fields["model"].default: settings for settings in get_args(MethodSettings)
}
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,79}")


def resolve_method(raw: Any, path: KeyPath, problems: list[Problem]) -> MethodConfig | None:
    """One method in full, or None and what is wrong with it."""
    if not isinstance(raw, dict):
        problems.append(
            Problem(path, f"found {shown(raw)}; expected the name of a preset or a mapping")
        )
        return None
    given = dict(raw)
    preset, label = given.pop("preset", None), given.pop("label", None)
    base = _preset(preset, path, problems)
    if base is None:
        return None
    if "model" in given and given["model"] != base.get("model", given["model"]):
        message = f"preset {preset!r} is a {base['model']} model; leave model out, or the preset"
        problems.append(Problem((*path, "model"), message))
        return None
    merged = merge(base, given)
    if "model" not in merged:
        problems.extend(_without_model(given, path))
        return None
    if not isinstance(merged["model"], str) or merged["model"] not in MODELS:
        problems.append(Problem((*path, "model"), unknown(merged["model"], MODELS)))
        return None
    label = label if label is not None else preset if preset is not None else merged["model"]
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        message = "expected an ASCII letter or digit, then these and . _ + = -, at most 80 of them"
        problems.append(Problem((*path, "label"), f"found {shown(label)}; {message}"))
        # Goes on for what else is wrong, under a label that no second invalid one shares.
        label = "-".join(("invalid", *map(str, path)))
    settings = MODELS[merged["model"]]
    try:
        return MethodConfig(label, preset, settings.model_validate(merged))
    except ValidationError as error:
        problems.extend(_with_head_keys(problems_of(error, settings, path), path, settings))
        return None


def model_of(raw: Any) -> type[MethodSettings] | None:
    """The model of a method as written, or None when that is a mistake."""
    given = {"preset": raw} if isinstance(raw, str) else raw
    if not isinstance(given, dict):
        return None
    preset, model = given.get("preset"), given.get("model")
    if isinstance(preset, str) and preset in PRESETS:
        model = PRESETS[preset]["model"]
    return MODELS.get(model) if isinstance(model, str) else None


def _without_model(given: Mapping[str, Any], path: KeyPath) -> list[Problem]:
    """Neither preset nor model is there: perhaps one is mistyped."""
    known = {"preset", "label"}.union(*(model.model_fields for model in MODELS.values()))
    unknown_keys = [key for key in given if key not in known]
    choice = f"give a preset ({', '.join(PRESETS)}) or a model ({', '.join(MODELS)})"
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


def _preset(preset: Any, path: KeyPath, problems: list[Problem]) -> dict[str, Any] | None:
    if preset is None:
        return {}
    if isinstance(preset, str) and preset in PRESETS:
        return PRESETS[preset]
    problems.append(Problem((*path, "preset"), unknown(preset, PRESETS)))
    return None


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

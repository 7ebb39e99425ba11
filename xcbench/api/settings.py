"""From an estimator's parameters to the settings a config would give its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from xcbench.config.methods import MethodSettings
from xcbench.config.problems import Problem, dotted, unknown_key
from xcbench.config.resolve import merge, resolve_method
from xcbench.config.tasks import XC

_NOT_SETTINGS = ("preset", "model", "label")


def resolved(
    preset: str,
    parameters: Mapping[str, Any],
    keys: Mapping[str, str],
    settings: Mapping[str, Any] | None,
) -> MethodSettings:
    """The settings of a preset with parameters on top, and ``settings`` on top of both.

    Parameters
    ----------
    preset : str
        Of config/presets.py.
    parameters : mapping
        Values by the name of the parameter.
    keys : mapping
        The dotted key of the config each parameter stands for.
    settings : mapping or None
        Nested as in a config.

    Raises
    ------
    ValueError
        Names each parameter or key, what was found and what was expected or is near.
    """
    problems: list[Problem] = []
    method = None
    if settings is not None and not isinstance(settings, Mapping):
        raise ValueError(f"settings: found {settings!r}; expected a dict or None")
    raw = merge(_nested(parameters, keys), _plain(settings or {}))
    if foreign := [key for key in _NOT_SETTINGS if key in raw]:
        model = XC.models[XC.presets[preset]["model"]]
        known = [key for key in model.model_fields if key not in _NOT_SETTINGS]
        problems = [Problem((key,), unknown_key(key, known)) for key in foreign]
    else:
        method = resolve_method({**raw, "preset": preset}, (), XC, problems)
    if method is None or problems:
        parameter_of = {key: name for name, key in keys.items()}
        raise ValueError("\n".join(_worded(problem, parameter_of) for problem in problems))
    chosen: MethodSettings = method.settings
    return chosen


def _nested(parameters: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in parameters.items():
        *parents, last = keys[name].split(".")
        inner = nested
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[last] = _plain(value)
    return nested


def _plain(value: Any) -> Any:
    """Without numpy's numbers, which grids are made of and settings refuse."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(inner) for inner in value]
    return value


def _worded(problem: Problem, parameter_of: Mapping[str, str]) -> str:
    key = dotted(problem.path)
    return f"{parameter_of.get(key, f'settings.{key}')}: {problem.message}"

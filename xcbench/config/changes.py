"""What sets a method or a job apart from its preset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xcbench.config.dataset import MetricsConfig
from xcbench.config.schema import JobConfig, MethodConfig
from xcbench.config.tasks import ALL_PRESETS


def flat(mapping: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as dotted keys."""
    found: dict[str, Any] = {}
    for key, value in mapping.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def changed_settings(method: MethodConfig) -> dict[str, Any]:
    """Dotted keys whose values differ from the method's preset (or its model's defaults)."""
    settings = type(method.settings)
    preset = settings.model_validate(ALL_PRESETS[method.preset] if method.preset else {})
    defaults = flat(preset.model_dump())
    given = flat(method.settings.model_dump())
    return {key: value for key, value in given.items() if value != defaults[key]}


def changed(job: JobConfig) -> dict[str, Any]:
    """What sets a job apart from its dataset and preset, as ``--set`` keys.

    Label, seed, split and cut-offs are left out: a result states them itself.
    """
    dataset = flat(job.dataset.model_dump(exclude={"name", "train", "test"}, exclude_none=True))
    defaults = {key: f.default for key, f in type(job.dataset).model_fields.items()}
    differing = {f"dataset.{k}": v for k, v in dataset.items() if v != defaults.get(k)}
    usual = flat(type(job.task)().model_dump())
    told = flat(job.task.model_dump()).items()
    differing |= {f"task.{k}": v for k, v in told if v != usual[k]}
    if job.metrics.psndcg != MetricsConfig().psndcg:
        differing["metrics.psndcg"] = job.metrics.psndcg
    return differing | {f"method.{k}": v for k, v in changed_settings(job.method).items()}

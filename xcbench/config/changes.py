"""What sets a method or a job apart from its preset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xcbench.config.presets import PRESETS
from xcbench.config.schema import DatasetConfig, JobConfig, MethodConfig, MetricsConfig


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
    preset = settings.model_validate(PRESETS[method.preset] if method.preset else {})
    defaults = flat(preset.model_dump())
    given = flat(method.settings.model_dump())
    return {key: value for key, value in given.items() if value != defaults[key]}


def changed(job: JobConfig) -> dict[str, Any]:
    """What sets a job apart from its dataset and preset, as ``--set`` keys.

    Label, seed, split and cut-offs are left out: a result states them itself.
    """
    dataset = flat(job.dataset.model_dump(exclude={"name", "train", "test"}, exclude_none=True))
    defaults = flat(DatasetConfig(name="-").model_dump())
    differing = {f"dataset.{k}": v for k, v in dataset.items() if v != defaults.get(k)}
    if job.metrics.psndcg != MetricsConfig().psndcg:
        differing["metrics.psndcg"] = job.metrics.psndcg
    return differing | {f"method.{k}": v for k, v in changed_settings(job.method).items()}

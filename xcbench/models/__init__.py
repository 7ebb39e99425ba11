"""The estimators, and how to make or open one."""

from __future__ import annotations

import json
from pathlib import Path

from xcbench.config.methods import LocalEmbeddingSettings, MethodSettings
from xcbench.models.base import Executor, Model, Task
from xcbench.models.global_fixed_rank import GlobalFixedRank
from xcbench.models.local_embedding import LocalEmbedding

__all__ = [
    "Executor",
    "GlobalFixedRank",
    "LocalEmbedding",
    "Model",
    "Task",
    "load_model",
    "make_model",
]


def make_model(settings: MethodSettings, seed: int) -> Model:
    """An unfitted model of these settings."""
    if isinstance(settings, LocalEmbeddingSettings):
        return LocalEmbedding(settings, seed)
    return GlobalFixedRank(settings, seed)


def load_model(folder: Path) -> Model:
    """Open a saved model, memory-mapped."""
    kind = json.loads((folder / "model.json").read_text(encoding="utf-8"))["settings"]["model"]
    return (
        LocalEmbedding.load(folder) if kind == "local_embedding" else GlobalFixedRank.load(folder)
    )

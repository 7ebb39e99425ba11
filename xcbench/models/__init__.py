"""The estimators, and how to make or open one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from xcbench.config.methods import MethodSettings
from xcbench.models.base import Executor, Model, Task
from xcbench.models.baselines import FeatureNeighbours, OneVsRest
from xcbench.models.global_fixed_rank import GlobalFixedRank
from xcbench.models.local_embedding import LocalEmbedding
from xcbench.models.maxide import Maxide
from xcbench.models.peers import NapkinXC, Omikuji, Pecos

__all__ = [
    "Executor",
    "GlobalFixedRank",
    "LocalEmbedding",
    "Maxide",
    "Model",
    "Task",
    "load_model",
    "make_model",
]

# By the ``model`` of its settings; each is made of these settings and a seed.
_MODELS: dict[str, Any] = {
    "local_embedding": LocalEmbedding,
    "global": GlobalFixedRank,
    "one_vs_rest": OneVsRest,
    "feature_neighbours": FeatureNeighbours,
    "omikuji": Omikuji,
    "napkinxc": NapkinXC,
    "pecos": Pecos,
    "maxide": Maxide,
}


def make_model(settings: MethodSettings, seed: int) -> Model:
    """An unfitted model of these settings."""
    model: Model = _MODELS[settings.model](settings, seed)
    return model


def load_model(folder: Path) -> Model:
    """Open a saved model, memory-mapped."""
    kind = json.loads((folder / "model.json").read_text(encoding="utf-8"))["settings"]["model"]
    model: Model = _MODELS[kind].load(folder)
    return model

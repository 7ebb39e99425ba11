"""xcbench: re-run the extreme-classification benchmarks from one YAML config.

The names below are the Python interface; each is loaded when it is first used, so that the command
line starts without them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # The module typing takes longer to load than all of this.
if TYPE_CHECKING:
    from typing import Any

    from xcbench.api.estimators import (
        RXML,
        SLEEC,
        FeatureNeighbours,
        GlobalFixedRank,
        Maxide,
        OneVsRest,
    )
    from xcbench.api.metrics import (
        inverse_propensity,
        ndcg_at_k,
        precision_at_k,
        psndcg_at_k,
        psprecision_at_k,
        recall_at_k,
    )
    from xcbench.api.readers import load_dataset, load_model, load_xc, save_xc
    from xcbench.api.scorer import ranking_scorer
    from xcbench.data.dataset import Dataset, TopK
    from xcbench.inference.fitted import FittedModel

__version__ = "0.1.0"

__all__ = [
    "RXML",
    "SLEEC",
    "Dataset",
    "FeatureNeighbours",
    "FittedModel",
    "GlobalFixedRank",
    "Maxide",
    "OneVsRest",
    "TopK",
    "inverse_propensity",
    "load_dataset",
    "load_model",
    "load_xc",
    "ndcg_at_k",
    "precision_at_k",
    "psndcg_at_k",
    "psprecision_at_k",
    "ranking_scorer",
    "recall_at_k",
    "save_xc",
]

_ESTIMATORS = ("RXML", "SLEEC", "FeatureNeighbours", "GlobalFixedRank", "Maxide", "OneVsRest")
_READERS = ("load_dataset", "load_model", "load_xc", "save_xc")
_HOMES = {
    **dict.fromkeys(__all__, "xcbench.api.metrics"),
    **dict.fromkeys(_ESTIMATORS, "xcbench.api.estimators"),
    **dict.fromkeys(_READERS, "xcbench.api.readers"),
    **dict.fromkeys(("Dataset", "TopK"), "xcbench.data.dataset"),
    "FittedModel": "xcbench.inference.fitted",
    "ranking_scorer": "xcbench.api.scorer",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""The kinds of tasks: which settings, data and methods each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_args

from pydantic import create_model

from xcbench.config import (
    compressed_modes,
    functional_correspondence,
    matrix_completion,
    matrix_recovery,
    metric_learning,
    robust_embedding,
)
from xcbench.config.base import Distinct, Settings, Shorthand, TaskSettings
from xcbench.config.dataset import XCDataset, XCTask
from xcbench.config.methods import MethodSettings
from xcbench.config.presets import PRESETS
from xcbench.config.schema import ConfigBody

Models = Mapping[str, type[Settings]]
Presets = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TaskSchema:
    """What a config of one kind of task may hold.

    Attributes
    ----------
    task : type of TaskSettings
    dataset : type
        Of one dataset.
    models : mapping of str to type of Settings
        By the ``model`` of a method.
    presets : mapping
        Methods by name, as config/presets.py has them.
    """

    task: type[TaskSettings]
    dataset: Any
    models: Models
    presets: Presets

    @property
    def kind(self) -> str:
        return str(self.task.model_fields["kind"].default)


def by_model(*settings: type[Settings]) -> dict[str, type[Settings]]:
    """Settings classes by the name of their model."""
    return {str(each.model_fields["model"].default): each for each in settings}


XC = TaskSchema(XCTask, XCDataset, by_model(*get_args(MethodSettings)), PRESETS)
_OTHERS = (
    TaskSchema(
        metric_learning.MetricLearningTask,
        metric_learning.MetricLearningDataset,
        by_model(*get_args(metric_learning.MetricMethodSettings)),
        metric_learning.PRESETS,
    ),
    TaskSchema(
        compressed_modes.CompressedModesTask,
        compressed_modes.CompressedModesDataset,
        by_model(
            compressed_modes.MadmmModesSettings,
            compressed_modes.SocModesSettings,
            compressed_modes.NeumannModesSettings,
        ),
        compressed_modes.PRESETS,
    ),
    TaskSchema(
        functional_correspondence.FunctionalCorrespondenceTask,
        functional_correspondence.FunctionalCorrespondenceDataset,
        by_model(
            functional_correspondence.CorrespondenceMadmmSettings,
            functional_correspondence.CorrespondenceLeastSquaresSettings,
            functional_correspondence.CorrespondenceSmoothedSettings,
        ),
        functional_correspondence.PRESETS,
    ),
    TaskSchema(
        robust_embedding.RobustEmbeddingTask,
        robust_embedding.RobustEmbeddingDataset,
        by_model(
            robust_embedding.EmbeddingMadmmSettings,
            robust_embedding.EmbeddingClassicalSettings,
            robust_embedding.EmbeddingSubgradientSettings,
        ),
        robust_embedding.PRESETS,
    ),
    TaskSchema(
        matrix_completion.MatrixCompletionTask,
        XCDataset,
        by_model(*get_args(matrix_completion.CompletionMethodSettings)),
        matrix_completion.PRESETS,
    ),
    TaskSchema(
        matrix_recovery.MatrixRecoveryTask,
        matrix_recovery.MatrixRecoveryDataset,
        by_model(*get_args(matrix_recovery.RecoveryMethodSettings)),
        matrix_recovery.PRESETS,
    ),
)

SCHEMAS: dict[str, TaskSchema] = {schema.kind: schema for schema in (XC, *_OTHERS)}

# A name means the same method in every task that has it.
ALL_PRESETS: Presets = {
    name: preset for schema in SCHEMAS.values() for name, preset in schema.presets.items()
}
ALL_MODELS: Models = {
    name: model for schema in SCHEMAS.values() for name, model in schema.models.items()
}


@cache
def body_of(kind: str) -> type[ConfigBody]:
    """The type of a config file's body, for a kind of task."""
    schema = SCHEMAS[kind]
    dataset: Any = schema.dataset
    several: Any = Annotated[tuple[dataset, ...], *Distinct]
    task: Any = Annotated[schema.task, Shorthand]
    return create_model(
        f"{kind}-body",
        __base__=ConfigBody,
        task=(task, schema.task.model_validate({})),
        dataset=(dataset | None, None),
        datasets=(several | None, None),
    )

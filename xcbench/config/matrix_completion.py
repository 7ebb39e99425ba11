"""Settings of transductive incomplete multi-label learning, as Maxide's authors do it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field

from xcbench.config.base import Distinct, TaskSettings
from xcbench.config.maxide import PRESETS, BinaryRelevanceSettings, MaxideSettings, SVTSettings

__all__ = ["PRESETS", "CompletionMethodSettings", "MatrixCompletionTask"]

ObservedPercents = Annotated[tuple[Annotated[float, Field(gt=0, lt=100)], ...], *Distinct]

CompletionMethodSettings = MaxideSettings | SVTSettings | BinaryRelevanceSettings


class MatrixCompletionTask(TaskSettings):
    """Hide labels of the training points and all of the test points, and find them.

    ``observed``: percent of the training points of each label, with and without it alike, that say
    whether they have it. ``folds``: parts of what is observed, each held out once, on which a
    method's settings are chosen.
    """

    kind: Literal["matrix_completion"] = "matrix_completion"
    observed: ObservedPercents = (10.0, 20.0, 40.0)
    folds: Annotated[int, Field(ge=2, le=20)] = 5

    def each(self) -> list[Self]:
        """See TaskSettings.each: a job for each percentage."""
        return [self.model_copy(update={"observed": (percent,)}) for percent in self.observed]

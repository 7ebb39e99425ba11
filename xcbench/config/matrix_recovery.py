"""Settings of the recovery of made-up matrices from some of their entries."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from xcbench.config.base import Count, Positive, Settings, TaskSettings
from xcbench.config.matrix_completion import ObservedPercents
from xcbench.config.maxide import PRESETS as COMPLETION_PRESETS
from xcbench.config.maxide import MaxideSettings, SVTSettings

RecoveryMethodSettings = MaxideSettings | SVTSettings

PRESETS: dict[str, dict[str, Any]] = {
    name: preset for name, preset in COMPLETION_PRESETS.items() if name in ("maxide", "svt")
}
_Halving = Annotated[float, Field(gt=0, lt=1)]


class MatrixRecoveryTask(TaskSettings):
    """See some entries of a matrix, drawn at random, and find all others.

    The penalty falls by the factor ``decay`` from the largest on, each solution starting from the
    one before, until the observed entries are met to ``fit`` of their length: the smallest trace
    norm that meets them. ``tolerance`` and ``iterations`` are of each solution, instead of the
    method's.  ``observed``: percent of all entries. ``recovered``: the largest error, relative to
    the length of the matrix, that counts as recovered.
    """

    kind: Literal["matrix_recovery"] = "matrix_recovery"
    observed: ObservedPercents = (5.0,)
    decay: _Halving = 0.5
    fit: Positive = 1e-5
    tolerance: Positive = 1e-7
    iterations: Count = 1000
    recovered: Positive = 1e-4

    def each(self) -> list[Self]:
        """See TaskSettings.each: a job for each percentage."""
        return [self.model_copy(update={"observed": (percent,)}) for percent in self.observed]


class MatrixRecoveryDataset(Settings):
    """A matrix A Z B^T of normal numbers of so many rows, columns and rank.

    ``side``: columns of the orthonormal A and B, which are given as side information.
    """

    rows: Count = 600
    columns: Count = 400
    rank: Count = 5
    side: Count = 25

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.rank <= self.side <= min(self.rows, self.columns):
            raise ValueError(
                f"side needs at least rank, {self.rank}, and at most rows and columns; "
                f"found {self.side}"
            )
        return self

    @property
    def title(self) -> str:
        """Safe as a folder name."""
        return f"{self.rows}x{self.columns}-rank{self.rank}-side{self.side}"

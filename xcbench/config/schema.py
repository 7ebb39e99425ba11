"""The typed config: what a file may say, and what one job is told.

Nothing here reads a file: ``config/loader.py`` does, and words the errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from xcbench.config.base import Counts, Distinct, Seed, Settings, TaskSettings
from xcbench.config.dataset import MetricsConfig, XCTask
from xcbench.config.executor import ExecutorConfig

Seeds = Annotated[tuple[Seed, ...], *Distinct]
XC_TASK = XCTask()


class ConfigBody(Settings):
    """Everything of a config file but its methods and sweep.

    ``datasets`` instead of ``dataset``, and ``seeds`` instead of ``seed``, run every job once for
    each. Of which type task and datasets are, config/tasks.py says; ``splits`` and ``metrics`` are
    of extreme classification.
    """

    task: TaskSettings = XC_TASK
    dataset: Any = Field(default=None, description="the data")
    datasets: Any = None
    seed: Seed = Field(default=0, description="what all random choices are drawn with")
    seeds: Seeds | None = Field(default=None, description="several, instead of seed")
    splits: Counts = Field(default=(1,), description="which splits, of data with split files")
    metrics: MetricsConfig = Field(default=MetricsConfig(), description="what is measured")
    executor: ExecutorConfig = Field(
        default=ExecutorConfig(), description="where it runs; changes no result"
    )


@dataclass(frozen=True)
class MethodConfig:
    """One method, resolved: preset and overrides merged, grid values filled in.

    ``settings`` are of the type that its model has.
    """

    label: str
    preset: str | None
    settings: Any

    def mapping(self) -> dict[str, Any]:
        """All of it, as a ``method:`` that reads back equal."""
        head = {"label": self.label} | ({"preset": self.preset} if self.preset else {})
        found: dict[str, Any] = head | self.settings.model_dump(mode="json")
        return found


@dataclass(frozen=True)
class JobConfig:
    """What one job is told: one dataset, one split, one method.

    ``dataset`` is of the type that its task has.
    """

    dataset: Any
    method: MethodConfig
    seed: int
    split: int
    metrics: MetricsConfig
    task: Any = XC_TASK

    def mapping(self) -> dict[str, Any]:
        """All of it, as a config file that reads back to this one job."""
        return {
            **_task(self.task),
            "dataset": self.dataset.model_dump(exclude_none=True),
            "method": self.method.mapping(),
            "seed": self.seed,
            **({"splits": [self.split]} | _metrics(self.metrics) if self.is_xc else {}),
        }

    @property
    def is_xc(self) -> bool:
        """Whether it is extreme classification, the task of a config that names none."""
        return isinstance(self.task, XCTask)


@dataclass(frozen=True)
class Config:
    """A config file, resolved: every method in full, the sweep expanded.

    ``tune`` is what `xcbench tune` searches (see config/tuning.py); jobs know nothing of it.
    """

    body: ConfigBody
    methods: tuple[MethodConfig, ...]
    tune: Mapping[str, Any] = field(default_factory=dict)

    @property
    def executor(self) -> ExecutorConfig:
        return self.body.executor

    def jobs(self) -> list[JobConfig]:
        """Every method on all data, dataset by dataset, then split by split and seed by seed."""
        body = self.body
        return [
            JobConfig(dataset, method, seed, split, body.metrics, task)
            for dataset in body.datasets or (body.dataset,)
            for task in body.task.each()
            for split in body.splits
            for seed in body.seeds or (body.seed,)
            for method in self.methods
        ]

    def mapping(self) -> dict[str, Any]:
        """All of it, as a config file that reads back equal."""
        body = self.body
        several = [dataset.model_dump(exclude_none=True) for dataset in body.datasets or ()]
        return {
            **_task(body.task),
            **(
                {"datasets": several}
                if several
                else {"dataset": body.dataset.model_dump(exclude_none=True)}
            ),
            "methods": [method.mapping() for method in self.methods],
            **({"seeds": list(body.seeds)} if body.seeds else {"seed": body.seed}),
            **(
                {"splits": list(body.splits)} | _metrics(body.metrics)
                if isinstance(body.task, XCTask)
                else {}
            ),
            "executor": body.executor.model_dump(),
            **(
                {"tune": {key: span.mapping() for key, span in self.tune.items()}}
                if self.tune
                else {}
            ),
        }


def _task(task: TaskSettings) -> dict[str, Any]:
    """Nothing for extreme classification: a config of before there were others stays as it is."""
    return {} if isinstance(task, XCTask) else {"task": task.model_dump(mode="json")}


def _metrics(metrics: MetricsConfig) -> dict[str, Any]:
    return {"metrics": metrics.model_dump(mode="json")}

"""What a job does: one module a kind of task, and how to find it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from xcbench.config.schema import JobConfig
from xcbench.models.base import Executor
from xcbench.models.memory import MemoryEstimate
from xcbench.tasks import (
    compressed_modes,
    functional_correspondence,
    matrix_completion,
    matrix_recovery,
    metric_learning,
    robust_embedding,
    xc,
)
from xcbench.tasks.base import Outcome, TaskData


class TaskKind(Protocol):
    """How the runner does the jobs of one kind of task; a module."""

    def open_data(self, dataset: Any, data_root: Path, split: int) -> TaskData:
        """The data of dataset settings; raises a DataError."""
        ...

    def memory(self, job: JobConfig, data: Any, jobs: int) -> MemoryEstimate | None:
        """What a job takes in so many processes; None where it is too small to ask."""
        ...

    def run(self, job: JobConfig, data: Any, folder: Path, executor: Executor) -> Outcome:
        """Do a job; leaves ``predictions.npz`` in the folder."""
        ...


_KINDS: dict[str, TaskKind] = {
    "xc": xc,
    "metric_learning": metric_learning,
    "compressed_modes": compressed_modes,
    "functional_correspondence": functional_correspondence,
    "robust_embedding": robust_embedding,
    "matrix_completion": matrix_completion,
    "matrix_recovery": matrix_recovery,
}


def kind_of(job: JobConfig) -> TaskKind:
    """How to do a job."""
    return _KINDS[job.task.kind]


def needs_workers(job: JobConfig) -> bool:
    """Whether a job's work is spread over processes."""
    return job.is_xc and xc.needs_workers(job)

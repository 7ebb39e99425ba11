"""An executor that notes what each stage of a job costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import Any, Self, TypeVar

from xcbench.models.base import Executor, Task
from xcbench.runner.memory import PeakMemory

T = TypeVar("T")

SAMPLED_EVERY = 0.1  # seconds between two looks at the memory; a look takes some milliseconds


@dataclass(frozen=True)
class StageCost:
    """What a stage took.

    Attributes
    ----------
    wall_s : float or None
        Seconds by the clock; None for one of several things that the same tasks do.
    task_s : float
        Seconds summed over the tasks.
    peak_bytes : int
        Most resident memory of all processes.
    """

    wall_s: float | None
    task_s: float
    peak_bytes: int


class RecordingExecutor:
    """Runs tasks on another executor and notes the cost of every call, as a context.

    Parameters
    ----------
    executor : Executor

    Attributes
    ----------
    stages : dict of str to StageCost
    peak_bytes : int
        Most resident memory of all processes, between the stages too.
    """

    def __init__(self, executor: Executor) -> None:
        self.stages: dict[str, StageCost] = {}
        self.peak_bytes = 0
        self._executor = executor
        self._between = PeakMemory(SAMPLED_EVERY)

    def __enter__(self) -> Self:
        self._between.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._between.__exit__(kind, error, traceback)
        self.peak_bytes = max(self.peak_bytes, self._between.bytes)

    @property
    def jobs(self) -> int:
        return self._executor.jobs

    @property
    def threads(self) -> int:
        return self._executor.threads

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """See models.base.Executor.map."""
        timed = [Task(task.label, (function, task.arguments), task.cost) for task in tasks]
        # One watch at a time: two would take twice the time from what they watch.
        self.__exit__(None, None, None)
        with PeakMemory(SAMPLED_EVERY) as memory:
            start = perf_counter()
            found = self._executor.map(_timed, timed, stage)
            wall = perf_counter() - start
        self.peak_bytes = max(self.peak_bytes, memory.bytes)
        self._between = PeakMemory(SAMPLED_EVERY)
        self.__enter__()
        spent = sum(seconds for _, seconds in found)
        self.stages[stage] = StageCost(wall, spent, memory.bytes)
        return [value for value, _ in found]


def _timed(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    start = perf_counter()
    value = function(*arguments)
    return value, perf_counter() - start

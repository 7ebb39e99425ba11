"""What all executors have in common; by itself, the tasks one after the other in this process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from xcbench.models.base import Outcome, Task, values_or_raise
from xcbench.models.memory import Limits
from xcbench.runner.checkpoints import NEVER, Checkpoints
from xcbench.runner.progress import Progress
from xcbench.runner.work import Work, do

logger = logging.getLogger(__name__)
T = TypeVar("T")


class InProcessExecutor:
    """Runs tasks here, one after the other, the largest first.

    Parameters
    ----------
    threads : int
        BLAS and numba threads of a task.
    progress : Progress
    checkpoints : Checkpoints, optional
        Where large values go, finished tasks are kept, and those of an earlier attempt found.

    Attributes
    ----------
    jobs : int
        Processes of this machine: others may look after their own threads.
    workers : int
        Processes that tasks run in, wherever those are.
    """

    backend = "inline"
    # Whether other machines do the work: every value goes by way of the task folder.
    is_elsewhere = False

    def __init__(
        self, threads: int, progress: Progress, checkpoints: Checkpoints | None = None
    ) -> None:
        self.jobs = self.workers = 1
        self.threads = threads
        self._progress = progress
        self._checkpoints = checkpoints or Checkpoints(None, NEVER, {})
        self._limits: Limits | None = None

    def limit(self, limits: Limits) -> None:
        """Run no more at once than that."""
        self._limits = limits

    def _most(self, stage: str, count: int) -> int:
        """How many tasks of a stage of so many may run at once."""
        if self._limits is None:
            return count
        return min(self._limits.jobs, self._limits.at_once.get(stage, count))

    def start(self) -> None:
        """Have everything ready, so that what is timed next is work and not starting up."""

    def close(self) -> None:
        """Let go of what was made ready for this job alone."""

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """See models.base.Executor.map; the arrays of a large value are read-only.

        Raises
        ------
        TaskError
            Tasks failed.
        ClusterError
            Other machines can no longer be reached; the finished tasks are kept.
        """
        outcomes = self._checkpoints.resume(stage, tasks)
        order = largest_first(tasks, outcomes)
        with self._progress.stage(stage, len(tasks), len(outcomes)) as advance:
            for index, outcome in self._outcomes(function, tasks, order, stage):
                outcomes[index] = self._checkpoints.keep(stage, index, outcome)
                if outcome.error:
                    logger.error("%s, %s: %s", stage, outcome.label, outcome.error)
                    logger.debug("%s", outcome.traceback)
                advance()
        return values_or_raise([outcomes[i] for i in range(len(tasks))])

    def _outcomes(
        self, function: Callable[..., T], tasks: Sequence[Task], order: list[int], stage: str
    ) -> Iterator[tuple[int, Outcome]]:
        for index in order:
            yield do(self._work(function, tasks, index, stage))

    def _work(
        self, function: Callable[..., Any], tasks: Sequence[Task], index: int, stage: str
    ) -> Work:
        place = self._checkpoints.place(stage, index, self.is_elsewhere)
        return Work(index, function, tasks[index], self.threads, place)


def largest_first(tasks: Sequence[Task], done: Mapping[int, Any]) -> list[int]:
    """The positions of the tasks still to do: a large one begun last would be waited for alone."""
    return sorted(set(range(len(tasks))) - set(done), key=lambda i: -tasks[i].cost)

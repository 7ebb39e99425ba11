"""Where the tasks of a job run: in this process, or in joblib's loky processes.

Whatever the number of processes, every task runs with the same number of BLAS and numba threads
and tasks share nothing, so a result does not depend on it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from typing import Any, TypeVar, cast

import joblib
import psutil
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError
from threadpoolctl import threadpool_limits

from xcbench.config.schema import ExecutorConfig
from xcbench.models.base import Outcome, Task, attempt, values_or_raise
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.orphans import end_with_parent
from xcbench.runner.progress import Progress

logger = logging.getLogger(__name__)
T = TypeVar("T")


def limited_threads(threads: int) -> AbstractContextManager[object]:
    """Hold the BLAS and OpenMP pools of this process to ``threads`` threads."""
    return cast(AbstractContextManager[object], threadpool_limits(limits=threads))


def _attempt_at(
    index: int, function: Callable[..., object], task: Task, threads: int
) -> tuple[int, Outcome]:
    with limited_threads(threads):
        return index, attempt(function, task)


class InProcessExecutor:
    """Runs tasks here, one after the other, the largest first.

    Parameters
    ----------
    threads : int
        BLAS and numba threads of a task.
    progress : Progress
    checkpoints : Checkpoints, optional
        Where finished tasks are kept, and those of an earlier attempt found.

    Attributes
    ----------
    jobs : int
        Processes.
    """

    backend = "inline"

    def __init__(
        self, threads: int, progress: Progress, checkpoints: Checkpoints | None = None
    ) -> None:
        self.jobs = 1
        self.threads = threads
        self._progress = progress
        self._checkpoints = checkpoints or Checkpoints(None, 0.0, {})

    def start(self) -> None:
        """Have everything ready, so that what is timed next is work and not starting up."""

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """See models.base.Executor.map."""
        outcomes = self._checkpoints.resume(stage, tasks)
        order = sorted(set(range(len(tasks))) - set(outcomes), key=lambda i: -tasks[i].cost)
        with self._progress.stage(stage, len(tasks), len(outcomes)) as advance:
            for index, outcome in self._outcomes(function, tasks, order, stage):
                outcomes[index] = outcome
                self._checkpoints.keep(stage, index, outcome)
                if outcome.error:
                    logger.error("%s, %s: %s", stage, outcome.label, outcome.error)
                    logger.debug("%s", outcome.traceback)
                advance()
        return values_or_raise([outcomes[i] for i in range(len(tasks))])

    def _outcomes(
        self, function: Callable[..., T], tasks: Sequence[Task], order: list[int], stage: str
    ) -> Iterator[tuple[int, Outcome]]:
        for index in order:
            yield _attempt_at(index, function, tasks[index], self.threads)


class LokyExecutor(InProcessExecutor):
    """Runs tasks in ``jobs`` processes; a single task is not worth a process and runs here.

    A process that is killed, usually for memory, takes joblib's whole pool down. The tasks that had
    not finished are done again, half as many at once each time, and a task that is killed alone
    is given up.
    """

    backend = "loky"

    def __init__(
        self,
        jobs: int,
        threads: int,
        progress: Progress,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        super().__init__(threads, progress, checkpoints)
        self.jobs = jobs

    def start(self) -> None:
        """Start the processes, which later calls use again, and let each import the models."""
        with suppress(BrokenProcessPool):  # The first tasks start new ones.
            list(self._parallel([joblib.delayed(_import_models)()] * self.jobs, self.jobs))

    def _outcomes(
        self, function: Callable[..., T], tasks: Sequence[Task], order: list[int], stage: str
    ) -> Iterator[tuple[int, Outcome]]:
        if len(tasks) < 2:
            yield from super()._outcomes(function, tasks, order, stage)
            return
        waiting, at_once = list(order), self.jobs
        while waiting:
            calls = [
                joblib.delayed(_attempt_at)(index, function, tasks[index], self.threads)
                for index in (waiting if at_once > 1 else waiting[:1])
            ]
            try:
                for index, outcome in self._parallel(calls, at_once):
                    waiting.remove(index)
                    yield index, outcome
            except BrokenProcessPool as error:
                what = _broken(error)
                if at_once > 1:
                    at_once //= 2
                    logger.warning(
                        "%s: %s; going on, %d at once, with the tasks not finished: %d",
                        stage, what, at_once, len(waiting),
                    )  # fmt: skip
                    continue
                index = waiting.pop(0)
                yield index, Outcome(tasks[index].label, error=what)

    def _parallel(self, calls: list[Any], at_once: int) -> Iterator[Any]:
        with joblib.parallel_config(
            backend="loky", inner_max_num_threads=self.threads, initializer=end_with_parent
        ):
            # Tasks carry paths, not arrays: nothing for joblib to memory-map (max_nbytes).
            yield from joblib.Parallel(
                n_jobs=self.jobs,
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch=at_once if at_once < self.jobs else "2 * n_jobs",
                max_nbytes=None,
            )(calls)


def _import_models() -> None:
    import_module("xcbench.models")


def _broken(error: BrokenProcessPool) -> str:
    if isinstance(error, TerminatedWorkerError):
        return (
            "a worker process was killed (out of memory is the usual cause: "
            "try fewer executor.jobs)"
        )
    return f"the worker processes broke ({str(error).splitlines()[0]})"


def make_executor(
    config: ExecutorConfig, progress: Progress, checkpoints: Checkpoints | None = None
) -> InProcessExecutor:
    """The executor a config asks for; one process is always this one."""
    jobs = joblib.cpu_count() if config.jobs == -1 else config.jobs
    if config.backend == "inline" or jobs == 1:
        return InProcessExecutor(config.threads, progress, checkpoints)
    return LokyExecutor(jobs, config.threads, progress, checkpoints)


def stop_workers() -> None:
    """End the worker processes now, tasks and all."""
    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


def kill_workers() -> None:
    """End every process below this one, whatever state this one is in: a run's last act."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()

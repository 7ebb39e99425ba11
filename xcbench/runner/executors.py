"""Where the tasks of a job run: in this process, or in joblib's loky processes.

Whatever the number of processes, every task runs with the same number of BLAS and numba threads
and tasks share nothing, so a result does not depend on it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, TypeVar, cast

import joblib
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError
from threadpoolctl import threadpool_limits

from xcbench.config.schema import ExecutorConfig
from xcbench.errors import TaskError
from xcbench.models.base import Outcome, Task, attempt, values_or_raise
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

    Attributes
    ----------
    jobs, threads : int
        Processes, and threads of each.
    """

    backend = "inline"

    def __init__(self, threads: int, progress: Progress) -> None:
        self.jobs = 1
        self.threads = threads
        self._progress = progress

    def start(self) -> None:
        """Have everything ready, so that what is timed next is work and not starting up."""

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """See models.base.Executor.map."""
        order = sorted(range(len(tasks)), key=lambda i: -tasks[i].cost)
        outcomes: dict[int, Outcome] = {}
        with self._progress.stage(stage, len(tasks)) as advance:
            for index, outcome in self._outcomes(function, tasks, order, stage):
                outcomes[index] = outcome
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
    """Runs tasks in ``jobs`` processes; a single task is not worth a process and runs here."""

    backend = "loky"

    def __init__(self, jobs: int, threads: int, progress: Progress) -> None:
        super().__init__(threads, progress)
        self.jobs = jobs

    def start(self) -> None:
        """Start the processes, which later calls use again, and let each import the models."""
        list(self._parallel([joblib.delayed(_import_models)()] * self.jobs))

    def _outcomes(
        self, function: Callable[..., T], tasks: Sequence[Task], order: list[int], stage: str
    ) -> Iterator[tuple[int, Outcome]]:
        if len(tasks) < 2:
            yield from super()._outcomes(function, tasks, order, stage)
            return
        waiting = set(order)
        calls = [
            joblib.delayed(_attempt_at)(index, function, tasks[index], self.threads)
            for index in order
        ]
        try:
            for index, outcome in self._parallel(calls):
                waiting.discard(index)
                yield index, outcome
        except BrokenProcessPool as error:
            names = [tasks[i].label for i in sorted(waiting)]
            raise TaskError(_broken(error, stage, names)) from error

    def _parallel(self, calls: list[Any]) -> Iterator[Any]:
        with joblib.parallel_config(backend="loky", inner_max_num_threads=self.threads):
            # Tasks carry paths, not arrays: nothing for joblib to memory-map (max_nbytes).
            yield from joblib.Parallel(
                n_jobs=self.jobs, return_as="generator_unordered", batch_size=1, max_nbytes=None
            )(calls)


def _import_models() -> None:
    import_module("xcbench.models")


def _broken(error: BrokenProcessPool, stage: str, unfinished: list[str]) -> str:
    """A killed worker takes the pool down; its own task is one of those not finished."""
    if isinstance(error, TerminatedWorkerError):
        what = (
            f"a worker process was killed during {stage} (out of memory is the usual cause: "
            "try fewer executor.jobs)"
        )
    else:
        what = f"the worker processes broke during {stage} ({str(error).splitlines()[0]})"
    names = ", ".join(unfinished[:8]) + (", ..." if len(unfinished) > 8 else "")
    return f"{what}; {len(unfinished)} tasks did not finish: {names}"


def make_executor(config: ExecutorConfig, progress: Progress) -> InProcessExecutor:
    """The executor a config asks for; one process is always this one."""
    jobs = joblib.cpu_count() if config.jobs == -1 else config.jobs
    if config.backend == "inline" or jobs == 1:
        return InProcessExecutor(config.threads, progress)
    return LokyExecutor(jobs, config.threads, progress)


def stop_workers() -> None:
    """End the worker processes now, tasks and all."""
    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)

"""Where the tasks of a job run: in this process, or in joblib's loky processes.

Whatever the number of processes, every task runs with the same number of BLAS and numba threads
and tasks share nothing, so a result does not depend on it.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
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

    A process that is killed, usually for memory, takes joblib's whole pool down. Those of its tasks
    that may have been at work are done again, one after the other; one that is killed alone is
    given up. The rest goes on as before, and from the second time on with half as many at once.
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
        waiting, at_once, breaks = list(order), self.jobs, 0
        while waiting:
            try:
                calls = [self._call(function, tasks, index) for index in waiting]
                for index, outcome in self._parallel(calls, at_once):
                    waiting.remove(index)
                    yield index, outcome
            except BrokenProcessPool as error:
                logger.warning(
                    "%s: %s; going on with the tasks not finished: %d",
                    stage, _broken(error), len(waiting),
                )  # fmt: skip
                # Those that were at work are among the first of the unfinished.
                suspects, waiting = waiting[:at_once], waiting[at_once:]
                for index in suspects:
                    yield self._alone(function, tasks, index)
                breaks += 1
                at_once = at_once if breaks == 1 else max(at_once // 2, 1)

    def _alone(
        self, function: Callable[..., T], tasks: Sequence[Task], index: int
    ) -> tuple[int, Outcome]:
        """One task, with all the memory to itself."""
        try:
            (outcome,) = self._parallel([self._call(function, tasks, index)], 1)
        except BrokenProcessPool as error:
            return index, Outcome(tasks[index].label, error=_broken(error))
        return outcome

    def _call(self, function: Callable[..., T], tasks: Sequence[Task], index: int) -> Any:
        return joblib.delayed(_attempt_at)(index, function, tasks[index], self.threads)

    def _parallel(self, calls: list[Any], at_once: int) -> Iterator[Any]:
        with joblib.parallel_config(
            backend="loky", inner_max_num_threads=self.threads, initializer=end_with_parent
        ):
            # Tasks carry paths, not arrays: nothing for joblib to memory-map (max_nbytes).
            parallel = joblib.Parallel(
                n_jobs=self.jobs,
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch=at_once if at_once < self.jobs else "2 * n_jobs",
                max_nbytes=None,
            )
            with _signals_kept_from_children():
                outcomes = parallel(calls)
            yield from outcomes


@contextmanager
def _signals_kept_from_children() -> Iterator[None]:
    """Block what a terminal sends to the whole group while processes start, which inherit that.

    This process answers for them; one of them would print a traceback, and the one that clears up
    after loky would end before its time.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
    # The call that finds loky's pool makes one where there is none.
    if psutil.Process().children():
        with suppress(Exception):  # Why the run ended matters more.
            get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


def kill_workers() -> None:
    """End every worker below this process, whatever state this one is in: a run's last act."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            # loky's own tracker ends by itself, after it has cleared up.
            if not any("resource_tracker" in word for word in child.cmdline()):
                child.kill()

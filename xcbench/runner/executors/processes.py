"""Tasks in joblib's loky processes on this machine, and the end of all processes."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any, TypeVar

import joblib
import psutil
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from xcbench.models.base import Outcome, Task
from xcbench.models.memory import Limits
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.executors.base import InProcessExecutor
from xcbench.runner.orphans import end_with_parent
from xcbench.runner.progress import Progress
from xcbench.runner.work import do

logger = logging.getLogger(__name__)
T = TypeVar("T")


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
        self.jobs = self.workers = jobs

    def limit(self, limits: Limits) -> None:
        """Run no more at once than that, in no more processes."""
        super().limit(limits)
        self.jobs = self.workers = limits.jobs

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

        def call(index: int) -> Any:
            return joblib.delayed(do)(self._work(function, tasks, index, stage))

        waiting, breaks = list(order), 0
        at_once = min(self._most(stage, len(tasks)), self.jobs)
        while waiting:
            try:
                for index, outcome in self._parallel([call(index) for index in waiting], at_once):
                    waiting.remove(index)
                    yield index, outcome
            except BrokenProcessPool as error:
                logger.warning(
                    "%s: %s; going on with the tasks not finished: %d",
                    stage, broken(error), len(waiting),
                )  # fmt: skip
                # Those that were at work are among the first of the unfinished.
                suspects, waiting = waiting[:at_once], waiting[at_once:]
                for index in suspects:
                    yield self._alone(call(index), index, tasks[index].label)
                breaks += 1
                at_once = at_once if breaks == 1 else max(at_once // 2, 1)

    def _alone(self, call: Any, index: int, label: str) -> tuple[int, Outcome]:
        """One task, with all the memory to itself."""
        try:
            (outcome,) = self._parallel([call], 1)
        except BrokenProcessPool as error:
            return index, Outcome(label, error=broken(error))
        found: tuple[int, Outcome] = outcome
        return found

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
            with signals_kept_from_children():
                outcomes = parallel(calls)
            yield from outcomes


@contextmanager
def signals_kept_from_children() -> Iterator[None]:
    """Block what a terminal sends to the whole group while processes start, which inherit that.

    This process answers for them; one of them would print a traceback, and the one that clears up
    after loky would end before its time.
    """
    kept = {signal.SIGINT, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, kept)
    try:
        # Python's own tracker, when it is started, lets SIGINT through again: so here, before them.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, kept)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _import_models() -> None:
    import_module("xcbench.models")


def broken(error: BrokenProcessPool) -> str:
    """Why the processes are gone, as a clause."""
    if isinstance(error, TerminatedWorkerError):
        return (
            "a worker process was killed (out of memory is the usual cause: "
            "try fewer executor.jobs)"
        )
    return f"the worker processes broke ({str(error).splitlines()[0]})"


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

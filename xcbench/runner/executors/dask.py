"""Tasks on the workers of a dask scheduler, wherever those are."""

from __future__ import annotations

import logging
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from xcbench.models.base import Outcome, Task, worded
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.elsewhere import ClusterError, Conditions
from xcbench.runner.executors.base import InProcessExecutor
from xcbench.runner.files import is_storage_failure
from xcbench.runner.progress import Progress
from xcbench.runner.work import Work, do

logger = logging.getLogger(__name__)
T = TypeVar("T")

_CONNECT_S = 10
_LOOK_EVERY_S = 5.0


class DaskExecutor(InProcessExecutor):
    """Runs tasks on dask workers, each of one task at a time; the connection is made at once.

    A task whose worker dies is done by another one, as often as the scheduler's
    ``allowed-failures`` says. Workers may come and go.

    Parameters
    ----------
    scheduler : str
        Address: "tcp://host:8786" or "host:8786".
    threads, progress, checkpoints : as InProcessExecutor
        The checkpoints have a folder.
    conditions : Conditions
        What a worker must find.

    Raises
    ------
    ClusterError
        No scheduler answers at the address, or it has no workers.
    """

    backend = "dask"
    is_elsewhere = True

    def __init__(
        self,
        scheduler: str,
        threads: int,
        progress: Progress,
        checkpoints: Checkpoints,
        conditions: Conditions,
    ) -> None:
        super().__init__(threads, progress, checkpoints)
        self._scheduler = scheduler
        self._conditions = conditions
        self._client = _connected(scheduler)
        self.workers = len(self._workers())
        if self.workers == 0:
            self.close()
            raise ClusterError(
                f"the dask scheduler at {scheduler} has no workers: start some on each machine, "
                f"`dask worker {scheduler} --nworkers N --nthreads 1`"
            )

    def start(self) -> None:
        """Look whether every worker can do the work.

        Raises
        ------
        ClusterError
            One cannot; says which and why.
        """
        self._checkpoints.make_folder()
        try:
            answers = self._client.run(_unfit, self._conditions)
        except Exception as error:  # What a worker of another installation raises is its own.
            raise ClusterError(
                f"the dask workers of {self._scheduler} cannot run this xcbench ({worded(error)}); "
                "they need the same environment as this machine"
            ) from None
        for worker, answer in answers.items():
            if answer:
                raise ClusterError(f"dask worker {worker}: {answer}")

    def close(self) -> None:
        """Let go of the scheduler, which forgets what is not done."""
        with suppress(Exception):
            self._client.close(timeout=2)

    def _outcomes(
        self, function: Callable[..., T], tasks: Sequence[Task], order: list[int], stage: str
    ) -> Iterator[tuple[int, Outcome]]:
        done: SimpleQueue[Any] = SimpleQueue()
        waiting, running = deque(order), dict[str, int]()
        most = self._most(stage, len(order))
        while waiting or running:
            while waiting and len(running) < most:
                index = waiting.popleft()
                work = self._work(function, tasks, index, stage)
                try:
                    future = self._submit(work, stage, priority=len(waiting))
                except Exception as error:  # It cannot be pickled, or nobody takes it.
                    self._require_answer(stage, len(tasks), error)
                    said = f"it cannot be sent to a dask worker ({worded(error)})"
                    yield index, Outcome(tasks[index].label, error=said)
                    continue
                running[future.key] = index
                future.add_done_callback(done.put)
            if running:
                future = self._next(done, stage, len(tasks))
                index = running.pop(future.key)
                try:
                    yield index, _outcome(future, tasks[index].label)
                except (CancelledError, OSError) as error:
                    if is_storage_failure(error):
                        raise
                    # One that shuts down may answer for a while yet.
                    if getattr(error, "reason", "") == "scheduler-connection-lost":
                        raise self._lost(stage, len(tasks), error) from None
                    self._require_answer(stage, len(tasks), error)
                    raise self._given_up(
                        f"dask no longer has {tasks[index].label} ({worded(error)})",
                        stage, len(tasks), error,
                    ) from None  # fmt: skip

    def _submit(self, work: Work, stage: str, priority: int) -> Any:
        """The future of some work."""
        return self._client.submit(
            _do_if_fit,
            self._conditions,
            work,
            key=f"xcbench-{stage}-{work.index}-{uuid.uuid4().hex}",
            pure=False,
            priority=priority,
        )

    def _require_answer(self, stage: str, count: int, cause: BaseException | None = None) -> int:
        """How many workers the scheduler says it has.

        Raises
        ------
        ClusterError
            It does not answer; the finished tasks are kept.
        """
        try:
            return len(self._workers())
        except Exception as error:  # OSError, a timeout, or a client that is closed.
            raise self._lost(stage, count, cause or error) from None

    def _lost(self, stage: str, count: int, cause: BaseException) -> ClusterError:
        what = f"the dask scheduler at {self._scheduler} no longer answers"
        return self._given_up(what, stage, count, cause)

    def _given_up(self, what: str, stage: str, count: int, cause: BaseException) -> ClusterError:
        logger.debug("%s", what, exc_info=cause)
        self._checkpoints.keep_now()
        kept = "are kept" if self._checkpoints.is_keeping else "were finished (checkpoint: never)"
        finished = self._checkpoints.finished(stage)
        return ClusterError(
            f"{what}; {finished} of {count} tasks of stage {stage} {kept}; run this again to go on"
        )

    def _next(self, done: SimpleQueue[Any], stage: str, count: int) -> Any:
        """The next finished future.

        Raises
        ------
        ClusterError
            The scheduler is gone.
        """
        told = False
        while True:
            with suppress(Empty):
                return done.get(timeout=_LOOK_EVERY_S)
            if self._require_answer(stage, count) == 0 and not told:
                told = True
                logger.warning("no dask worker is left; waiting for one")

    def _workers(self) -> dict[str, int]:
        """Threads of each worker."""
        return dict(self._client.sync(self._client.scheduler.ncores, callback_timeout=_CONNECT_S))


def _connected(scheduler: str) -> Any:
    from distributed import Client

    # Its own lines tell of lost connections, at length; what matters is said by what we raise.
    for name in ("distributed", "distributed.client"):  # The second has a level of its own.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        connect: Any = Client
        return connect(scheduler, timeout=_CONNECT_S, set_as_default=False)
    except Exception as error:  # OSError, TimeoutError, ValueError for what is no address.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(f"no dask scheduler answers at {scheduler} ({reason})") from None


def _unfit(conditions: Conditions, dask_worker: Any) -> str:
    """Why a worker, on which this runs, cannot do the work, or ""; dask passes the worker."""
    try:
        conditions.require()
    except ClusterError as error:
        return str(error)
    threads = dask_worker.state.nthreads
    if threads > 1:
        # The limit of BLAS threads is one of the process; tasks side by side would undo it.
        return f"it runs {threads} tasks at a time; start it with --nthreads 1, and more workers"
    import_module("xcbench.models")
    return ""


def _do_if_fit(conditions: Conditions, work: Work) -> tuple[int, Outcome]:
    """Do the work, unless the worker, which may have come later, cannot."""
    from distributed import get_worker

    worker: Any = get_worker()
    if why := _unfit(conditions, worker):
        raise ClusterError(f"dask worker {worker.address}: {why}")
    return do(work)


def _outcome(future: Any, label: str) -> Outcome:
    """What a finished future came to.

    Raises
    ------
    CancelledError, OSError
        Dask no longer has it, or the scheduler is gone.
    ClusterError
        The worker cannot do the work.
    """
    from distributed import KilledWorker

    if future.status == "lost":  # Its result would be waited for.
        raise CancelledError("its worker is gone")
    if future.status != "error":
        outcome: Outcome = future.result()[1]
        return outcome
    error = future.exception()
    if isinstance(error, ClusterError) or is_storage_failure(error):
        raise error
    if isinstance(error, KilledWorker):
        error = "each worker it ran on was killed (out of memory is the usual cause)"
    return Outcome(label, error=error if isinstance(error, str) else worded(error))

"""Tasks in Slurm jobs, which submitit submits: a job array a stage, each element a share of it.

An element leaves a file for every task, so this process only looks into a folder; it need not be
told anything, and an element that dies loses no more than the task it was at.
"""

from __future__ import annotations

import heapq
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from xcbench.config.executor import ExecutorConfig
from xcbench.models.base import Outcome, Task
from xcbench.runner import slurm_queue, task_files
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.elsewhere import ClusterError, Conditions
from xcbench.runner.executors.base import InProcessExecutor
from xcbench.runner.progress import Progress
from xcbench.runner.status import last_line
from xcbench.runner.work import InFile, Place, Work, do

logger = logging.getLogger(__name__)
T = TypeVar("T")

TRIES = 3  # of a task whose job dies
# Elements for each that may run at once: fewer, and the last would be waited for; more, and Slurm
# would be at starting them all the time.
SHARES_PER_JOB = 2
_LARGEST_ARRAY = 1000  # Slurm's usual MaxArraySize is 1001
_LOOK_S, _ASK_S = 1.0, 15.0


def shares(order: Sequence[int], costs: Sequence[float], count: int) -> list[list[int]]:
    """Deal tasks out, each to the share of least cost so far: at most ``count``, none empty.

    Parameters
    ----------
    order : sequence of int
        Positions, the largest cost first; they come in this order within each share.
    costs : sequence of float
        By position.

    Returns
    -------
    list of list of int
        The share of the largest cost first.
    """
    heap: list[tuple[float, int, list[int]]] = [(0.0, i, []) for i in range(count)]
    for index in order:
        cost, number, share = heapq.heappop(heap)
        share.append(index)
        heapq.heappush(heap, (cost + costs[index], number, share))
    return [share for _, _, share in sorted(heap, key=lambda s: (-s[0], s[1])) if share]


@dataclass(frozen=True)
class Share:
    """What an element of a job array does; submitit calls it there."""

    conditions: Conditions
    works: list[Work]

    def __call__(self) -> None:
        """Do the tasks that have no file yet.

        Raises
        ------
        ClusterError
            The machine cannot do the work.
        OSError
            What a task came to cannot be written; another attempt at the job may have taken over.
        """
        self.conditions.require()
        for work in self.works:
            assert work.place is not None
            if not work.place.path.exists():
                _, outcome = do(work)
                if outcome.error:
                    about = {"error": outcome.error, "traceback": outcome.traceback}
                    task_files.write(_failure(work.place), about, None)

    def checkpoint(self) -> Any:
        """What goes on when Slurm preempts the job, or its time is up: the same."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


@dataclass
class _Element:
    job: Any
    works: list[Work]
    absent: int = field(default=0)  # how often in a row Slurm did not know it


class SlurmExecutor(InProcessExecutor):
    """Runs tasks in Slurm jobs, at most ``config.jobs`` of them at once.

    The tasks of a job that ends before its time are done again; the one it was at is tried three
    times in all and then given up, with the last line of its log.

    Parameters
    ----------
    config : ExecutorConfig
    progress : Progress
    checkpoints : Checkpoints
        With a folder, in which submitit's files go too.
    conditions : Conditions
        What a machine must find.
    """

    backend = "slurm"
    is_elsewhere = True

    def __init__(
        self,
        config: ExecutorConfig,
        progress: Progress,
        checkpoints: Checkpoints,
        conditions: Conditions,
    ) -> None:
        super().__init__(config.threads, progress, checkpoints)
        self.workers = config.jobs
        self._config = config
        self._conditions = conditions
        self._elements: list[_Element] = []
        self._has_worked = False
        self._asked = 0.0

    def start(self) -> None:
        """Have the folder the elements write to."""
        self._checkpoints.make_folder()

    def close(self) -> None:
        """Cancel what is still there."""
        jobs = [element.job for element in self._elements]
        self._elements = []
        with suppress(Exception):  # Why the run ends matters more.
            if self._config.cluster == "local":
                for job in jobs:
                    job.cancel(check=False)
            else:
                slurm_queue.cancel(map(_array, jobs))

    def _outcomes(
        self, function: Callable[..., T], tasks: Sequence[Task], order: list[int], stage: str
    ) -> Iterator[tuple[int, Outcome]]:
        at_once = min(self._most(stage, len(order)), self.workers)
        works = {index: self._work(function, tasks, index, stage) for index in order}
        count = min(SHARES_PER_JOB * at_once, _LARGEST_ARRAY, max(len(order), 1))
        dealt = shares(order, [task.cost for task in tasks], count)
        waiting = [[works[index] for index in share] for share in dealt]
        tries: Counter[int] = Counter()
        while works:
            waiting = self._submit(waiting, at_once)
            time.sleep(_LOOK_S)
            ended = self._ended()  # and only then their files, so that none is missed
            for finished in _finished(works):
                self._has_worked = True
                yield finished
            for element in ended:
                left = [work for work in element.works if work.index in works]
                if not left:
                    continue
                said = self._said(element, tries.total())
                suspect = left[0]
                tries[suspect.index] += 1
                logger.warning("%s, %s: %s", stage, suspect.task.label, said)
                if tries[suspect.index] < TRIES:
                    waiting.append([suspect])
                else:
                    del works[suspect.index]
                    yield suspect.index, Outcome(suspect.task.label, error=said)
                if left[1:]:
                    waiting.append(left[1:])
        self._elements = []  # What is left of them has nothing more to do.

    def _submit(self, waiting: list[list[Work]], at_once: int) -> list[list[Work]]:
        """Submit shares as a job array; those that are to wait here for others to end."""
        # Slurm itself holds an array to so many, but not one beside another, and submitit's local
        # jobs all start at once.
        is_held = self._config.cluster == "slurm" and not self._elements
        room = len(waiting) if is_held else max(at_once - len(self._elements), 0)
        going, staying = waiting[:room], waiting[room:]
        if going:
            try:
                jobs = self._submitit(at_once).submit_array(
                    [Share(self._conditions, works) for works in going]
                )
            except Exception as error:  # Of submitit, with what sbatch said as its last line.
                reason = (str(error) or type(error).__name__).strip().splitlines()[-1]
                raise ClusterError(f"no Slurm job could be submitted: {reason}") from None
            self._elements += [_Element(job, w) for job, w in zip(jobs, going, strict=True)]
            if self._config.cluster == "slurm":
                slurm_queue.note(self._conditions.tasks, sorted(set(map(_array, jobs))))
        return staying

    def _submitit(self, at_once: int) -> Any:
        import submitit

        logging.getLogger("submitit").setLevel(logging.ERROR)
        config, folder = self._config, self._conditions.tasks / "slurm"
        executor = submitit.AutoExecutor(folder, cluster=config.cluster)
        wanted = {
            "slurm_partition": config.partition,
            "slurm_account": config.account,
            "slurm_qos": config.qos,
            "slurm_mem": config.memory,
        }
        executor.update_parameters(
            name=slurm_queue.NAME,
            timeout_min=config.minutes,
            cpus_per_task=self.threads,
            slurm_array_parallelism=at_once,
            **{key: value for key, value in wanted.items() if value is not None},
        )
        return executor

    def _ended(self) -> list[_Element]:
        """Take out the elements that have ended, one way or another."""
        if self._config.cluster == "local":
            ended = [element for element in self._elements if element.job.done()]
        else:
            ended = self._ended_in_slurm()
        self._elements = [element for element in self._elements if element not in ended]
        return ended

    def _ended_in_slurm(self) -> list[_Element]:
        """Those that left a result, and those that Slurm no longer knows, twice in a row.

        submitit would ask Slurm's accounting, which not every cluster has.
        """
        if time.monotonic() - self._asked > _ASK_S:
            self._asked = time.monotonic()
            queued = slurm_queue.queued()
            for element in self._elements if queued is not None else ():
                known = queued is not None and element.job.job_id in queued
                element.absent = 0 if known else element.absent + 1
        return [
            element
            for element in self._elements
            if element.absent > 1 or element.job.paths.result_pickle.exists()
        ]

    def _said(self, element: _Element, deaths: int) -> str:
        """What an element that ended too early said last.

        Raises
        ------
        ClusterError
            It was not killed but refused to work, or none has ever worked.
        """
        paths = element.job.paths
        said = last_line(paths.stderr) or last_line(paths.stdout) or "it left no log"
        ended = f"Slurm job {element.job.job_id} ended: {said}"
        refused = paths.result_pickle.exists()
        if refused or (deaths >= TRIES and not self._has_worked):
            raise ClusterError(said.partition("ClusterError: ")[2] or ended)
        return ended


def _array(job: Any) -> str:
    """The number of the array that an element is of."""
    return str(job.job_id).partition("_")[0]


def _failure(place: Place) -> Path:
    """Where a task that failed says why."""
    return place.path.with_suffix(".failed")


def _finished(works: dict[int, Work]) -> Iterator[tuple[int, Outcome]]:
    """Take out those whose files are there, with their outcomes."""
    places = {index: work.place for index, work in works.items() if work.place is not None}
    folders = {place.path.parent for place in places.values()}
    names = {path.name for folder in folders for path in folder.iterdir()}
    for index, place in places.items():
        label, failure = works[index].task.label, _failure(place)
        if place.path.name in names:
            del works[index]
            yield index, Outcome(label, value=InFile())
        elif failure.name in names:
            del works[index]
            about, _ = task_files.read(failure)
            failure.unlink()
            yield index, Outcome(label, **about)

"""A whole run: the jobs of a plan one after the other, skipping what is done or held by others."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from xcbench.errors import DataError, LockedError, XCBenchError
from xcbench.models.memory import too_large, within
from xcbench.models.peers import missing
from xcbench.runner.elsewhere import ClusterError
from xcbench.runner.execute import Places, blank, execute
from xcbench.runner.executors import missing as missing_backend
from xcbench.runner.executors import stop_workers
from xcbench.runner.files import StorageError, is_storage_failure, storage_reason
from xcbench.runner.locks import hold
from xcbench.runner.logs import run_log
from xcbench.runner.plan import LATEST_VERSION, RESULTS_VERSION, Job, Plan
from xcbench.runner.progress import Progress, spoken
from xcbench.runner.provenance import collect
from xcbench.runner.result import Result
from xcbench.runner.signals import ending
from xcbench.runner.store import ResultStore, State
from xcbench.tasks import kind_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Due:
    """Which jobs are to be run: new and interrupted ones always, others on request."""

    force: bool = False
    retry_failed: bool = False

    def __call__(self, state: State) -> bool:
        return (
            self.force
            or state in ("new", "interrupted")
            or (state == "failed" and self.retry_failed)
        )


@dataclass
class Summary:
    """What a run came to: run ids, in the order of the plan."""

    executed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped_done: list[str] = field(default_factory=list)
    skipped_failed: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    not_started: list[str] = field(default_factory=list)
    not_installed: list[str] = field(default_factory=list)
    too_large: list[str] = field(default_factory=list)
    data_errors: int = 0

    @property
    def exit_code(self) -> int:
        """0 done or nothing to do, 1 a job failed or was left out, 3 no data, 4 all locked."""
        if self.failed or self.not_installed or self.too_large:
            return XCBenchError.exit_code
        if self.data_errors:
            return DataError.exit_code
        idle = not (self.executed or self.not_started)
        return LockedError.exit_code if self.locked and idle else 0

    def skip(self, run_id: str, state: State) -> None:
        (self.skipped_failed if state == "failed" else self.skipped_done).append(run_id)


@dataclass(frozen=True)
class Runner:
    """Runs the jobs of a plan and stores what they come to.

    Parameters
    ----------
    store : ResultStore
    progress : Progress
    is_due : Due
    deadline : float
        No job starts after it; on the clock of ``time.monotonic``.
    """

    store: ResultStore
    progress: Progress
    is_due: Due = Due()
    deadline: float = float("inf")

    def run(self, plan: Plan) -> Summary:
        """Run what is due; every result is stored and joined to the table as soon as it is there.

        Raises
        ------
        StorageError
            The results folder can no longer be written; the job at work is still to do.
        ClusterError
            The other machines cannot be reached, or not any more; the same.
        """
        summary = Summary(data_errors=len(plan.data_errors))
        if not plan.jobs and not self.store.root.is_dir():
            return summary  # there is nothing to store, and no table to keep
        with _storage(self.store):
            due = [job for job in plan.jobs if not self._skipped(job, summary)]
            due = _fitting(_installed(due, summary), summary)
            _require_backends(due)
            provenance = collect() if due else {}
            self._tell_of_other_versions()
            with self.progress.jobs(len(due)) as advance, _no_worker_left():
                for number, job in enumerate(due, start=1):
                    if time.monotonic() >= self.deadline:
                        summary.not_started = [left.run_id for left in due[number - 1 :]]
                        break
                    logger.info("job %d of %d: %s (%s)", number, len(due), job.title, job.run_id)
                    self._run_unless_held(job, provenance, summary)
                    advance()
            self.store.write_table()
        return summary

    def _tell_of_other_versions(self) -> None:
        results = self.store.results()
        current = (RESULTS_VERSION, LATEST_VERSION)
        others = sum(result.results_version not in current for result in results)
        if others:
            logger.info(
                "%d results in %s are of another results version than %d: they are kept, and their "
                "jobs run again under ids of their own",
                others, self.store.root, RESULTS_VERSION,
            )  # fmt: skip

    def _skipped(self, job: Job, summary: Summary) -> bool:
        state = self.store.state(job.run_id)
        if self.is_due(state):
            return False
        summary.skip(job.run_id, state)
        if not self.store.is_settled(job.run_id):
            with suppress(LockedError), hold(self.store.folder(job.run_id)):
                self.store.settle(job.run_id)
        return True

    def _run_unless_held(self, job: Job, provenance: dict[str, Any], summary: Summary) -> None:
        folder = self.store.folder(job.run_id)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with hold(folder):
                state = self.store.state(job.run_id)
                if not self.is_due(state):  # Another process ran it since we planned.
                    summary.skip(job.run_id, state)
                    return
                with run_log(folder / "log.txt"):
                    result = self._run_held(job, state, provenance)
        except LockedError as error:
            logger.warning("%s", error)
            summary.locked.append(job.run_id)
            return
        except OSError as error:
            if is_storage_failure(error) or job.run_id not in str(error.filename):
                raise
            logger.error("%s cannot be run in its folder (%s)", job.title, error)
            summary.failed.append(job.run_id)
            return
        summary.executed.append(job.run_id)
        if result.status == "failed":
            summary.failed.append(job.run_id)

    def _run_held(self, job: Job, state: State, provenance: dict[str, Any]) -> Result:
        start = time.monotonic()
        if self.is_due.force:
            self.store.forget_tasks(job.run_id)
        partial = self.store.start(job.run_id)
        try:
            # Other machines know nothing of this process's working directory.
            checkpoint = self.store.checkpoint(job.run_id)
            places = Places(partial.absolute(), checkpoint.absolute())
            result = execute(job, places, self.progress, provenance)
        except BaseException as error:
            after = spoken(time.monotonic() - start)
            what = f"{_cause(error)} after {after}"
            logger.warning("interrupted (%s); %s is still to do", what, job.title)
            self._conclude(blank(job, "interrupted", what, provenance), state)
            raise
        self._conclude(result, state)
        _announce(job, result)
        return result

    def _conclude(self, result: Result, before: State) -> None:
        """Store a result; a finished one outlives a repeat that does not end well."""
        if before == "done" and result.status != "done":
            self.store.discard(result.run_id)
        else:
            self.store.commit(result)


def _installed(due: list[Job], summary: Summary) -> list[Job]:
    """The jobs whose libraries are there; the others are left out, told of, and stay to do."""
    reasons = {job.config.method.settings: "" for job in due}
    reasons = {settings: missing(settings) or "" for settings in reasons}
    left_out: dict[str, list[Job]] = {}
    for job in due:
        if reason := reasons[job.config.method.settings]:
            left_out.setdefault(reason, []).append(job)
    for reason, jobs in left_out.items():
        methods = ", ".join(dict.fromkeys(job.config.method.label for job in jobs))
        logger.error("%s; left out: %s", reason, methods)
        summary.not_installed.extend(job.run_id for job in jobs)
    return [job for job in due if not reasons[job.config.method.settings]]


def oversize(job: Job) -> str | None:
    """Why a job cannot keep to its limit of memory, as a sentence; None where it can."""
    budget = job.executor.max_memory_bytes
    if budget is None:
        return None
    estimated = kind_of(job.config).memory(job.config, job.data, 1)
    return None if estimated is None or within(estimated, budget) else too_large(estimated, budget)


def _fitting(due: list[Job], summary: Summary) -> list[Job]:
    """The jobs that can keep to their limit of memory; the others are left out and stay to do."""
    reasons = {job.run_id: oversize(job) for job in due}
    for job in due:
        if (reason := reasons[job.run_id]) is not None:
            logger.error("%s is left out: it %s", job.title, reason)
            summary.too_large.append(job.run_id)
    return [job for job in due if reasons[job.run_id] is None]


def _require_backends(due: list[Job]) -> None:
    """Look for what the jobs' backends need, before anything is run.

    Raises
    ------
    ClusterError
        Says what is not there.
    """
    for executor in {job.executor for job in due}:
        if (what := missing_backend(executor)) is not None:
            raise ClusterError(what)


@contextmanager
def _storage(store: ResultStore) -> Iterator[None]:
    """Word what a full or failing disk, or a folder that is not ours, does to a run."""
    try:
        yield
    except OSError as error:
        if is_storage_failure(error):
            raise StorageError(
                f"the results folder {store.root} can no longer be written "
                f"({storage_reason(error)}). Finished jobs are kept, the rest is still to do: make "
                "room and run this again"
            ) from None
        if str(store.root) in str(error.filename):
            raise StorageError(f"the results folder {store.root} cannot be used: {error}") from None
        raise


@contextmanager
def _no_worker_left() -> Iterator[None]:
    """Stop the worker processes when a run does not come to its own end."""
    try:
        yield
    except BaseException:
        stop_workers()
        raise


def _cause(error: BaseException) -> str:
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        return ending(error)
    return storage_reason(error) if is_storage_failure(error) else str(error)


def _announce(job: Job, result: Result) -> None:
    if result.status == "failed":
        logger.error("%s failed: %s", job.title, result.error)
        return
    precisions = [name for name in result.metrics if name.startswith("P@")]
    shown = [f"{name} {result.metrics[name]:.2f}" for name in precisions] or [
        f"{name} {value:.4g}" for name, value in result.metrics.items()
    ]
    took = spoken(result.seconds["train"] + result.seconds.get("predict", 0.0))
    logger.info("%s done in %s: %s", job.title, took, " ".join(shown))

"""A whole run: the jobs of a plan one after the other, skipping what is done or held by others."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from xcbench.errors import DataError, LockedError, XCBenchError
from xcbench.runner.execute import execute
from xcbench.runner.executors import stop_workers
from xcbench.runner.locks import hold
from xcbench.runner.logs import run_log
from xcbench.runner.plan import Job, Plan
from xcbench.runner.progress import Progress, spoken
from xcbench.runner.provenance import collect
from xcbench.runner.result import Result
from xcbench.runner.store import ResultStore, State

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Due:
    """Which jobs are to be run: new ones always, others on request."""

    force: bool = False
    retry_failed: bool = False

    def __call__(self, state: State) -> bool:
        return self.force or state == "new" or (state == "failed" and self.retry_failed)


@dataclass
class Summary:
    """What a run came to: run ids, in the order of the plan."""

    executed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped_done: list[str] = field(default_factory=list)
    skipped_failed: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    data_errors: int = 0

    @property
    def exit_code(self) -> int:
        """0 done or nothing to do, 1 a job failed, 3 data missing, 4 all that is left is locked."""
        if self.failed:
            return XCBenchError.exit_code
        if self.data_errors:
            return DataError.exit_code
        return LockedError.exit_code if self.locked and not self.executed else 0

    def skip(self, run_id: str, state: State) -> None:
        (self.skipped_failed if state == "failed" else self.skipped_done).append(run_id)


def run_jobs(plan: Plan, store: ResultStore, progress: Progress, is_due: Due) -> Summary:
    """Run what is due; every result is stored and joined to the table as soon as it is there."""
    summary = Summary(data_errors=len(plan.data_errors))
    due: list[Job] = []
    for job in plan.jobs:
        state = store.state(job.run_id)
        if is_due(state):
            due.append(job)
        else:
            summary.skip(job.run_id, state)
    provenance = collect() if due else {}
    try:
        with progress.jobs(len(due)) as advance:
            for number, job in enumerate(due, start=1):
                logger.info("job %d of %d: %s (%s)", number, len(due), job.title, job.run_id)
                _run_unless_held(job, store, progress, provenance, is_due, summary)
                advance()
    except (KeyboardInterrupt, SystemExit):
        stop_workers()
        raise
    store.write_table()
    return summary


def _run_unless_held(
    job: Job,
    store: ResultStore,
    progress: Progress,
    provenance: dict[str, Any],
    is_due: Due,
    summary: Summary,
) -> None:
    folder = store.folder(job.run_id)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with hold(folder):
            state = store.state(job.run_id)
            if not is_due(state):  # Another process ran it since we planned.
                summary.skip(job.run_id, state)
                return
            with run_log(folder / "log.txt"):
                result = _run_held(job, store, progress, provenance)
    except LockedError as error:
        logger.warning("%s", error)
        summary.locked.append(job.run_id)
        return
    summary.executed.append(job.run_id)
    if result.status == "failed":
        summary.failed.append(job.run_id)


def _run_held(
    job: Job, store: ResultStore, progress: Progress, provenance: dict[str, Any]
) -> Result:
    try:
        partial = store.start(job.run_id, job.mapping())
        result = execute(job, partial, progress, provenance)
        store.commit(result)
    except (KeyboardInterrupt, SystemExit):
        logger.warning("interrupted; %s is still to do", job.title)
        raise
    _announce(job, result)
    return result


def _announce(job: Job, result: Result) -> None:
    if result.status == "failed":
        logger.error("%s failed: %s", job.title, result.error)
        return
    best = " ".join(f"{k} {v:.2f}" for k, v in result.metrics.items() if k.startswith("P@"))
    took = spoken(result.seconds["train"] + result.seconds["predict"])
    logger.info("%s done in %s: %s", job.title, took, best)

"""From a job to its result: run it, measure it, and let nothing it raises escape."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from xcbench.config.changes import changed
from xcbench.errors import XCBenchError
from xcbench.models.base import worded
from xcbench.models.memory import too_large, warning, within
from xcbench.runner.available_memory import available_memory
from xcbench.runner.checkpoints import AFTER_S, NEVER, Checkpoints
from xcbench.runner.elsewhere import ClusterError
from xcbench.runner.executors import (
    InProcessExecutor,
    limited_threads,
    make_executor,
    stop_workers,
)
from xcbench.runner.files import is_storage_failure
from xcbench.runner.memory import PeakMemory
from xcbench.runner.plan import Job, results_version
from xcbench.runner.progress import Progress
from xcbench.runner.provenance import code_sha256
from xcbench.runner.result import Result, Status
from xcbench.tasks import kind_of, needs_workers

logger = logging.getLogger(__name__)

_AFTER_S = {"auto": AFTER_S, "always": 0.0, "never": NEVER}
_SOFTWARE = ("python", "numpy", "scipy", "numba", "blas")


@dataclass(frozen=True)
class Places:
    """Where a job puts what it makes, and its finished tasks on the way there."""

    gathered: Path
    checkpoint: Path


def execute(job: Job, places: Places, progress: Progress, provenance: dict[str, Any]) -> Result:
    """Run one job.

    Returns
    -------
    Result
        Status "done", or "failed" with the error; the traceback of an unexpected one is logged.

    Raises
    ------
    OSError
        The disk is full or failing: nothing is said about the job.
    ClusterError
        Other machines cannot be reached or cannot work; the same.
    """
    checkpoints = checkpoints_of(job, places.checkpoint, provenance)
    error, outcome = "", None
    estimated: int | None = 0
    kind = kind_of(job.config)
    spread = needs_workers(job.config)
    if not spread:
        stop_workers()  # Those of the job before would count as memory of this one.
        if job.executor.backend in ("dask", "slurm"):
            logger.info("%s has no tasks to send away: it runs on this machine", job.title)
    executor = make_executor(
        job.executor, progress, checkpoints, job.data.content.folder if spread else None
    )
    try:
        with PeakMemory() as memory, limited_threads(job.executor.threads):
            try:
                estimated = estimated_memory(job, executor, spread)
                if spread:
                    executor.start()
                outcome = kind.run(job.config, job.data, places.gathered, executor)
            except ClusterError:
                raise
            except XCBenchError as caught:
                error = str(caught)
            except Exception as caught:
                if is_storage_failure(caught):
                    raise
                error = worded(caught)
                logger.debug("the job raised", exc_info=True)
    finally:
        executor.close()
        checkpoints.close()
    result = blank(job, "done" if outcome else "failed", error, provenance)
    execution = {
        "jobs": executor.workers,
        "threads_per_job": executor.threads,
        "backend": executor.backend,
    }
    sizes = dict(result.sizes)
    if estimated is not None:
        sizes["estimated_bytes"] = estimated
    if not executor.is_elsewhere:  # Of other machines nothing was measured.
        sizes["peak_rss_bytes"] = memory.bytes
    if outcome is None:
        return replace(result, sizes=sizes, execution=execution)
    return replace(
        result,
        metrics=outcome.metrics,
        seconds=_with_earlier(outcome.seconds, checkpoints.resumed_seconds),
        sizes=sizes | outcome.sizes,
        execution=execution | {"resumed_tasks": checkpoints.resumed_tasks},
        predictions_sha256=outcome.predictions_sha256,
    )


def estimated_memory(job: Job, executor: InProcessExecutor, spread: bool) -> int | None:
    """The bytes a job will take; holds it to its limit, and warns where there are not so many.

    None for a job that is too small to ask: what Python itself takes is most of it.
    """
    estimated = kind_of(job.config).memory(job.config, job.data, executor.workers)
    budget = job.executor.max_memory_bytes
    if estimated is None:
        if budget is not None:
            logger.warning("%s: its memory is not estimated, and not held to a limit", job.title)
        return None
    # Fewer processes would be fewer threads of a WholeModel, and no less memory.
    if budget is not None and spread:
        if (limits := within(estimated, budget)) is None:
            raise XCBenchError(too_large(estimated, budget))
        executor.limit(limits)
        estimated = estimated.limited(limits)
    too_much = None if executor.is_elsewhere else warning(estimated, available_memory())
    if too_much is not None:
        logger.warning("%s: %s", job.title, too_much)
    return estimated.total


def blank(job: Job, status: Status, error: str, provenance: dict[str, Any]) -> Result:
    """What is known of a job before anything was measured."""
    return Result(
        run_id=job.run_id,
        utc=datetime.now(UTC).isoformat(timespec="seconds"),
        status=status,
        error=error,
        dataset=job.config.dataset.title,
        config=job.mapping(),
        overrides=changed(job.config),
        config_sha256=job.config_sha256,
        data_sha256=job.data.sha256,
        metrics={},
        seconds={},
        sizes={"n_train": job.data.sizes.n_train, "n_test": job.data.sizes.n_test},
        execution={},
        provenance=provenance,
        sources=list(job.data.sources),
        data_root=job.data_root,
        results_version=results_version(job.config, job.data.sizes),
    )


def _with_earlier(seconds: dict[str, float], earlier: dict[str, float]) -> dict[str, float]:
    """Wall seconds with those of killed attempts whose finished tasks were taken over."""
    total = dict(seconds)
    for stage, spent in earlier.items():
        total["predict" if stage == "predict" else "train"] += spent
    return total


def checkpoints_of(job: Job, folder: Path, provenance: dict[str, Any]) -> Checkpoints:
    """Where a job's finished tasks go, below a folder."""
    software = {name: provenance[name] for name in _SOFTWARE}
    software |= {"code_sha256": code_sha256(), "threads": job.executor.threads}
    return Checkpoints(folder, _AFTER_S[job.executor.checkpoint], software)

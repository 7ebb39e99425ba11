"""From a job to its result: run it, measure it, and let nothing it raises escape."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from xcbench.config.changes import changed
from xcbench.errors import XCBenchError
from xcbench.runner.executors import limited_threads, make_executor
from xcbench.runner.memory import PeakMemory
from xcbench.runner.plan import Job
from xcbench.runner.progress import Progress
from xcbench.runner.result import Result
from xcbench.tasks import xc

logger = logging.getLogger(__name__)


def execute(job: Job, folder: Path, progress: Progress, provenance: dict[str, Any]) -> Result:
    """Run one job; what it makes lies in ``folder``.

    Returns
    -------
    Result
        Status "done", or "failed" with the error; the traceback of an unexpected one is logged.
    """
    executor = make_executor(job.executor, progress)
    error, outcome = "", None
    with PeakMemory() as memory, limited_threads(job.executor.threads):
        try:
            executor.start()
            outcome = xc.run(job.config, job.data, folder, executor)
        except XCBenchError as caught:
            error = str(caught)
        except Exception as caught:
            error = f"{type(caught).__name__}: {caught}"
            logger.debug("the job raised", exc_info=True)
    sizes = {"n_train": job.data.sizes.n_train, "n_test": job.data.sizes.n_test}
    if outcome is not None:
        sizes |= {
            "test_rows_without_labels": outcome.test_rows_without_labels,
            "model_bytes": outcome.model_bytes,
        }
    return Result(
        run_id=job.run_id,
        utc=datetime.now(UTC).isoformat(timespec="seconds"),
        status="failed" if outcome is None else "done",
        error=error,
        dataset=job.config.dataset.title,
        config=job.mapping(),
        overrides=changed(job.config),
        config_sha256=job.config_sha256,
        data_sha256=job.data.sha256,
        metrics=outcome.metrics if outcome else {},
        seconds=outcome.seconds if outcome else {},
        sizes=sizes | {"peak_rss_bytes": memory.bytes},
        execution={
            "jobs": executor.jobs,
            "threads_per_job": executor.threads,
            "backend": executor.backend,
        },
        provenance=provenance,
    )

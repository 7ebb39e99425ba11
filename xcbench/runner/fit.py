"""Trains the model of one job for keeps, through the executor that its config asks for."""

from __future__ import annotations

from pathlib import Path

from xcbench.errors import XCBenchError
from xcbench.inference.fit import fit_model
from xcbench.models.base import worded
from xcbench.runner.execute import checkpoints_of, estimated_memory
from xcbench.runner.executors import limited_threads, make_executor, stop_workers
from xcbench.runner.plan import Job
from xcbench.runner.progress import Progress
from xcbench.runner.provenance import collect
from xcbench.tasks import needs_workers


def fit(job: Job, folder: Path, tasks: Path, progress: Progress) -> None:
    """Fill a model folder.

    Parameters
    ----------
    job : Job
        Of extreme classification.
    folder : Path
        See ``inference.fit.fit_model``.
    tasks : Path
        Absolute; where large results of tasks lie meanwhile.
    progress : Progress

    Raises
    ------
    XCBenchError
        A task failed, memory does not suffice, or other machines cannot be reached.
    """
    checkpoints = checkpoints_of(job, tasks, collect())
    spread = needs_workers(job.config)
    executor = make_executor(
        job.executor, progress, checkpoints, job.data.content.folder if spread else None
    )
    try:
        with limited_threads(job.executor.threads):
            estimated_memory(job, executor, spread)
            if spread:
                executor.start()
            fit_model(job.config, job.data, folder, executor)  # type: ignore[arg-type]
    except MemoryError as error:
        raise XCBenchError(worded(error)) from None
    except BaseException:
        stop_workers()
        raise
    finally:
        executor.close()
        checkpoints.close()

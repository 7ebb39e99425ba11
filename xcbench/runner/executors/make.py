"""Which executor a config asks for, and what it needs."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import joblib

from xcbench.config.executor import ExecutorConfig
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.elsewhere import Conditions
from xcbench.runner.executors.base import InProcessExecutor
from xcbench.runner.executors.dask import DaskExecutor
from xcbench.runner.executors.processes import LokyExecutor
from xcbench.runner.executors.slurm import SlurmExecutor
from xcbench.runner.progress import Progress

_LIBRARIES = {"dask": "distributed", "slurm": "submitit"}


def missing(config: ExecutorConfig) -> str | None:
    """What has to be there before the backend can be used, as a sentence; None if nothing."""
    library = _LIBRARIES.get(config.backend)
    if library is not None and find_spec(library) is None:
        return (
            f"executor.backend: {config.backend} needs {library}, which is not installed: "
            "pip install 'xcbench[cluster]'"
        )
    if config.backend == "slurm" and config.cluster == "slurm" and shutil.which("sbatch") is None:
        return "executor.backend: slurm needs sbatch, which this machine does not have"
    return None


def processes(config: ExecutorConfig) -> int:
    """Processes of this machine that a config asks for."""
    return joblib.cpu_count() if config.jobs == -1 else config.jobs


def make_executor(
    config: ExecutorConfig,
    progress: Progress,
    checkpoints: Checkpoints | None = None,
    data: Path | None = None,
) -> InProcessExecutor:
    """The executor a config asks for; one process is always this one.

    Parameters
    ----------
    config : ExecutorConfig
    progress : Progress
    checkpoints : Checkpoints, optional
    data : Path, optional
        Folder of the prepared data. Without it, or a task folder, all stays on this machine: in
        one process where the config asks for others.

    Raises
    ------
    ClusterError
        See DaskExecutor.
    """
    if config.backend in _LIBRARIES:
        if data is None or checkpoints is None or checkpoints.folder is None:
            return InProcessExecutor(config.threads, progress, checkpoints)
        conditions = Conditions.here(checkpoints.folder, data)
        if config.backend == "slurm":
            return SlurmExecutor(config, progress, checkpoints, conditions)
        assert config.scheduler is not None
        return DaskExecutor(config.scheduler, config.threads, progress, checkpoints, conditions)
    jobs = processes(config)
    if config.backend == "inline" or jobs == 1:
        return InProcessExecutor(config.threads, progress, checkpoints)
    return LokyExecutor(jobs, config.threads, progress, checkpoints)

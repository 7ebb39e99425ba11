"""One measurement in a process of its own: ``python -m xcbench.bench.scaling.child TASK FOLDER``.

The folder holds ``config.yaml``, a config of one job; what was measured is left there as
``reply.json``. Its tasks are ``prepare``, ``job`` and ``rates``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from xcbench.bench.scaling.rates import cluster_rates
from xcbench.bench.scaling.recorder import SAMPLED_EVERY, RecordingExecutor, StageCost
from xcbench.config.loader import load_config
from xcbench.config.schema import Config
from xcbench.data.sources import locate
from xcbench.data.store import prepare
from xcbench.errors import XCBenchError
from xcbench.models import load_model
from xcbench.models.local_embedding import LocalEmbedding
from xcbench.runner.checkpoints import AFTER_S, Checkpoints
from xcbench.runner.executors import limited_threads, make_executor, stop_workers
from xcbench.runner.memory import PeakMemory
from xcbench.runner.progress import LogProgress
from xcbench.tasks import xc

# One after the other in the tasks of the executor's stage "clusters".
CLUSTER_STAGES = ("neighbours", "completion", "regression", "vote")
CONFIG, REPLY, ERROR = "config.yaml", "reply.json", "error.txt"
MODEL, TASK_FILES = "model", "tasks"


def measure_prepare(config: Config, folder: Path) -> dict[str, Any]:
    """Parsing, checking, scaling and writing the data of a config."""
    located = locate(config.body.dataset, folder)
    before = _resident()
    with PeakMemory(SAMPLED_EVERY) as memory:
        start = perf_counter()
        prepare(located, config.body.dataset.features)
        wall = perf_counter() - start
    cost = StageCost(wall, wall, memory.bytes)
    return {"base_bytes": before, "stages": {"prepare": asdict(cost)}}


def measure_job(config: Config, folder: Path) -> dict[str, Any]:
    """Training, saving, predicting and scoring, as a run does it."""
    (job,) = config.jobs()
    data = xc.open_data(job.dataset, folder, job.split)
    checkpoints = Checkpoints(folder / TASK_FILES, AFTER_S, {})
    inner = make_executor(config.executor, LogProgress(), checkpoints)
    with limited_threads(config.executor.threads):
        if xc.needs_workers(job):
            inner.start()
        before = _resident()
        with RecordingExecutor(inner) as executor:
            outcome = xc.run(job, data, folder, executor)
    stop_workers()
    stages = _in_parts(executor.stages, outcome.seconds)
    return {
        "base_bytes": before,
        "peak_bytes": executor.peak_bytes,
        "stages": {name: asdict(cost) for name, cost in stages.items()},
        "train_s": outcome.seconds["train"],
        "predict_s": outcome.seconds["predict"],
        "metrics": outcome.metrics,
        "model_bytes": outcome.sizes["model_bytes"],
        "feature_entries": int(data.prepared.train.X.nnz),
        "label_entries": int(data.prepared.train.Y.nnz),
    }


def _in_parts(stages: dict[str, StageCost], seconds: dict[str, float]) -> dict[str, StageCost]:
    """The executor's stages, what the tasks of clusters do, and predict with what comes before."""
    found = dict(stages)
    if (together := stages.get("clusters")) is not None:
        for name in CLUSTER_STAGES:
            found[name] = StageCost(None, seconds.get(name, 0.0), together.peak_bytes)
    if (tasks := stages.get("predict")) is not None and tasks.wall_s is not None:
        wall = seconds["predict"]
        before = wall - tasks.wall_s  # finding the rows of each task, in this process
        found["predict"] = StageCost(wall, before + tasks.task_s, tasks.peak_bytes)
    return found


def measure_rates(config: Config, folder: Path) -> dict[str, Any]:
    """Time and operations of the stages of one cluster, by one thread; ``model`` is fitted."""
    (job,) = config.jobs()
    data = xc.open_data(job.dataset, folder, job.split)
    model = load_model(folder / MODEL)
    if not isinstance(model, LocalEmbedding):
        raise TypeError(f"{type(model).__name__} has no clusters")
    with limited_threads(1):
        return cluster_rates(model, data.prepared.train, data.prepared.test)


TASKS: dict[str, Callable[[Config, Path], dict[str, Any]]] = {
    "prepare": measure_prepare,
    "job": measure_job,
    "rates": measure_rates,
}


def _resident() -> int:
    """Bytes that this process and its children hold now."""
    with PeakMemory() as memory:
        pass
    return memory.bytes


def main() -> int:
    """Run the task that the command line names; the exit code is that of the error, else 0."""
    task, folder = sys.argv[1], Path(sys.argv[2])
    try:
        reply = TASKS[task](load_config(folder / CONFIG), folder)
    except XCBenchError as error:
        (folder / ERROR).write_text(str(error), encoding="utf-8")
        return error.exit_code
    (folder / REPLY).write_text(json.dumps(reply), encoding="utf-8")
    return 0


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # the process that started this one says so
        sys.exit(main())

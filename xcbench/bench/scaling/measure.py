"""Makes the data of each shape, measures its points one by one, and keeps what came out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryDirectory
from typing import Any

from xcbench.bench.scaling.child import CONFIG, ERROR, MODEL, REPLY, TASK_FILES
from xcbench.bench.scaling.plan import OURS, Point, spoken
from xcbench.bench.scaling.rates import Work
from xcbench.bench.scaling.recorder import StageCost
from xcbench.config.presets import PRESETS
from xcbench.config.tasks import ALL_MODELS as MODELS
from xcbench.data.catalogue import Propensity
from xcbench.data.synthesis.make import GENERATOR, SynthesisShape, synthesize
from xcbench.data.synthesis.room import require_room
from xcbench.errors import XCBenchError
from xcbench.models.peers import missing
from xcbench.runner.available_memory import available_memory
from xcbench.runner.files import remove

SEED = 0
TRAIN, TEST = "train.txt", "test.txt"
_CHILD = "xcbench.bench.scaling.child"


@dataclass(frozen=True)
class Measurement:
    """A point and what came of it.

    Attributes
    ----------
    point : Point
    error : str
        Why it was not measured; "" if it was.
    is_left_out : bool
        Whether it was not tried, for want of the library.
    stages : dict of str to StageCost
        prepare; and of rxml partition, clusters, what its tasks do, and predict.
    totals : dict
        base_bytes and peak_bytes (resident before and at most), train_s, predict_s, metrics,
        model_bytes, feature_entries, label_entries.
    """

    point: Point
    error: str = ""
    is_left_out: bool = False
    stages: dict[str, StageCost] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scaling:
    """All measurements, and the work of the stages of the base in one process (see rates)."""

    measurements: tuple[Measurement, ...]
    work: dict[str, Work]


def measure(
    groups: Sequence[Sequence[Point]],
    propensity: Propensity,
    kept: Path | None,
    say: Callable[[str], None],
    keep: Callable[[Sequence[Measurement]], None],
) -> Scaling:
    """Measure every point, each in a process of its own, those of a shape on the same files.

    Parameters
    ----------
    groups : sequence of sequence of Point
        Points of the same shape together, see plan.
    propensity : Propensity
        Of the metrics.
    kept : Path or None
        Where the texts are kept and found again; they are removed at the end if None.
    say : callable
        Told what is done next.
    keep : callable
        Given all measurements so far, whenever there is one more.
    """
    found: list[Measurement] = []
    work: dict[str, Work] = {}
    for group in groups:
        with TemporaryDirectory(
            prefix="xcbench-scaling-", dir=kept, ignore_cleanup_errors=True
        ) as folder:
            try:
                texts = _texts(group[0].shape, kept or Path(folder), say)
            except XCBenchError as error:  # no room for it: smaller ones have been measured
                found += [Measurement(point, str(error)) for point in group]
                keep(found)
                continue
            bench = _Bench(Path(folder), texts, propensity)
            for measurement in bench.measurements(group, say):
                found.append(measurement)
                keep(found)
                if _tells_work(measurement):
                    work = _work(bench, measurement, found)
    return Scaling(tuple(found), work)


def _work(bench: _Bench, measurement: Measurement, found: list[Measurement]) -> dict[str, Work]:
    """The work of the job just measured; a failure is added to what was found."""
    try:
        return bench.work(measurement)
    except XCBenchError as error:
        found.append(Measurement(measurement.point, f"its work: {error}"))
        return {}


def _tells_work(measurement: Measurement) -> bool:
    """Whether it is the base in one process."""
    point = measurement.point
    return not measurement.error and point.jobs == 1 and "processes" in point.axes


def _texts(shape: SynthesisShape, root: Path, say: Callable[[str], None]) -> Path:
    """The folder with the texts of a shape; made unless it is there."""
    # Another generator draws other data, another version of the package need not.
    name = sha256(repr((GENERATOR, SEED, astuple(shape))).encode()).hexdigest()[:8]
    folder = root / f"n{shape.n_train}-d{shape.n_features}-l{shape.n_labels}-{name}"
    if not folder.is_dir():
        require_room(shape, folder, available_memory())
        say(f"making data: {spoken(shape)}")
        synthesize(folder, shape, SEED)
    return folder


class _Bench:
    """Measures on the texts of one shape.

    Parameters
    ----------
    folder : Path
        For all that is made on the way.
    texts : Path
    propensity : Propensity
    """

    def __init__(self, folder: Path, texts: Path, propensity: Propensity) -> None:
        self._folder = folder
        self._texts = texts
        self._propensity = propensity

    def measurements(
        self, points: Sequence[Point], say: Callable[[str], None]
    ) -> Iterator[Measurement]:
        """One for every point; the model of the last stays in the folder till the next."""
        try:
            prepared = self._run("prepare", OURS, 1)
        except XCBenchError as error:
            yield from (Measurement(point, str(error)) for point in points)
            return
        for point in points:
            say(str(point))
            yield self._measured(point, prepared)

    def _measured(self, point: Point, prepared: dict[str, Any]) -> Measurement:
        preset = PRESETS[point.method]
        lacking = missing(MODELS[preset["model"]].model_validate(preset))
        if lacking is not None:
            return Measurement(point, lacking, is_left_out=True)
        try:
            totals = self._run("job", point.method, point.jobs)
        except XCBenchError as error:
            return Measurement(point, str(error))
        costs = prepared["stages"] | totals.pop("stages")
        stages = {name: StageCost(**cost) for name, cost in costs.items()}
        totals["prepare_base_bytes"] = prepared["base_bytes"]
        return Measurement(point, stages=stages, totals=totals)

    def work(self, measurement: Measurement) -> dict[str, Work]:
        """What the stages of the job just measured did, with the seconds it took."""
        found = {name: Work(**work) for name, work in self._run("rates", OURS, 1).items()}
        size = sum(path.stat().st_size for path in self._files)
        found = {"prepare": Work(f"{size / 1e6:,.1f} MB of text", None, 0.0, float(size))} | found
        return {
            name: work if work.seconds else replace(work, seconds=measurement.stages[name].task_s)
            for name, work in found.items()
        }

    @property
    def _files(self) -> tuple[Path, Path]:
        return self._texts / TRAIN, self._texts / TEST

    def _run(self, task: str, method: str, jobs: int) -> dict[str, Any]:
        """Have a new process do a task of child.py.

        Raises
        ------
        XCBenchError
            It failed; the text says why in one line.
        """
        train, test = self._files
        config = {
            "dataset": {
                "train": str(train),
                "test": str(test),
                "propensity": {"a": self._propensity.a, "b": self._propensity.b},
            },
            "method": method,
            "seed": SEED,
            "executor": {"jobs": jobs},
        }
        (self._folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
        for name in (REPLY, ERROR, *((MODEL, TASK_FILES) if task == "job" else ())):
            remove(self._folder / name)
        done = subprocess.run(
            [sys.executable, "-m", _CHILD, task, str(self._folder)],
            env=os.environ | {"XCBENCH_CACHE": str(self._folder / "cache")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise XCBenchError(self._why(done))
        reply: dict[str, Any] = json.loads((self._folder / REPLY).read_text(encoding="utf-8"))
        return reply

    def _why(self, done: subprocess.CompletedProcess[str]) -> str:
        """Why a process failed, in one line."""
        if (self._folder / ERROR).is_file():
            return (self._folder / ERROR).read_text(encoding="utf-8")
        if done.returncode == -SIGKILL:
            return "the process was killed (out of memory is the usual cause)"
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"the process ended with status {done.returncode}"

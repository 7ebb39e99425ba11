"""Runs the trials of a search, each as the runner runs a job, and leaves none of their files."""

from __future__ import annotations

import logging
import math
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.config.yaml import inline
from xcbench.data.dataset import TopK
from xcbench.errors import ConfigError, XCBenchError
from xcbench.metrics.per_row import per_row
from xcbench.metrics.propensity import inverse_propensity
from xcbench.models.peers import missing
from xcbench.runner.execute import Places, execute
from xcbench.runner.executors import missing as missing_backend
from xcbench.runner.executors import stop_workers
from xcbench.runner.files import StorageError, is_storage_failure, storage_reason
from xcbench.runner.plan import Job, impossible_values, make_job
from xcbench.runner.progress import Advance, LogProgress, Progress, spoken
from xcbench.runner.provenance import collect
from xcbench.runner.result import Result
from xcbench.runner.signals import ending
from xcbench.tasks.base import PREDICTIONS
from xcbench.tasks.xc import XCData
from xcbench.tuning.journal import Journal
from xcbench.tuning.samplers import Sampler, Tried
from xcbench.tuning.search import Search
from xcbench.tuning.space import Point
from xcbench.tuning.trial_lines import Trial

logger = logging.getLogger(__name__)

WORK = ".trial"


class TrialLog(LogProgress):
    """Log lines of trials, and none of their stages."""

    @contextmanager
    def stage(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        yield lambda: None


@dataclass(frozen=True)
class Trials:
    """The trials of a search on opened data."""

    search: Search
    data: XCData
    data_root: Path
    sampler: Sampler
    journal: Journal
    progress: Progress

    def run(self, count: int, deadline: float = float("inf")) -> None:
        """Run the trials 0 to count - 1 that are not settled; none starts after the deadline.

        Raises
        ------
        XCBenchError
            A library or a backend is not there, or the folder can no longer be written.
        """
        what = missing(self.search.job.method.settings) or missing_backend(self.search.executor)
        if what:
            raise XCBenchError(what)
        due = self._due(count, set())
        if due and (done := sum(trial.is_done for trial in self.journal.trials)):
            logger.info("%d trials were done before", done)
        provenance = collect() if due else {}
        try:
            with self.progress.jobs(len(due)) as advance:
                tried: set[int] = set()
                # Trial 0 may succeed where it had failed, and the others are due to be compared.
                while due := self._due(count, tried):
                    if time.monotonic() >= deadline:
                        logger.info("the time is over: %d trials are left", len(due))
                        break
                    tried.add(due[0])
                    self._announce(self._run(due[0], provenance), count)
                    advance()
        except OSError as error:
            if not is_storage_failure(error):
                raise
            raise StorageError(
                f"{self.journal.folder} can no longer be written ({storage_reason(error)}). "
                "Finished trials are kept: make room and run this again"
            ) from None
        except BaseException:
            stop_workers()
            raise
        finally:
            _remove_unless_resumable(self.journal.folder / WORK)

    def _due(self, count: int, tried: set[int]) -> list[int]:
        return [
            number
            for number in range(count)
            if number not in tried and not self.journal.is_settled(number)
        ]

    def _run(self, number: int, provenance: dict[str, Any]) -> Trial:
        point, start = self._point(number), time.monotonic()
        try:
            job = self._job(point)
        except ConfigError as error:
            trial = Trial(number, point, error=str(error), is_impossible=True)
            self.journal.add(trial)
            return trial
        try:
            trial, rows = self._measured(number, point, job, provenance)
        except (KeyboardInterrupt, SystemExit) as error:
            after = spoken(time.monotonic() - start)
            what = f"{ending(error)} after {after}"
            logger.warning("interrupted (%s); trial %d is still to do", what, number)
            raise
        self.journal.add(trial, rows)
        shutil.rmtree(self.journal.folder / WORK, ignore_errors=True)
        return trial

    def _point(self, number: int) -> Point:
        if number == 0:
            return self.search.start
        if (before := self.journal.get(number)) is not None:
            return before.point
        earlier = [trial for trial in self.journal.trials if trial.number < number]
        tried = [Tried(trial.point, trial.scores.get("objective")) for trial in earlier]
        return self.sampler.point(number, tried)

    def _job(self, point: Point) -> Job:
        """The job of a point.

        Raises
        ------
        ConfigError
            Its values do not go together, or the data does not have them.
        """
        config = self.search.at(point)
        if impossible := list(impossible_values(config, self.data.sizes)):
            raise ConfigError("; ".join(impossible))
        return make_job(config, self.search.executor, self.data, self.data_root)

    def _measured(
        self, number: int, point: Point, job: Job, provenance: dict[str, Any]
    ) -> tuple[Trial, np.ndarray | None]:
        # Finished tasks of a killed trial are of use when it is done again, what it gathered not.
        work = self.journal.folder.absolute() / WORK
        gathered = work / "gathered"
        shutil.rmtree(gathered, ignore_errors=True)
        gathered.mkdir(parents=True)
        places = Places(gathered, work / f"checkpoint-{job.run_id[-8:]}")
        result = execute(job, places, self.progress, provenance)
        if result.status != "done":
            return Trial(number, point, error=result.error), None
        rows = self._per_row(job, gathered / PREDICTIONS)
        return self._trial(number, point, result, rows), rows

    def _trial(self, number: int, point: Point, result: Result, rows: np.ndarray) -> Trial:
        scores = {
            "objective": result.metrics[self.search.objective],
            "se": standard_error(rows),
        }
        first = self.journal.baseline if number else rows
        if first is not None:
            scores["difference"] = float(np.mean(rows - first))
            scores["difference_se"] = standard_error(rows - first)
        seconds = {f"{name}_s": result.seconds[name] for name in ("train", "predict")}
        return Trial(number, point, scores, dict(result.metrics), seconds)

    def _per_row(self, job: Job, predictions: Path) -> np.ndarray:
        with np.load(predictions, allow_pickle=False) as arrays:
            top = TopK(arrays["labels"], arrays["scores"])
        wanted, constants = job.config.metrics, self.data.propensity
        weights = inverse_propensity(self.data.undamaged.train.Y, constants.a, constants.b)
        parts = per_row(top, self.data.prepared.test.Y, weights, wanted.k, wanted.psndcg)
        one = parts.only([self.search.objective])
        return row_scores(one.gains[:, 0], one.norms[:, 0])

    def _announce(self, trial: Trial, count: int) -> None:
        values = ", ".join(f"{key} {inline(value)}" for key, value in trial.point.items())
        came_to = f"failed: {trial.error}"
        if trial.is_done:
            came_to = f"{self.search.objective} {trial.scores['objective']:.2f}"
            if trial.number and trial.is_compared:
                came_to += f" ({trial.scores['difference']:+.2f})"
        logger.info("trial %d, the last is %d: %s: %s", trial.number, count - 1, values, came_to)


def row_scores(gains: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Numbers a row whose mean is 100 * gains.sum() / norms.sum().

    Of a ratio of sums they are its linearisation (the delta method), so that the standard error of
    their mean is that of the ratio, and of the mean of a difference that of two ratios' difference;
    where the norms are 1, as of P@k, they are the rows' own percentages.
    """
    total = float(norms.sum())
    ratio = float(gains.sum()) / total if total else 0.0
    scale = total / norms.size if total else 1.0
    scores: np.ndarray = 100.0 * (ratio + (gains - ratio * norms) / scale)
    return scores


def standard_error(rows: np.ndarray) -> float:
    """The standard error of the mean of rows; nan of a single one."""
    return float(np.std(rows, ddof=1) / np.sqrt(rows.size)) if rows.size > 1 else math.nan


def _remove_unless_resumable(work: Path) -> None:
    """Remove what a trial leaves that did not end, but for finished tasks that it can take over."""
    shutil.rmtree(work / "gathered", ignore_errors=True)
    if not any(path.is_file() for path in work.rglob("*")):
        shutil.rmtree(work, ignore_errors=True)

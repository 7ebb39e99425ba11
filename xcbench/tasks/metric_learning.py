"""Metric learning for nearest neighbours: the experiment of the ITML lecture notes.

One job is one run: its seed draws two halves, each of which is the test once, so that every point
is classified once. The halves are the same for all methods.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from xcbench.config.metric_learning import MetricLearningDataset
from xcbench.config.schema import JobConfig
from xcbench.data.class_table import ClassTable, find_class_table, read_class_table
from xcbench.errors import DataError
from xcbench.models.base import Executor
from xcbench.models.memory import MemoryEstimate
from xcbench.models.metric_neighbours import learn, majority
from xcbench.tasks.base import Outcome, Sizes, TaskData, digest, read_sources, save_arrays

_LEAST_ROWS = 4  # two halves, each of which is halved again to choose gamma


def open_data(dataset: MetricLearningDataset, data_root: Path, split: int) -> TaskData:
    """Read the table of a dataset; seeds draw its halves, and ``split`` has no meaning here.

    Raises
    ------
    DataError
        It is missing, malformed or too short.
    """
    path = find_class_table(dataset.name, data_root)
    table = read_class_table(path)
    n, d = table.X.shape
    if n < _LEAST_ROWS:
        raise DataError(f"{path}: found {n} rows; expected at least {_LEAST_ROWS}")
    sources = read_sources([path])
    sizes = Sizes(n_train=n // 2, n_test=n, n_features=d, n_labels=len(table.classes))
    return TaskData(digest(sources, dataset), sizes, sources, table)


def memory(job: JobConfig, data: TaskData, jobs: int) -> MemoryEstimate | None:
    """None: tables of classified points are small."""
    return None


def run(job: JobConfig, data: TaskData, folder: Path, executor: Executor) -> Outcome:
    """Learn from each half, classify the other; leaves ``predictions.npz`` in the folder.

    It holds, for the points in the order of the file, the predicted and true class (``labels``,
    ``truth``) and the half that tested it (``folds``); for the halves the ``metrics`` (2, d, d)
    learned from the other one, the ``gammas`` and the ``cross_validation`` errors they have.
    The metric "error_rate" is the share of all points wrongly classified, percent.

    Raises
    ------
    TaskError
        Some metric could not be learned.
    """
    table: ClassTable = data.content
    task, settings = job.task, job.method.settings
    order = np.random.default_rng(job.seed).permutation(len(table.y))
    halves = np.array_split(order, 2)
    start = time.perf_counter()
    scaled = [_scaled(table.X, halves[1 - test], task.standardise) for test in range(2)]
    parts = [(scaled[test][halves[1 - test]], table.y[halves[1 - test]]) for test in range(2)]
    learned = learn(settings, parts, task.neighbours, job.seed, executor)
    seconds = {"train": time.perf_counter() - start}
    start = time.perf_counter()
    labels = np.empty_like(table.y)
    folds = np.empty(table.y.size, np.int8)
    for test, rows in enumerate(halves):
        labels[rows] = majority(
            *parts[test], scaled[test][rows], learned.factors[test], task.neighbours
        )
        folds[rows] = test
    seconds["predict"] = time.perf_counter() - start
    sha256 = save_arrays(
        folder,
        labels=labels,
        truth=table.y,
        folds=folds,
        metrics=learned.factors @ learned.factors.transpose(0, 2, 1),
        gammas=learned.gammas,
        cross_validation=learned.errors,
    )
    error = 100 * float(np.mean(labels != table.y))
    return Outcome({"error_rate": error}, seconds, {}, sha256)


def _scaled(X: np.ndarray, train: np.ndarray, standardise: bool) -> np.ndarray:
    """All rows with missing numbers replaced by the mean of the training rows, and standardised.

    A feature without any number in the training rows, or with one value there, is centred alone:
    it tells these rows nothing, and has no deviation to divide by.
    """
    known = ~np.isnan(X[train])
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, X[train], 0.0).sum(axis=0) / count
    centred = np.where(np.isnan(X), 0.0, X - mean)
    if not standardise:
        found: np.ndarray = centred + mean
        return found
    deviation = np.sqrt((centred[train] ** 2).mean(axis=0))
    # Rounding leaves a little of a constant feature.
    constant = deviation <= 1e-12 * np.maximum(np.abs(mean), 1e-300)
    return centred / np.where(constant, 1.0, deviation)

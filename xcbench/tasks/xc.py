"""The extreme-classification job: train on the training rows, rank the labels of the test rows.

The only place where a job touches data, models and metrics at once; whoever runs it sees names,
numbers and files.
"""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from xcbench.config.dataset import DatasetConfig, PropensityConfig
from xcbench.config.schema import JobConfig
from xcbench.data.catalogue import catalogue
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.matrix import take_rows
from xcbench.data.sources import locate
from xcbench.data.store import PreparedData, prepare
from xcbench.errors import DataError
from xcbench.metrics import evaluate
from xcbench.models import load_model, make_model
from xcbench.models.base import Executor, Model, Task, is_whole, row_blocks
from xcbench.models.memory import DataShape, MemoryEstimate, estimate
from xcbench.tasks.base import PREDICTIONS, Outcome, Sizes, TaskData

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class XCData(TaskData):
    """Data of extreme classification, and what its propensities are estimated from.

    ``undamaged`` is the same data without corruption: propensities are of it, or PSP would weigh
    labels otherwise for each share of corrupted rows.
    """

    propensity: PropensityConfig
    undamaged: PreparedData

    @property
    def prepared(self) -> PreparedData:
        prepared: PreparedData = self.content
        return prepared


def open_data(dataset: DatasetConfig, data_root: Path, split: int) -> XCData:
    """Find and prepare a dataset (once; later calls map what is prepared).

    Raises
    ------
    DataError
        The files are missing or malformed, or the training part has no label or no feature.
    """
    located = locate(dataset, data_root, split)
    prepared = undamaged = prepare(located, dataset.features)
    if dataset.corrupted is not None:
        clean = dataset.model_copy(update={"corrupted": None})
        undamaged = prepare(locate(clean, data_root, split), dataset.features)
    train, test = prepared.train, prepared.test
    for part, what in ((train.Y, "label"), (train.X, "feature")):
        if part.nnz == 0:
            raise DataError(
                f"{dataset.title}: none of the {train.n_points} training rows has a {what}; "
                "there is nothing to learn from"
            )
    unseen = prepared.meta["train_labels_unused"]
    sizes = Sizes(train.n_points, test.n_points, train.n_features, train.n_labels, unseen)
    # The prepared data may have been made from equal files elsewhere.
    sources = tuple(
        source | {"path": str(path.absolute())}
        for source, path in zip(prepared.meta["sources"], located.files, strict=True)
    )
    sha256 = prepared.meta["data_sha256"]
    return XCData(sha256, sizes, sources, prepared, propensity(dataset), undamaged)


def propensity(dataset: DatasetConfig) -> PropensityConfig:
    """A and B: the config's, else the catalogue's, else the usual 0.55 and 1.5."""
    if dataset.propensity is not None:
        return dataset.propensity
    entry = catalogue().get(dataset.name or "")
    if entry is None:
        return PropensityConfig(a=0.55, b=1.5)
    return PropensityConfig(a=entry.propensity.a, b=entry.propensity.b)


def memory(job: JobConfig, data: XCData, jobs: int) -> MemoryEstimate:
    """What ``run`` will take, in ``jobs`` processes."""
    shape = DataShape.of(data.prepared.train, data.prepared.test)
    return estimate(job.method.settings, shape, jobs, max(job.metrics.k))


def needs_workers(job: JobConfig) -> bool:
    """Whether the job's work is spread over processes; a WholeModel has threads of its own."""
    return not is_whole(make_model(job.method.settings, job.seed))


def run(job: JobConfig, data: XCData, folder: Path, executor: Executor) -> Outcome:
    """Train, save, predict and score; leaves ``model/`` and ``predictions.npz`` in the folder.

    Of a WholeModel the seconds are by its own clock.

    Raises
    ------
    TaskError
        Tasks of the fit or of the prediction failed.
    """
    train, test = data.prepared.train, data.prepared.test
    start = time.perf_counter()
    model = make_model(job.method.settings, job.seed).fit(train, executor)
    seconds = {"train": time.perf_counter() - start}
    seconds |= {stage: float(spent) for stage, spent in model.stage_seconds.items()}
    own_clock = model.wall_seconds if is_whole(model) else None
    seconds |= own_clock or {}
    logger.info("trained in %.1f s", seconds["train"])
    saved, model_bytes = _save(model, folder), int(model.nbytes)
    del model  # The saved one predicts; two in memory would be one too many.
    start = time.perf_counter()
    if own_clock is None:
        prediction = predict_blocks(saved, test, max(job.metrics.k), executor)
        seconds["predict"] = time.perf_counter() - start
    else:
        prediction, seconds["predict"] = predict_whole(saved, test, max(job.metrics.k), executor)
    np.savez(folder / PREDICTIONS, labels=prediction.labels, scores=prediction.scores)
    a, b, wanted = data.propensity.a, data.propensity.b, job.metrics
    labels = data.undamaged.train.Y
    metrics = evaluate(prediction, test.Y, labels, wanted.k, a, b, wanted.psndcg)
    without = int(np.count_nonzero(np.diff(test.Y.indptr) == 0))
    metrics = {name: float(value) for name, value in metrics.items()}
    counts = {"test_rows_without_labels": without, "model_bytes": model_bytes}
    return Outcome(metrics, seconds, counts, fingerprint(prediction))


def fingerprint(prediction: TopK) -> str:
    """The SHA-256 of a prediction: equal exactly when all labels and scores are."""
    digest = hashlib.sha256(repr(prediction.labels.shape).encode())
    digest.update(np.ascontiguousarray(prediction.labels, np.int32).tobytes())
    digest.update(np.ascontiguousarray(prediction.scores, np.float32).tobytes())
    return digest.hexdigest()


def _save(model: Model, folder: Path) -> Path:
    saved = folder / "model"
    saved.mkdir()
    model.save(saved)
    return saved


def predict_blocks(saved: Path, test: Dataset, k: int, executor: Executor) -> TopK:
    """Predict a dataset with a saved model, in blocks of rows spread over the executor."""
    blocks = row_blocks(load_model(saved), test.X, executor.jobs * executor.threads)
    tasks = [
        Task(_named(rows, number, len(blocks)), (saved, test, rows, k), rows.size)
        for number, rows in enumerate(blocks)
    ]
    labels = np.empty((test.n_points, k), np.int32)
    scores = np.empty((test.n_points, k), np.float32)
    found = executor.map(_predict_rows, tasks, "predict")
    for rows, (of_labels, of_scores) in zip(blocks, found, strict=True):
        labels[rows], scores[rows] = of_labels, of_scores
    return TopK(labels, scores)


def _named(rows: np.ndarray, number: int, blocks: int) -> str:
    first, last = int(rows[0]), int(rows[-1])
    if last - first < rows.size:
        return f"test rows {first} to {last}"
    return f"test rows, block {number} of {blocks}"


def predict_whole(saved: Path, test: Dataset, k: int, executor: Executor) -> tuple[TopK, float]:
    """Predict a dataset with a saved WholeModel, in one call; and what it took by its clock."""
    model = load_model(saved)
    assert is_whole(model)
    model.threads = executor.jobs * executor.threads
    prediction = model.predict(test.X, k)
    return prediction, model.wall_seconds["predict"]


def _predict_rows(
    saved: Path, test: Dataset, rows: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    block = load_model(saved).predict(take_rows(test.X, rows), k)
    return block.labels, block.scores

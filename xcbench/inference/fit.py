"""From a job to a model folder: everything that predicting, anywhere, needs.

The folder::

    xcbench-model.json   see manifest.py
    config.yaml          the job, as a config that reads back to it
    model/               Model.save: .npy arrays and JSON, memory-mapped when opened
    idf.npy              where features are scaled by tfidf: the training part's idf
    Yf.txt Xf.txt        names of labels and features, where the data has them
    text.json            how texts became features, where they did
    trn_X.txt            the training texts, where the data has them
    log.txt              what was said while it was made; not part of the description
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import numpy as np

from xcbench.config.schema import JobConfig
from xcbench.config.yaml import dump
from xcbench.data.features import idf
from xcbench.data.names import FEATURE_NAMES, LABEL_NAMES, names_beside
from xcbench.data.texts.features import TEXT_SETTINGS, TextFeatures
from xcbench.errors import ConfigError, DataError
from xcbench.inference.manifest import DataRecord, SourceRecord, write_manifest
from xcbench.models import make_model
from xcbench.models.base import Executor
from xcbench.models.peers import require
from xcbench.tasks.xc import XCData

CONFIG, MODEL, IDF, TEXTS = "config.yaml", "model", "idf.npy", "trn_X.txt"

logger = logging.getLogger(__name__)


def require_xc(job: JobConfig) -> None:
    """Refuse a job that leaves no model of extreme classification behind.

    Raises
    ------
    ConfigError
        It is of another task.
    XCBenchError
        The library of its method is not installed.
    """
    if not job.is_xc:
        raise ConfigError(
            f"task {job.task.kind}: there is no model to keep; expected a config of extreme "
            "classification, which names no task"
        )
    require(job.method.settings)


def fit_model(job: JobConfig, data: XCData, folder: Path, executor: Executor) -> None:
    """Train on the training part, and fill a folder with the model and what goes with it.

    Parameters
    ----------
    job : JobConfig
        See ``require_xc``.
    data : XCData
        From ``tasks.xc.open_data`` of the job.
    folder : Path
        Empty, or with the log alone; ``data.whole_folder`` gives it its name afterwards.
    executor : Executor

    Raises
    ------
    DataError
        The names or texts beside the data do not fit it.
    TaskError
        Tasks of the fit failed.
    """
    train = data.prepared.train
    beside = Path(data.sources[0]["path"]).parent
    _require_fitting_names(beside, train.n_features, train.n_labels)
    model = make_model(job.method.settings, job.seed).fit(train, executor)
    (folder / MODEL).mkdir()
    model.save(folder / MODEL)
    (folder / CONFIG).write_text(dump(job.mapping()), encoding="utf-8")
    if job.dataset.features == "tfidf":
        # Scaling leaves what is not 0 where it is, and nothing else is counted.
        np.save(folder / IDF, idf(train.X), allow_pickle=False)
    for name in (LABEL_NAMES, FEATURE_NAMES, TEXT_SETTINGS):
        if (beside / name).is_file():
            shutil.copyfile(beside / name, folder / name)
    if _is_text_of_each(beside / TEXTS, train.n_points):
        shutil.copyfile(beside / TEXTS, folder / TEXTS)
    write_manifest(folder, job.method.label, job.seed, _described(job, data))


def _described(job: JobConfig, data: XCData) -> DataRecord:
    train = data.prepared.train
    return DataRecord(
        name=job.dataset.title,
        split=job.split,
        n_train=train.n_points,
        n_features=train.n_features,
        n_labels=train.n_labels,
        data_sha256=data.sha256,
        sources=[
            SourceRecord(
                name=Path(source["path"]).name, bytes=source["bytes"], sha256=source["sha256"]
            )
            for source in data.sources
        ],
    )


def _require_fitting_names(folder: Path, n_features: int, n_labels: int) -> None:
    """Before hours of work: names of another number would make the model's labels lie."""
    names_beside(folder, n_features, n_labels)
    texts = TextFeatures.open(folder)
    if texts is not None and len(texts.vocabulary) != n_features:
        raise DataError(
            f"{folder}: the vocabulary has {len(texts.vocabulary)} terms, the data {n_features} "
            "features; convert the texts again"
        )


def _is_text_of_each(path: Path, n_points: int) -> bool:
    """Whether a file has a line for each training row: not so where rows are held out."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        count = sum(1 for _ in stream)
    if count != n_points:
        logger.warning(
            "%s is left out, explain will show no texts: it has %d lines, the training part %d "
            "rows", path, count, n_points,
        )  # fmt: skip
    return count == n_points

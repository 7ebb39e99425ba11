"""Trains and predicts XR-Linear models. Run by a Python that has libpecos and not xcbench.

    python -I pecos_worker.py FOLDER

FOLDER holds job.json (action, folder of the model, options), X.npz and, for training, Y.npz. It
gets result.json with the library's version and the seconds of the work alone and, from a
prediction, labels.npy and scores.npy (n, k), -1 and -inf where a row has no more.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse


def train(folder: Path, model: str, options: dict[str, Any]) -> float:
    """What PECOS's command pecos.xmc.xlinear.train does."""
    xmc, xlinear = import_module("pecos.xmc"), import_module("pecos.xmc.xlinear.model").XLinearModel
    X = sparse.load_npz(folder / "X.npz").astype(np.float32)
    Y = sparse.load_npz(folder / "Y.npz").astype(np.float32).tocsc()
    clustering = import_module("pecos.xmc.base").HierarchicalKMeans.TrainParams
    given = {"neg_mining_chain": options["negative_sampling"], **options}
    start = perf_counter()
    embedding = xmc.LabelEmbeddingFactory.create(Y, X, method="pifa", threads=options["threads"])
    chain = xmc.Indexer.gen(embedding, train_params=clustering.from_dict(given, recursive=True))
    fitted = xlinear.train(
        X,
        Y,
        C=chain,
        train_params=xlinear.TrainParams.from_dict(given, recursive=True),
        pred_params=xlinear.PredParams.from_dict({}, recursive=True),
        pred_kwargs={"beam_size": options["beam_size"]},
    )
    seconds = perf_counter() - start
    fitted.save(model)
    return seconds


def predict(folder: Path, model: str, options: dict[str, Any]) -> float:
    """What PECOS's command pecos.xmc.xlinear.predict does, its model and rows in memory."""
    xlinear = import_module("pecos.xmc.xlinear.model").XLinearModel
    X, k = sparse.load_npz(folder / "X.npz").astype(np.float32), options["k"]
    opened = xlinear.load(model, is_predict_only=True)
    start = perf_counter()
    found = opened.predict(
        X, only_topk=k, beam_size=options["beam_size"], threads=options["threads"]
    )
    seconds = perf_counter() - start
    labels = np.full((X.shape[0], k), -1, np.int32)
    scores = np.full((X.shape[0], k), -np.inf, np.float32)
    places = np.arange(found.nnz) - np.repeat(found.indptr[:-1], np.diff(found.indptr))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(found.indptr))
    labels[rows, places], scores[rows, places] = found.indices, found.data
    np.save(folder / "labels.npy", labels)
    np.save(folder / "scores.npy", scores)
    return seconds


def end_with_parent() -> None:
    """End when the standard input does: a pipe of the process that waits for the result."""
    os.read(0, 1)  # Not through sys.stdin, whose lock Python wants when it ends.
    os._exit(1)


def main() -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    folder = Path(sys.argv[1])
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    action = {"train": train, "predict": predict}[job["action"]]
    seconds = action(folder, job["model"], job["options"])
    result = {"seconds": seconds, "version": version("libpecos")}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()

"""rxml against omikuji's default on real data: training time and precision, one thread."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse

from xcbench.bench.timing import Row, median_seconds
from xcbench.config.methods import LocalEmbeddingSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.xc_text import write_xc
from xcbench.metrics import evaluate
from xcbench.models.local_embedding import LocalEmbedding

K = 5


def bench_real(
    name: str, train: Dataset, test: Dataset, settings: LocalEmbeddingSettings, repeats: int
) -> Iterator[Row]:
    """One row: both train on the same rows, features already scaled; reading is not timed.

    rxml runs with the config's settings, omikuji with its defaults and once.
    """
    ours = median_seconds(lambda: LocalEmbedding(settings, 0).fit(train), repeats)
    prediction = LocalEmbedding(settings, 0).fit(train).predict(test.X, K)
    rate = f"P@1/3/5 {_precision(prediction, train, test)}"
    work = f"{name}, train {train.n_points} points"
    try:
        import omikuji  # noqa: F401
    except ImportError:
        yield Row("rxml", work, ours, rate=rate)
        return
    with _silenced():
        theirs, predicted = _omikuji(train, test)
    rate += f"; theirs {_precision(predicted, train, test)}"
    yield Row("rxml", work, ours, "omikuji, its defaults", theirs, rate)


def _precision(prediction: TopK, train: Dataset, test: Dataset) -> str:
    scores = evaluate(prediction, test.Y, train.Y, (1, 3, K), 0.55, 1.5)
    return "/".join(f"{scores[f'P@{k}']:.1f}" for k in (1, 3, K))


@contextmanager
def _silenced() -> Iterator[None]:
    """omikuji's compiled part writes its log and progress past Python, to the descriptors."""
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    with open(os.devnull, "wb") as sink:
        for descriptor in (1, 2):
            os.dup2(sink.fileno(), descriptor)
        try:
            yield
        finally:
            for descriptor, saved in zip((1, 2), kept, strict=True):
                os.dup2(saved, descriptor)
                os.close(saved)


def _omikuji(train: Dataset, test: Dataset) -> tuple[float, TopK]:
    import omikuji

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        write_xc(path, train.X, train.Y)
        # train_on_data reads and trains in one call: its two halves are called here one by one
        pool = omikuji._ThreadPoolHandle(1)
        handle = omikuji.ffi.new("char[]", str(path).encode())
        data = omikuji.ffi.gc(
            omikuji.lib.load_omikuji_data_set(handle, pool.ptr), omikuji.lib.free_omikuji_data_set
        )
        start = perf_counter()
        model = omikuji.Model(
            omikuji.lib.train_omikuji_model(data, omikuji.Model.default_hyper_param(), pool.ptr)
        )
        spent = perf_counter() - start
    return spent, _omikuji_predict(model, test.X)


def _omikuji_predict(model: object, X: sparse.csr_array) -> TopK:
    labels = np.full((X.shape[0], K), -1, np.int32)
    scores = np.full((X.shape[0], K), -np.inf, np.float32)
    for i in range(X.shape[0]):
        row = slice(X.indptr[i], X.indptr[i + 1])
        pairs = list(zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True))
        for t, (label, score) in enumerate(model.predict(pairs, top_k=K)):  # type: ignore[attr-defined]
            labels[i, t], scores[i, t] = label, score
    return TopK(labels, scores)

"""rxml against omikuji's default on real data: training time and precision, one thread."""

from __future__ import annotations

from collections.abc import Iterator

from xcbench.bench.timing import Row, median_seconds
from xcbench.config.methods import LocalEmbeddingSettings
from xcbench.config.peers import OmikujiSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.metrics import evaluate
from xcbench.models.local_embedding import LocalEmbedding
from xcbench.models.peers import Omikuji, missing

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
    peer = OmikujiSettings()
    if missing(peer) is not None:
        yield Row("rxml", work, ours, rate=rate)
        return
    theirs = Omikuji(peer, 0).fit(train)
    rate += f"; theirs {_precision(theirs.predict(test.X, K), train, test)}"
    yield Row("rxml", work, ours, "omikuji, its defaults", theirs.wall_seconds["train"], rate)


def _precision(prediction: TopK, train: Dataset, test: Dataset) -> str:
    scores = evaluate(prediction, test.Y, train.Y, (1, 3, K), 0.55, 1.5)
    return "/".join(f"{scores[f'P@{k}']:.1f}" for k in (1, 3, K))

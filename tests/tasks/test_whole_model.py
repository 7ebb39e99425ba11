"""Models that predict whole: in one call, with all threads, and by their own clock."""

import json

import numpy as np

from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.data.dataset import TopK
from xcbench.models.base import InlineExecutor
from xcbench.tasks import xc


class Whole:
    """Ranks labels by number, and says so."""

    calls: list[tuple[int, int]] = []  # noqa: RUF012

    def __init__(self):
        self.threads = 1
        self.stage_seconds = {"library": 5.0}
        self.wall_seconds = {}

    def fit(self, train, executor=None):
        self.wall_seconds["train"] = 5.0
        return self

    def predict(self, X, k):
        self.calls.append((X.shape[0], self.threads))
        self.wall_seconds["predict"] = 0.25
        labels = np.tile(np.arange(k, dtype=np.int32), (X.shape[0], 1))
        return TopK(labels, -labels.astype(np.float32))

    def save(self, folder):
        (folder / "model.json").write_text(json.dumps(self.wall_seconds))

    @classmethod
    def load(cls, folder):
        assert json.loads((folder / "model.json").read_text()) == {"train": 5.0}
        return cls()

    @property
    def nbytes(self):
        return 7


class Executor(InlineExecutor):
    jobs, threads = 3, 2


def test_a_whole_model_is_predicted_in_one_call_and_its_clock_counts(
    tiny_data, tmp_path, monkeypatch
):
    monkeypatch.setattr(xc, "make_model", lambda settings, seed: Whole())
    monkeypatch.setattr(xc, "load_model", Whole.load)
    monkeypatch.setattr("xcbench.models.base.BLOCK_ROWS", 4)
    monkeypatch.setattr(Whole, "calls", [])
    text = "dataset: {name: tiny}\nmethod: {preset: rxml, rank: 5}"
    (job,) = load_document(parse(text, "f"), "f").jobs()
    data = xc.open_data(job.dataset, tiny_data, 1)
    outcome = xc.run(job, data, tmp_path, Executor())
    assert Whole.calls == [(25, 6)]
    assert outcome.seconds == {"train": 5.0, "library": 5.0, "predict": 0.25}
    assert outcome.sizes["model_bytes"] == 7

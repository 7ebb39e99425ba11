"""Shared fixtures: where the real data lies, a throw-away dataset, and a model made to order."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from xcbench.data.dataset import TopK
from xcbench.models.base import InlineExecutor, Task

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread() -> Iterator[None]:
    """As in a run; and several BLAS threads beside another busy process wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real datasets, for tests marked ``realdata``."""
    root = Path(os.environ.get("XCBENCH_DATA") or ROOT.parent / "shared" / "data")
    if not root.is_dir():
        pytest.skip(f"the real datasets are not at {root} (set XCBENCH_DATA)")
    return root


def tiny_text(n: int, seed: int, d: int = 20, groups: int = 4) -> str:
    """XC text of n points in groups; a point's features and labels tell its group."""
    rng = np.random.default_rng(seed)
    lines = [f"{n} {d} {groups * 2}"]
    for i in range(n):
        group = i % groups
        labels = [group * 2, group * 2 + 1] if i % 3 else [group * 2]
        features = sorted({group, *rng.integers(groups, d, 3).tolist()})
        values = " ".join(f"{f}:{rng.uniform(0.5, 1.5):.3f}" for f in features)
        lines.append(f"{','.join(map(str, labels))} {values}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def tiny_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with the dataset ``tiny`` (60 training and 25 test points, 8 labels)."""
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    (folder / "train.txt").write_text(tiny_text(60, seed=1))
    (folder / "test.txt").write_text(tiny_text(25, seed=2))
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("XCBENCH_DATA", raising=False)
    return folder.parent


class PopularityModel:
    """Ranks every point's labels by how often they occur in training; learners vote."""

    def __init__(self, on_task: Callable[[int], None] | None = None, learners: int = 2) -> None:
        self._on_task = on_task or (lambda learner: None)
        self._learners = learners
        self.stage_seconds: dict[str, float] = {}
        self.counts = np.zeros(0, dtype=np.float32)

    def fit(self, train, executor=None):
        on_task = self._on_task

        def count(learner, columns, n_labels):
            on_task(learner)
            import numpy

            return numpy.bincount(columns, minlength=n_labels).astype("float32")

        tasks = [
            Task(f"learner {i}, cluster 0", (i, np.array(train.Y.indices), train.n_labels), 1 + i)
            for i in range(self._learners)
        ]
        counts = (executor or InlineExecutor()).map(count, tasks, "completion")
        self.counts = sum(counts)
        self.stage_seconds = {"completion": 0.25}
        return self

    def predict(self, X, k):
        order = np.lexsort((np.arange(self.counts.size), -self.counts))[:k]
        labels = np.tile(order.astype(np.int32), (X.shape[0], 1))
        return TopK(labels, self.counts[labels].astype(np.float32))

    def save(self, folder):
        (folder / "model.json").write_text(json.dumps(self.counts.tolist()))

    @classmethod
    def load(cls, folder):
        model = cls()
        model.counts = np.array(json.loads((folder / "model.json").read_text()), dtype=np.float32)
        return model

    @property
    def nbytes(self):
        return self.counts.nbytes


@pytest.fixture
def fake_model(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put PopularityModel in the place of every method; ``on_task`` is called in its tasks.

    A method of the rank 13 gets ``on_task``; all others train in peace.
    """

    def install(on_task: Callable[[int], None] | None = None) -> None:
        def make(settings, seed):
            return PopularityModel(on_task if settings.rank == 13 else None)

        monkeypatch.setattr("xcbench.tasks.xc.make_model", make)
        monkeypatch.setattr("xcbench.tasks.xc.load_model", PopularityModel.load)

    return install

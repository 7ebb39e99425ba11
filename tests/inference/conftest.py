"""A dataset made of texts, and models fitted to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.inference.posts import write_posts
from xcbench.config.loader import load_config
from xcbench.config.schema import JobConfig
from xcbench.data.whole.folder import whole_folder
from xcbench.inference import FittedModel, open_model
from xcbench.inference.fit import fit_model, require_xc
from xcbench.inference.manifest import require_model
from xcbench.models.base import InlineExecutor
from xcbench.tasks.xc import open_data

METHODS = {
    "blend": "{preset: rxml-blend, rank: 8, learners: 2, clusters: 2, neighbours: {count: 9}, "
    "vote: {neighbours: 5}}",
    "neighbours": "{model: feature_neighbours, neighbours: 7}",
    "ridge": "{model: one_vs_rest}",
    "global": "{model: global, rank: 5}",
    "maxide": "{model: maxide, ranks: [5]}",
}


@pytest.fixture(scope="session")
def posts(tmp_path_factory) -> Path:
    """A data root with the dataset ``posts``."""
    root = tmp_path_factory.mktemp("data")
    write_posts(root / "posts")
    return root


@pytest.fixture(scope="session")
def job_of(tmp_path_factory) -> Callable[..., JobConfig]:
    """The job of a method of METHODS on ``posts``."""

    def make(method: str, features: str = "tfidf", more: str = "") -> JobConfig:
        path = tmp_path_factory.mktemp("config") / "c.yaml"
        path.write_text(
            f"dataset: {{name: posts, features: {features}{more}}}\nmethod: {METHODS[method]}\n"
        )
        (job,) = load_config(path).jobs()
        return job

    return make


@pytest.fixture(scope="session")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(cache, monkeypatch) -> None:
    monkeypatch.setenv("XCBENCH_CACHE", str(cache))


@pytest.fixture
def fit_into(posts) -> Callable[[JobConfig, Path], Path]:
    def fit(job: JobConfig, out: Path) -> Path:
        require_xc(job)
        data = open_data(job.dataset, posts, job.split)
        with whole_folder(out, False, require_model) as folder:
            fit_model(job, data, folder, InlineExecutor())
        return out

    return fit


@pytest.fixture(scope="session")
def fitted_once() -> dict[tuple[str, str], Path]:
    return {}


@pytest.fixture
def model_of(job_of, fit_into, fitted_once, tmp_path_factory) -> Callable[..., FittedModel]:
    """An opened model of a method; fitted once."""

    def make(method: str = "blend", features: str = "tfidf") -> FittedModel:
        key = method, features
        if key not in fitted_once:
            out = tmp_path_factory.mktemp("model") / "m"
            fitted_once[key] = fit_into(job_of(*key), out)
        return open_model(fitted_once[key])

    return make

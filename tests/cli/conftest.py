"""Calling the command line in-process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.inference.posts import write_posts
from xcbench.cli.main import app

POSTS = """\
dataset: {name: posts, features: tfidf}
method: {preset: rxml-blend, rank: 8, learners: 2, clusters: 2, neighbours: {count: 9},
  vote: {neighbours: 5}}
executor: {backend: inline}
"""


@pytest.fixture
def xcbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """Run ``xcbench`` with arguments in a throw-away folder; gives click's Result."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """Write a config for the dataset ``tiny`` and give its path."""

    def write(text: str, name: str = "c.yaml") -> Path:
        path = tmp_path / name
        path.write_text(f"dataset: {{name: tiny}}\nexecutor: {{backend: inline}}\n{text}\n")
        return path

    return write


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts and tags in data/posts, the model ``m`` and the results of a run."""
    home = tmp_path_factory.mktemp("home")
    write_posts(home / "data" / "posts")
    (home / "c.yaml").write_text(POSTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setenv("XCBENCH_CACHE", str(home / "cache"))
        patch.delenv("XCBENCH_DATA", raising=False)
        for arguments in (["fit", "c.yaml", "--out", "m"], ["run", "c.yaml", "--quiet"]):
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, done.output
    return home


@pytest.fixture
def here(
    home: Path, xcbench: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., object]:
    """``xcbench`` in the folder ``home``."""
    monkeypatch.chdir(home)
    monkeypatch.setenv("XCBENCH_CACHE", str(home / "cache"))
    monkeypatch.delenv("XCBENCH_DATA", raising=False)
    return xcbench

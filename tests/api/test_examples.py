"""The examples of `xcbench help python` and of the docstrings, run as they stand."""

import contextlib
import doctest
import io
import re
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

import xcbench
from xcbench.cli.main import app

PAGE = Path(xcbench.__file__).parent / "cli" / "topics" / "python.md"
POSTS = """text,tags
red apple,fruit
green apple,fruit
red rose,flower
green grass,plant
apple pie,fruit;food
wet grass,plant
"""
CONFIG = """dataset: {name: posts, features: tfidf}
method: {preset: rxml, rank: 4}
metrics: {k: [1]}
executor: {backend: inline}
"""


def made_model(folder):
    """What the page's last example opens."""
    header, *rows = POSTS.splitlines(keepends=True)
    (folder / "posts.csv").write_text(header + "".join(rows * 4))
    (folder / "posts.yaml").write_text(CONFIG)
    options = "--text-column text --labels-column tags --sep ; --test-share 0.2"
    for command in (
        f"data convert posts.csv --out data/posts {options}",
        "fit posts.yaml --out model --quiet",
    ):
        done = CliRunner().invoke(app, command.split())
        assert done.exit_code == 0, done.output


def test_the_page_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("XCBENCH_DATA", raising=False)
    made_model(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, str(PAGE), "exec"), names)
        assert printed.getvalue().splitlines() == re.findall(
            r"^ *print\(.*\) +# (.*)$", block, re.M
        )


@pytest.mark.parametrize("home", sorted(set(xcbench._HOMES.values())))
def test_the_examples_of_docstrings_hold(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(import_module(home))
    assert found.failed == 0
    if home.startswith("xcbench.api"):
        assert found.attempted > 0


def test_every_public_function_and_estimator_has_an_example():
    without = {"Dataset", "TopK", "FittedModel", "load_dataset", "load_model"}
    for name in set(xcbench.__all__) - without:
        assert ">>> from xcbench import" in getattr(xcbench, name).__doc__, name

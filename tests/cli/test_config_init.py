"""``xcbench config init``."""

from __future__ import annotations

import pytest

from xcbench.config import yaml
from xcbench.config.loader import load_config


def test_what_it_writes_gives_the_same_runs_as_the_short_config(xcbench, tmp_path, tiny_data):
    done = xcbench("config", "init", "--dataset", "tiny", "--data", tiny_data, "--method", "knn",
                   "--method", "ridge", "--out", "made.yaml")  # fmt: skip
    assert done.exit_code == 0, done.output
    (tmp_path / "short.yaml").write_text("dataset: {name: tiny}\nmethods: [knn, ridge]\n")
    listed = [
        xcbench("run", name, "--dry-run", "--data", tiny_data).stdout
        for name in ("made.yaml", "short.yaml")
    ]
    assert listed[0] == listed[1]
    assert listed[0].count("would run") == 2
    assert (
        "60 training rows, 25 test rows, 20 features, 8 labels"
        in (tmp_path / "made.yaml").read_text()
    )


def test_it_runs_as_it_is_on_data_of_few_rows_and_labels(xcbench, tmp_path, monkeypatch):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "data" / "small"
    home.mkdir(parents=True)
    for name in ("train.txt", "test.txt"):
        (home / name).write_text("4 4 3\n0 0:1\n1 1:1\n2 2:1\n0,1 0:2 3:1\n")
    assert xcbench("config", "init", "--dataset", "small", "--out", "c.yaml").exit_code == 0
    assert "\n  k: [1, 3]\n" in (tmp_path / "c.yaml").read_text()
    done = xcbench("run", "c.yaml", "--set", "executor.backend=inline")
    assert done.exit_code == 0, done.output


def test_without_out_it_prints(xcbench, tmp_path):
    done = xcbench("config", "init", "--method", "knn", "--dataset", "bibtex")
    (tmp_path / "c.yaml").write_text(done.stdout)
    config = load_config(tmp_path / "c.yaml")
    assert [method.label for method in config.methods] == ["knn"]
    assert "# Bibtex, not in data yet: `xcbench data info bibtex`" in done.stdout
    assert "# What `xcbench tune` searches" in done.stdout


def test_the_search_space_it_shows_is_one_once_its_comment_signs_are_gone(xcbench, tmp_path):
    text = xcbench("config", "init", "--method", "rxml").stdout
    head, block = text.split("# tune:\n")
    lines = "".join(line.removeprefix("# ") for line in block.splitlines(keepends=True))
    (tmp_path / "c.yaml").write_text(f"{head}tune:\n{lines}")
    assert "vote.power" in load_config(tmp_path / "c.yaml").tune


@pytest.mark.parametrize("method", ["rxml", "global", "knn"])
def test_the_search_space_it_shows_is_that_of_a_search(xcbench, tmp_path, tiny_data, method):
    done = xcbench("config", "init", "--dataset", "tiny", "--data", tiny_data, "--method", method)
    block = yaml.parse(done.stdout.split("# tune:\n")[1].replace("#  ", ""), "block").value
    (tmp_path / "c.yaml").write_text(f"dataset: {{name: tiny}}\nmethod: {method}\n")
    searched = xcbench("tune", "c.yaml", "--data", tiny_data, "--max-time", "0s").stdout
    listed = [line.removeprefix("  ") for line in searched.splitlines() if line.startswith("  ")]
    assert block == yaml.parse("\n".join(listed), "listed").value


def test_data_made_from_texts_gets_tfidf(xcbench, tiny_data):
    (tiny_data / "tiny" / "text.json").write_text("{}")
    done = xcbench("config", "init", "--dataset", "tiny", "--data", tiny_data)
    assert "\n  features: tfidf\n" in done.stdout


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--method", "rxm"], 2, "did you mean 'rxml'?"),
        (["--method", "itml"], 2, "found 'itml', a preset of task metric_learning"),
        (["--dataset", "bibtx"], 3, "did you mean 'bibtex'?"),
        (["--dataset", "no-such"], 3, "`xcbench data list` shows the names"),
        (["--out", "there.yaml"], 2, "there.yaml: is there already"),
    ],
)
def test_mistakes_name_the_nearest_and_overwrite_nothing(xcbench, tmp_path, more, code, said):
    (tmp_path / "there.yaml").write_text("mine")
    done = xcbench("config", "init", *more)
    assert (done.exit_code, said in done.output) == (code, True), done.output
    assert (tmp_path / "there.yaml").read_text() == "mine"

"""``xcbench predict``: the same whatever the way, whole files, and errors with their line."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.inference.posts import TAGS
from xcbench.data.predictions.files import read_predictions


@pytest.fixture
def tiny_blocks(monkeypatch):
    """Blocks of three rows."""
    from xcbench.inference import inputs

    original = inputs.read_blocks
    monkeypatch.setattr(
        "xcbench.inference.inputs.read_blocks", lambda source, fitted: original(source, fitted, 3)
    )


def test_predictions_of_the_test_part_are_those_of_the_run(here, home, tmp_path):
    out = tmp_path / "p.npz"
    done = here("predict", "m", "data/posts/test.txt", "--top", 5, "--format", "npz", "--out", out)
    assert done.exit_code == 0, done.output
    (of_run,) = home.glob("results/runs/posts/*/predictions.npz")
    with np.load(out) as found, np.load(of_run) as expected:
        for name in ("labels", "scores"):
            np.testing.assert_array_equal(found[name], expected[name])


def test_text_gives_what_its_features_give(here, tmp_path):
    for source, name in (("test.txt", "a"), ("tst_X.txt", "b")):
        done = here("predict", "m", f"data/posts/{source}", "--out", tmp_path / name, "--names")
        assert done.exit_code == 0, done.output
        assert "predicted 25 rows in" in done.stderr
        assert "rows/s, peak memory" in done.stderr
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    header, first = (tmp_path / "a").read_text().splitlines()[:2]
    assert header == "row\trank\tlabel\tscore\tname"
    assert first.split("\t")[4] == TAGS[int(first.split("\t")[2])]


def test_any_number_of_processes_writes_the_same_bytes(here, tiny_blocks, tmp_path):
    for jobs in (1, 2):
        out = tmp_path / f"{jobs}.npz"
        options = ("--format", "npz", "--out", out, "--jobs", jobs, "--quiet")
        done = here("predict", "m", "data/posts/tst_X.txt", *options)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
    assert read_predictions(tmp_path / "1.npz").labels.shape[0] == 25


def test_a_bad_row_is_told_by_its_line_and_leaves_no_file(here, home, tiny_blocks, tmp_path):
    lines = (home / "data" / "posts" / "test.txt").read_text().split("\n")
    lines[20] = "1 0:x"
    bad = tmp_path / "bad.txt"
    bad.write_text("\n".join(lines))
    done = here("predict", "m", bad, "--out", tmp_path / "p.tsv")
    assert done.exit_code == 3
    assert "bad.txt, line 21: value 'x' of feature 0 is not a number" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


def test_rows_of_unknown_words_are_counted_and_said(here, tmp_path):
    (tmp_path / "new.txt").write_text("zebra\npythonword1\n\n")
    done = here("predict", "m", tmp_path / "new.txt", "--input", "text")
    assert done.exit_code == 0, done.output
    assert "predicted 3 rows, 2 of them without a feature the model knows" in done.stderr
    assert "\n1\t1\t0\t" in done.stdout


def test_usage_is_checked(here, home, tmp_path):
    done = here("predict", "m", "data/posts/test.txt", "--input", "xls")
    assert (done.exit_code, "expected one of xc, pair" in done.stderr) == (2, True)
    assert here("predict", "m", "data/posts/test.txt", "--format", "npz").exit_code == 2
    assert here("predict", "nowhere", "data/posts/test.txt").exit_code == 3
    assert here("predict", "m", "missing.txt").exit_code == 3
    (tmp_path / "narrow.txt").write_text("1 3 6\n0 1:1\n")
    done = here("predict", "m", tmp_path / "narrow.txt")
    assert done.exit_code == 3
    assert "line 1 states 3 features; the model was fitted to" in done.stderr


def shell(home, command: str) -> subprocess.CompletedProcess[str]:
    program = f"{sys.executable} -c 'from xcbench.cli.main import main; main()'"
    return subprocess.run(
        ["bash", "-c", command.replace("xcbench", program)],
        cwd=home, capture_output=True, text=True,
        env=os.environ | {"XCBENCH_CACHE": str(home / "cache")},
    )  # fmt: skip


def test_standard_input_is_read_and_a_closed_pipe_ends_quietly(home):
    """The reader of the pipe is gone before the last of 150,000 lines is written."""
    command = (
        "(for i in $(seq 3000); do echo how pythonword1 sqlword2; done) | "
        "xcbench predict m - --top 6 --quiet | head -2"
    )
    done = shell(home, command)
    assert done.stdout.splitlines()[0] == "row\trank\tlabel\tscore"
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""

"""``xcbench predict``: the same whatever the way, whole files, and errors with their line."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.inference.posts import TAGS, assert_close_rankings
from xcbench.data.dataset import TopK
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
        tops = [TopK(arrays["labels"], arrays["scores"]) for arrays in (found, expected)]
    assert_close_rankings(*tops)


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
    named = ("--names", "--out", tmp_path / "p.npz")
    done = here("predict", "m", "data/posts/test.txt", *named)
    assert (done.exit_code, "npz has no place for names" in done.stderr) == (2, True)
    done = here("predict", "m", "data/posts/test.txt", "--jobs", 0)
    assert (done.exit_code, "found 0; expected a number of processes" in done.stderr) == (2, True)
    assert here("predict", "nowhere", "data/posts/test.txt").exit_code == 3
    assert here("predict", "m", "missing.txt").exit_code == 3
    (tmp_path / "narrow.txt").write_text("1 3 6\n0 1:1\n")
    done = here("predict", "m", tmp_path / "narrow.txt")
    assert done.exit_code == 3
    assert "line 1 states 3 features; the model was fitted to" in done.stderr


def test_more_labels_than_there_are_is_all_of_them(here, tmp_path):
    source = "data/posts/test.txt"
    for form in ("npz", "tsv"):
        for top in (len(TAGS), 10**9):
            out = tmp_path / f"{top}.{form}"
            done = here("predict", "m", source, "--top", top, "--out", out)
            assert done.exit_code == 0, done.output
        assert out.read_bytes() == (tmp_path / f"{len(TAGS)}.{form}").read_bytes()


@pytest.mark.parametrize("content", ["text\n", "1 3 6\n0 1:1\n", "body,id\n1,2\n", ""])
def test_an_input_that_cannot_be_read_leaves_nothing_on_the_output(here, tmp_path, content):
    (tmp_path / "bad.csv").write_text(content)
    form = "xc" if content.startswith("1") else "csv"
    done = here("predict", "m", tmp_path / "bad.csv", "--input", form)
    if content == "text\n":  # no rows
        assert (done.exit_code, done.stdout) == (0, "row\trank\tlabel\tscore\n")
    else:
        assert (done.exit_code, done.stdout) == (3, "")


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
        "xcbench predict m - --top 6 --quiet --input text | head -2"
    )
    done = shell(home, command)
    assert done.stdout.splitlines()[0] == "row\trank\tlabel\tscore"
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""


INPUT = b"pythonword1\nsqlword2\n"


@pytest.fixture
def new(tmp_path):
    """A file of two texts, as are a symbolic and a hard link to it."""
    path = tmp_path / "new.tsv"
    path.write_bytes(INPUT)
    (tmp_path / "soft.tsv").symlink_to(path)
    os.link(path, tmp_path / "hard.tsv")
    return path


@pytest.mark.parametrize("name", ["new.tsv", "soft.tsv", "hard.tsv", "../{}/new.tsv"])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_the_input_is_never_replaced(here, tmp_path, new, name, force):
    out = tmp_path / name.format(tmp_path.name)
    done = here("predict", "m", new, "--input", "text", "--out", out, *force)
    assert (done.exit_code, "is the input; take another name" in done.stderr) == (2, True)
    assert new.read_bytes() == INPUT
    assert len(list(tmp_path.iterdir())) == 3


def test_a_redirected_input_is_never_replaced(home, new):
    command = f"xcbench predict m - --input text --out {new} --force < {new}"
    done = shell(home, command)
    assert (done.returncode, "is the input" in done.stderr) == (2, True)
    assert new.read_bytes() == INPUT


def test_a_file_that_is_there_is_replaced_with_force_alone(here, tmp_path, new):
    out = tmp_path / "p.tsv"
    out.write_text("mine")
    how = ("predict", "m", new, "--input", "text", "--out", out)
    done = here(*how)
    assert (done.exit_code, "is there already; take another name, or" in done.stderr) == (2, True)
    assert out.read_text() == "mine"
    assert here(*how, "--force").exit_code == 0
    assert out.read_text().startswith("row\t")
    assert here(*how[:-1], "/dev/null").exit_code == 0


def test_an_output_that_can_be_no_file_of_predictions_is_refused(here, tmp_path, new):
    for out, told in (
        (tmp_path, "is a folder; expected a file"),
        ("m/p.tsv", "lies in the model's folder"),
        (tmp_path / "x.csv", "'.csv' is no ending of predictions; expected .tsv, .jsonl or .npz"),
        (tmp_path / "x.tsv.gz", "'.gz' is no ending"),
    ):
        done = here("predict", "m", new, "--input", "text", "--out", out)
        assert (done.exit_code, told in done.stderr) == (2, True), done.output
    named = ("--input", "text", "--out", tmp_path / "x.csv", "--format", "jsonl")
    assert here("predict", "m", new, *named).exit_code == 0
    assert (tmp_path / "x.csv").read_text().startswith('{"row": 0')


def test_a_wrong_format_is_told_before_anything_heavy_is_loaded(home):
    program = (
        "import sys; from xcbench.cli.main import app\n"
        "try: app(['predict', 'm', 'data/posts/test.txt', *sys.argv[1:]])\n"
        "except SystemExit as end: print(end.code, 'numpy' in sys.modules)"
    )
    for words in (["--format", "xml"], ["--out", "x.xlsx"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *words], cwd=home, capture_output=True, text=True
        )
        assert done.stdout == "2 False\n", done.stderr
        assert "jsonl" in done.stderr


def test_a_model_and_an_input_that_changed_places_are_told(here, new):
    done = here("predict", new, "m")
    assert done.exit_code == 2
    assert f"m is the model and comes first: xcbench predict m {new}" in done.stderr


def test_processes_start_when_there_are_several_blocks_and_no_more_than_those(
    here, tiny_blocks, tmp_path, monkeypatch
):
    asked = []

    def pool(jobs):
        asked.append(jobs)
        return ThreadPoolExecutor(1)  # what it does is another test's

    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    monkeypatch.setattr("xcbench.runner.pool.process_pool", pool)
    for n_rows in (2, 5, 40):
        (tmp_path / "new.csv").write_text("text\n" + "pythonword1\n" * n_rows)
        done = here("predict", "m", tmp_path / "new.csv", "--jobs", 99, "--quiet")
        assert done.exit_code == 0, done.output
    assert asked == [2, 4]
    assert (
        here("predict", "m", tmp_path / "new.csv", "--jobs", 9, "--text-column", "b").exit_code == 3
    )
    assert asked == [2, 4]

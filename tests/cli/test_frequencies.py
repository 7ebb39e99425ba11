import numpy as np
import pytest
from typer.testing import CliRunner

from xcbench.cli.curve import log_log_curve
from xcbench.cli.data import data_app
from xcbench.errors import ConfigError


def test_a_power_law_is_a_straight_line():
    """Counts 1000 / rank fall from the upper left to the lower right corner on a diagonal."""
    counts = np.rint(1000 / np.arange(1, 1001)).astype(np.int64)
    title, *lines = log_log_curve(counts, "rank", "rows").splitlines()
    plot = [line[6:] for line in lines[:12]]
    assert title == "rows"
    assert [line[:6] for line in lines[:12] if line[5] == "+"] == [
        "1000 +", " 100 +", "  10 +", "   1 +"
    ]  # fmt: skip
    for level, line in enumerate(plot):
        middle = np.flatnonzero(np.array(list(line)) == "*").mean()
        assert abs(middle / 59 - level / 11) < 0.06
    assert lines[13].split() == ["1", "10", "100", "1000", "rank"]


def test_one_label_is_a_point():
    assert log_log_curve(np.array([1]), "rank", "rows").count("*") == 1


def test_labels_of_one_row_each_need_one_tick():
    lines = log_log_curve(np.ones(5, np.int64), "rank", "rows").splitlines()[1:]
    assert [line[:3] for line in lines[:12] if line.strip() != "|"] == ["1 +"]


@pytest.fixture
def root(tmp_path):
    home = tmp_path / "mine"
    home.mkdir()
    for name in ("train.txt", "test.txt"):
        (home / name).write_text("3 2 4\n0,2 0:1\n2 1:2\n2,3 0:1\n")
    return tmp_path


def info(*words):
    return CliRunner().invoke(data_app, ["info", "mine", *(str(word) for word in words)])


def test_the_commonest_labels_are_named_where_names_are(root):
    assert "commonest labels" not in info("--data", root).output
    (root / "mine" / "Yf.txt").write_text("owl\nelk\nred fox\nhen\n")
    lines = info("--data", root).output.splitlines()
    at = lines.index("commonest labels, and their training rows")
    assert [line.strip() for line in lines[at + 1 : at + 4]] == [
        "3  red fox (2)", "1  owl (0)", "1  hen (3)"
    ]  # fmt: skip


def test_the_curve_is_drawn_as_the_name_of_the_file_says(root, tmp_path):
    done = info("--data", root, "--figure", tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "1 of 4 labels have no training row" in done.output
    info("--data", root, "--figure", tmp_path / "a.SVG")
    assert "<svg" in (tmp_path / "a.SVG").read_text()
    assert isinstance(info("--data", root, "--figure", "a.pdf").exception, ConfigError)


def test_no_labels_no_curve(root):
    (root / "mine" / "train.txt").write_text("1 2 4\n 0:1\n")
    assert "so there is no curve" in info("--data", root).output

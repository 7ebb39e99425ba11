"""What documents show besides commands: configs, files of each format, Python, stated defaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.docs.documents import PAGES, TOPICS, blocks_of
from xcbench.cli.main import INTERRUPTED, PIPE_CLOSED
from xcbench.cli.options import DEFAULT_DATA, DEFAULT_RESULTS
from xcbench.config.dataset import HeldOutConfig
from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.data.byte_lines import LONGEST_LINE
from xcbench.data.cache import default_cache_root
from xcbench.data.names import read_names
from xcbench.data.predictions.files import read_predictions
from xcbench.data.texts.features import TextSettings
from xcbench.kernels.parse import MAX_DIGITS
from xcbench.runner.checkpoints import AFTER_S
from xcbench.tuning.summary import LEVEL

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
CONFIGS = [block for block in BLOCKS if block.language == "yaml"]
FORMATS = {block.heading: block.text for block in BLOCKS if block.document == "topics/formats"}
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in TOPICS}
_XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="tag"/></labels>'
PARTS = ("train", "test", "data")
_OF_TEXTS = ("--text-column", "text", "--labels-column", "tags")


@pytest.mark.parametrize("block", CONFIGS, ids=str)
def test_a_config_is_one(block):
    config = load_document(parse(block.text, str(block)), str(block))
    assert config.jobs()


def test_every_block_is_of_a_kind_that_is_looked_at():
    """Python is run: the README's and formats' beside, that of the page python in tests/api."""
    assert {block.language for block in BLOCKS} <= {"yaml", "python", "text"}
    of_python = {block.document for block in BLOCKS if block.language == "python"}
    assert of_python == {"README", "topics/formats", "topics/python"}
    assert set(FORMATS) == set(READ)
    others = {block.document for block in BLOCKS if block.language == "text"} - {"topics/formats"}
    assert others == {"topics/metrics"}  # formulas


@pytest.fixture
def file(tmp_path) -> Callable[[str, str], Path]:
    """Write a file."""

    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def convert(xcbench, tmp_path, monkeypatch):
    """Convert files to XC text and give the first line of its parts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))

    def run(*words):
        done = xcbench("data", "convert", *map(str, words), "--out", "made")
        assert done.exit_code == 0, done.output
        parts = sorted(path for path in (tmp_path / "made").iterdir() if path.stem in PARTS)
        return [path.read_text().splitlines()[0] for path in parts]

    return run


def xc_text(text, file, convert):
    assert convert(file("mine.txt", text)) == ["2 5 4"]


def splits(text, file, convert):
    chosen = np.loadtxt(text.splitlines(), dtype=int)
    others = np.column_stack([np.setdiff1d(np.arange(1, 8), column) for column in chosen.T])
    file("data.txt", "7 3 2\n" + "1 2:0.5\n" * 7)
    file("trSplit.txt", text)
    np.savetxt(file("tstSplit.txt", ""), others, fmt="%d")
    assert convert(".", "--split", 3) == ["4 3 2", "3 3 2"]


def pair(text, file, convert):
    labels = file("trn_X_Y.txt", "2 4\n0:1 2:1\n1:1\n")
    assert convert(file("trn_X_Xf.txt", text), labels) == ["2 5 4"]


def matrices(text, file, convert):
    exec(compile(text, "formats.md", "exec"), {})
    assert convert("train_X.npz", "train_Y.npz") == ["3 5 2"]


def libsvm(text, file, convert):
    path = file("a.svm", text)
    assert convert(path, "--from", "libsvm", "--base", 1) == ["3 5 4"]


def csv(text, file, convert):
    path = file("posts.csv", text)
    found = convert(path, "--test", path, *_OF_TEXTS, "--sep", ";", "--min-df", 1)
    assert [line.split()[::2] for line in found] == [["2", "3"]] * 2


def jsonl(text, file, convert):
    path = file("posts.jsonl", text)
    found = convert(path, "--test", path, *_OF_TEXTS, "--min-df", 1)
    assert [line.split()[::2] for line in found] == [["3", "3"]] * 2


def mulan(text, file, convert):
    assert convert(file("a.arff", text), file("a.xml", _XML)) == ["1 1 1"]


def names(text, file, convert):
    assert read_names(file("Yf.txt", text), 3) == ("python", "scipy", "css")


def predictions(text, file, convert):
    found = read_predictions(file("p.jsonl", text), shape=(3, 3), names=("python", "scipy", "css"))
    assert found.labels.tolist() == [[1, 0], [2, -1], [-1, -1]]
    for shown in ("17:0.9 3:0.4", "17,3"):  # the lists of the sentence below
        assert f"`{shown}`" in TEXTS["formats"]
        found = read_predictions(file("p.txt", f"{shown}\n"), shape=(1, 18))
        assert found.labels.tolist() == [[17, 3]]


READ = {
    "XC text": xc_text,
    "One data file with splits": splits,
    "Split form: features and labels apart": pair,
    "scipy matrices": matrices,
    "libsvm with several labels, without a header": libsvm,
    "CSV and TSV of texts": csv,
    "JSON lines of texts": jsonl,
    "Mulan: ARFF with XML": mulan,
    "Names": names,
    "Predictions": predictions,
}


@pytest.mark.parametrize("heading", READ)
def test_an_example_of_a_format_is_read(heading, file, convert):
    READ[heading](FORMATS[heading], file, convert)


def home_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("XCBENCH_CACHE", raising=False)
        patch.delenv("XDG_CACHE_HOME", raising=False)
        return default_cache_root()


STATED = [
    ("tune", "`--held-out`, a tenth by default", HeldOutConfig().share == 0.1),
    ("tune", f"by default `{DEFAULT_RESULTS}/tune/DATASET/METHOD`", True),
    ("tune", "5 % in all, shared among the trials", LEVEL == 0.05),
    ("formats", f"`{DEFAULT_DATA}/` holds what you download", True),
    (
        "formats",
        "(default `~/.cache/xcbench`)",
        home_cache() == Path("~/.cache/xcbench").expanduser(),
    ),
    (
        "formats",
        "An index has at most 18 digits, a line at most 32 MB",
        (MAX_DIGITS, LONGEST_LINE) == (18, 32 << 20),
    ),
    ("formats", "that at least two training texts have", TextSettings().min_df == 2),
    ("unattended", "a job that has run for two minutes", AFTER_S == 120),
    ("unattended", "| 129, 130, 143 | SIGHUP, Ctrl-C, SIGTERM |", INTERRUPTED == 130),
    ("unattended", f"| {PIPE_CLOSED} |", True),
]


@pytest.mark.parametrize(("topic", "words", "holds"), STATED, ids=lambda value: str(value)[:40])
def test_a_number_or_a_path_that_a_page_states_is_that_of_the_code(topic, words, holds):
    assert words in " ".join(TEXTS[topic].split())
    assert holds


def test_a_search_goes_where_its_page_says(xcbench, tmp_path, monkeypatch, tiny_data):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("dataset: {name: tiny}\nmethod: {preset: knn, label: mine}\n")
    done = xcbench("tune", "c.yaml", "--trials", "1", "--set", "executor.backend=inline")
    assert done.exit_code == 0, done.output
    assert (tmp_path / DEFAULT_RESULTS / "tune" / "tiny" / "mine" / "best.yaml").is_file()
    held = round(60 * HeldOutConfig().share)
    assert f"({held} training rows are held out)" in done.output

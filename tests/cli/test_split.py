import gzip

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from xcbench.cli.data import data_app
from xcbench.config.dataset import DatasetConfig
from xcbench.data.load import load
from xcbench.data.sources import locate
from xcbench.data.xc_text import read_xc, write_xc
from xcbench.errors import ConfigError, DataError

N = 20


def run(*words):
    done = CliRunner().invoke(data_app, ["split", *(str(word) for word in words)])
    return done if done.exception is None else done.exception


@pytest.fixture
def whole(tmp_path):
    """Row i has feature i with the value i + 1, so a row tells which one it is."""
    Y = np.zeros((N, 4), np.float32)
    Y[np.arange(N), np.arange(N) % 3] = 1
    Y[5, 3] = 1  # the label one row alone has
    X = sparse.csr_array(np.diag(np.arange(1, N + 1)).astype(np.float32))
    path = tmp_path / "all.txt.gz"
    write_xc(path, X, sparse.csr_array(Y))
    (tmp_path / "Yf.txt").write_text("a\nb\nc\nd\n")
    return path


def rows(X):
    return (X.indices).tolist()


def same(part, whole):
    points = read_xc(whole)
    assert part.Y.toarray().tolist() == points.Y.toarray()[rows(part.X)].tolist()


def test_the_parts_are_a_dataset_with_its_names(whole, tmp_path):
    done = run(whole, "--out", tmp_path / "data" / "mine", "--test-share", 0.25)
    parts = load(locate(DatasetConfig(name="mine"), tmp_path / "data"))
    assert parts.test.X.shape == (5, N)
    assert sorted(rows(parts.train.X) + rows(parts.test.X)) == list(range(N))
    same(parts.train, whole)
    same(parts.test, whole)
    home = tmp_path / "data" / "mine"
    assert (home / "Yf.txt").read_text() == "a\nb\nc\nd\n"
    assert sorted(path.name for path in home.iterdir()) == ["Yf.txt", "test.txt", "train.txt"]
    assert "test.txt: 5 rows" in done.output


def test_a_label_keeps_its_last_training_row_if_asked(whole, tmp_path):
    def is_lost(out, seed, *words):
        run(whole, "--out", out, "--seed", seed, "--force", *words)
        return 3 not in read_xc(out / "train.txt").Y.indices

    seed = next(seed for seed in range(50) if is_lost(tmp_path / "plain", seed))
    assert not is_lost(tmp_path / "kept", seed, "--keep-labels")


def test_split_files_give_each_split_by_its_number(whole, tmp_path):
    run(whole, "--out", tmp_path / "data" / "mine", "--splits", 3, "--seed", 4)
    found = []
    for number in (1, 2, 3):
        parts = load(locate(DatasetConfig(name="mine"), tmp_path / "data", number))
        same(parts.train, whole)
        same(parts.test, whole)
        found.append(rows(parts.test.X))
    assert len({tuple(test) for test in found}) == 3
    run(whole, "--out", tmp_path / "alone", "--seed", 6)
    assert rows(read_xc(tmp_path / "alone" / "test.txt").X) == found[2]


def test_split_files_lie_beside_the_data_under_its_name(whole, tmp_path):
    home = tmp_path / "bibtex"
    home.mkdir()
    data = home / "Bibtex_data.txt"
    data.write_bytes(gzip.decompress(whole.read_bytes()))
    run(data, "--splits", 2)
    assert load(locate(DatasetConfig(name="bibtex"), tmp_path, 2)).train.X.shape[0] == 16
    assert isinstance(run(whole, "--splits", 2), ConfigError)


def test_features_and_labels_in_two_files_are_parted_alike(whole, tmp_path):
    points = read_xc(whole)
    sparse.save_npz(tmp_path / "x.npz", points.X)
    sparse.save_npz(tmp_path / "y.npz", points.Y)
    run(tmp_path / "x.npz", "--labels", tmp_path / "y.npz", "--out", tmp_path / "two")
    run(whole, "--out", tmp_path / "one")
    for name in ("train.txt", "test.txt"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert "--labels" in str(run(tmp_path / "x.npz", "--out", tmp_path / "three"))


def test_what_is_there_is_replaced_only_by_force(whole, tmp_path):
    out = tmp_path / "out"
    run(whole, "--out", out)
    before = (out / "train.txt").read_bytes()
    refused = run(whole, "--out", out, "--seed", 1)
    assert isinstance(refused, ConfigError)
    assert str(refused) == f"{out / 'train.txt'} is there already; --force replaces it"
    assert (out / "train.txt").read_bytes() == before
    run(whole, "--out", out, "--seed", 1, "--force")
    assert (out / "train.txt").read_bytes() != before


def test_names_that_do_not_fit_stop_it_before_anything_is_written(whole, tmp_path):
    (tmp_path / "Yf.txt").write_text("a\n")
    assert isinstance(run(whole, "--out", tmp_path / "out"), DataError)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "kind", "reason"),
    [
        (["--out", "o", "--test-share", "1"], ConfigError, "--test-share 1: expected more than 0"),
        (["--out", "o", "--test-share", "0.01"], DataError, "leaves the test part without a row"),
        ([], ConfigError, "name a folder with --out"),
    ],
)
def test_a_mistake_is_said(words, kind, reason, whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = run(whole, *words)
    assert isinstance(error, kind)
    assert reason in str(error)

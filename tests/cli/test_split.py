import gzip
import signal

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
    assert isinstance(run(whole, "--out", tmp_path / "out" / "mine"), DataError)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [[], ["--splits", 2]])
def test_a_signal_ends_it_and_leaves_nothing(options, whole, tmp_path, monkeypatch):
    def ended(*arguments):
        signal.raise_signal(signal.SIGTERM)

    # What would kill the tests if nothing took the signal.
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    monkeypatch.setattr("xcbench.data.splits.write.write_part", ended)
    monkeypatch.setattr("xcbench.data.splits.write.write_split_file", ended)
    try:
        done = run(whole, "--out", tmp_path / "out", *options)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert done.code == 143
    assert not (tmp_path / "out").exists()


NAMES = ("Yf.txt", "Xf.txt", "text.json")


@pytest.mark.parametrize("options", [[], ["--splits", 2]])
@pytest.mark.parametrize("name", [*NAMES, "trn_X.txt", "synth.json"])
def test_names_that_are_there_are_lost_only_by_force(name, options, whole, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("mine")
    refused = run(whole, "--out", out, *options)
    assert isinstance(refused, ConfigError)
    assert str(refused).startswith(f"{out / name} ")
    assert [path.name for path in out.iterdir()] == [name]
    assert (out / name).read_text() == "mine"
    run(whole, "--out", out, *options, "--force")
    left = {path.name for path in out.iterdir()} & {*NAMES, "trn_X.txt", "synth.json"}
    assert left == {"Yf.txt"}  # as beside the points
    assert (out / "Yf.txt").read_text() == "a\nb\nc\nd\n"


LAYOUTS = {
    "splits": ("data.txt", "trSplit.txt", "tstSplit.txt.gz"),
    "files": ("Train.txt", "test.txt.gz"),
    "pairs": ("trn_X_Xf.txt", "trn_X_Y.txt", "tst_X_Xf.txt", "tst_X_Y.txt"),
}


@pytest.mark.parametrize(
    ("layout", "options"),
    [
        ("splits", []),
        ("pairs", []),
        ("files", ["--splits", 2]),
        ("pairs", ["--splits", 2]),
    ],
)
def test_two_datasets_in_a_folder_are_refused(layout, options, whole, tmp_path):
    (tmp_path / "out").mkdir()
    for name in LAYOUTS[layout]:
        (tmp_path / "out" / name).write_text("1\n")
    refused = run(whole, "--out", tmp_path / "out", "--force", *options)
    assert isinstance(refused, ConfigError)
    assert "so which data is meant would not be clear" in str(refused)
    assert len(list((tmp_path / "out").iterdir())) == len(LAYOUTS[layout])


@pytest.mark.parametrize("name", ["train.txt", "test.txt.gz"])
def test_what_is_read_is_never_written_over(name, whole, tmp_path):
    out = tmp_path / "mine"
    out.mkdir()
    (out / name).write_bytes(whole.read_bytes())
    (tmp_path / "link.txt").symlink_to(out / name)
    for source in (out / name, tmp_path / "link.txt"):
        refused = run(source, "--out", out, "--force")
        assert str(refused) == f"{out / name} is what is read; name another folder with --out"
    assert (out / name).read_bytes() == whole.read_bytes()


def test_a_packed_file_of_the_same_name_goes_by_force(whole, tmp_path):
    out = tmp_path / "data" / "mine"
    out.mkdir(parents=True)
    (out / "train.txt.gz").write_bytes(gzip.compress(b"1 1 1\n0 0:1\n"))
    assert "train.txt.gz does not belong to this data; --force" in str(run(whole, "--out", out))
    run(whole, "--out", out, "--force")
    parts = load(locate(DatasetConfig(name="mine"), tmp_path / "data"))
    assert parts.train.X.shape[0] == 16


def test_it_says_how_the_rows_were_drawn(whole, tmp_path):
    def said(seed, *words):
        return run(whole, "--out", tmp_path / "out", "--force", "--seed", seed, *words).output

    assert "test rows drawn at random (random)\n" in said(0)
    seed = next(s for s in range(50) if "\n1 labels are in the test part only" in said(s))
    assert "keeps a training row (xc); rows passed over for that: 1\n" in said(
        seed, "--keep-labels"
    )


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

"""Other libraries through the runner: their own evaluation, and what happens without them."""

import csv
import json

import numpy as np
import pytest

from tests.models.test_contract import planted
from xcbench.config.loader import load_config
from xcbench.config.peers import NapkinXCSettings, OmikujiSettings
from xcbench.data.dataset import Dataset, TopK
from xcbench.data.sources import locate
from xcbench.data.store import prepare
from xcbench.data.xc_text import write_xc
from xcbench.models.peers import installed, missing

KS = (1, 3, 5)
METHODS = ("omikuji-parabel", "omikuji-bonsai", "napkinxc-plt", "napkinxc-br")


def napkinxc_evaluation(prediction: TopK, test: Dataset) -> list[float]:
    """P@1 to P@5 by napkinXC's own function, percent; it takes lists of labels."""
    metrics = pytest.importorskip("napkinxc.metrics", reason="napkinXC is not installed")
    true = [row.tolist() for row in np.split(test.Y.indices, test.Y.indptr[1:-1])]
    return [100 * p for p in metrics.precision_at_k(true, prediction.labels.tolist(), k=max(KS))]


def omikuji_evaluation(prediction: TopK, test: Dataset) -> list[float]:
    """P@1 to P@5 as ``omikuji test`` prints them, percent.

    Its wheel holds no command; this is the formula of its evaluation: the right labels among a
    row's first k over k, averaged over all rows, those without labels among them. (At a place that
    a row's list does not reach it adds nothing; the lists here reach all.)
    """
    assert (prediction.labels >= 0).all()
    right = np.take_along_axis(test.Y.toarray(), prediction.labels, axis=1) > 0
    precision = right.cumsum(axis=1) / np.arange(1, right.shape[1] + 1)
    return (100 * precision.sum(axis=0) / test.n_points).tolist()


def check_against_their_own(results, test: Dataset) -> None:
    folders = sorted(results.glob("runs/*/*/result.json"))
    assert len(folders) == len(METHODS)
    for path in folders:
        metrics = json.loads(path.read_text())["metrics"]
        with np.load(path.with_name("predictions.npz"), allow_pickle=False) as file:
            prediction = TopK(file["labels"], file["scores"])
        for evaluation in (napkinxc_evaluation, omikuji_evaluation):
            theirs = evaluation(prediction, test)
            ours = [metrics[f"P@{k}"] for k in KS]
            np.testing.assert_allclose(ours, [theirs[k - 1] for k in KS], atol=1e-6)


@pytest.fixture
def peers():
    for settings in (OmikujiSettings(), NapkinXCSettings()):
        if (what := missing(settings)) is not None:
            pytest.skip(what)


def write_config(path, dataset: str):
    text = f"dataset: {dataset}\nmethods: [{', '.join(METHODS)}]\nexecutor: {{backend: inline}}\n"
    path.write_text(text)
    return path


def test_precision_is_that_of_the_peers_own_evaluation(peers, tmp_path, monkeypatch, xcbench):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    train, test = planted(240, seed=1), planted(80, seed=2)
    Y = test.Y.toarray()
    Y[::10] = 0  # Rows without labels count in all of them.
    test = Dataset(test.X, type(test.Y)(Y), "planted")
    (folder := tmp_path / "data" / "made").mkdir(parents=True)
    for name, data in (("train.txt", train), ("test.txt", test)):
        write_xc(folder / name, data.X, data.Y)
    config = write_config(tmp_path / "c.yaml", "{name: made, features: raw}")
    done = xcbench("run", config, "--data", folder.parent)
    assert done.exit_code == 0, done.output
    check_against_their_own(tmp_path / "results", test)


@pytest.mark.realdata
def test_precision_is_that_of_the_peers_own_evaluation_on_bibtex(
    peers, data_root, tmp_path, xcbench
):
    config = write_config(tmp_path / "c.yaml", "{name: bibtex, features: unit}")
    done = xcbench("run", config, "--data", data_root)
    assert done.exit_code == 0, done.output
    dataset = load_config(config).body.dataset
    prepared = prepare(locate(dataset, data_root, 1), dataset.features)
    check_against_their_own(tmp_path / "results", prepared.test)


TWO = "methods: [omikuji-parabel, {preset: knn, neighbours: 5}]"


@pytest.fixture
def without_libraries(monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda name: None)


def rows(tmp_path):
    with open(tmp_path / "results" / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_a_method_without_its_library_is_left_out_and_the_others_run(
    tiny_data, xcbench, config, tmp_path, without_libraries
):
    done = xcbench("run", config(TWO))
    assert done.exit_code == 1
    assert "omikuji is not installed: pip install 'xcbench[peers]'" in done.output
    assert "left out: omikuji-parabel" in done.output
    assert "1 run, 1 left out (a library is not installed)" in done.output
    assert "Traceback" not in done.output
    assert [(row["method"], row["status"]) for row in rows(tmp_path)] == [("knn", "done")]


def test_what_was_left_out_runs_once_its_library_is_there(
    peers, tiny_data, xcbench, config, tmp_path, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(installed, "find_spec", lambda name: None)
        assert xcbench("run", config(TWO)).exit_code == 1
    done = xcbench("run", config(TWO))
    assert done.exit_code == 0, done.output
    assert {row["method"] for row in rows(tmp_path)} == {"knn", "omikuji-parabel"}


def test_what_is_done_needs_its_library_no_more(peers, tiny_data, xcbench, config, monkeypatch):
    assert xcbench("run", config(TWO)).exit_code == 0
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    done = xcbench("run", config(TWO))
    assert done.exit_code == 0, done.output
    assert "2 done before" in done.output


def test_validate_and_dry_run_need_no_library(tiny_data, xcbench, config, without_libraries):
    assert xcbench("validate", config(TWO)).exit_code == 0
    done = xcbench("run", config(TWO), "--dry-run")
    assert done.exit_code == 0
    (peer,) = (line for line in done.output.splitlines() if "tiny/omikuji" in line)
    assert "left out" in peer
    assert done.output.count("omikuji is not installed") == 1
    (own,) = (line for line in done.output.splitlines() if "tiny/knn" in line)
    assert "would run" in own


def test_a_repeat_without_the_library_is_refused_in_one_sentence(
    peers, tiny_data, xcbench, config, monkeypatch
):
    assert xcbench("run", config("method: omikuji-parabel")).exit_code == 0
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    done = xcbench("rerun", "omikuji-parabel")
    assert done.exit_code == 1
    assert "omikuji is not installed: pip install 'xcbench[peers]'" in done.output


def test_branches_too_small_to_split_are_refused_by_validate(tiny_data, xcbench, config):
    """omikuji would end the process."""
    bad = config("method: {preset: omikuji-bonsai, min_branch_size: 50}")
    done = xcbench("validate", bad)
    assert done.exit_code == 2
    assert "min_branch_size needs at least cluster_k, 100; found 50" in done.output


def test_a_peers_row_has_the_columns_of_every_other(peers, tiny_data, xcbench, config, tmp_path):
    done = xcbench("run", config(TWO), "--jobs", 1)
    assert done.exit_code == 0, done.output
    peer, ours = sorted(rows(tmp_path), key=lambda row: row["method"] == "knn")
    differing = {name for name in ours if bool(ours[name]) != bool(peer[name])}
    assert differing <= {"overrides"}
    assert float(peer["train_s"]) > 0
    assert float(peer["predict_ms_per_point"]) > 0
    library = tmp_path / "results" / "runs" / peer["run_id"] / "model" / "library"
    files = [path for path in library.rglob("*") if path.is_file()]
    assert int(peer["model_bytes"]) == sum(path.stat().st_size for path in files)

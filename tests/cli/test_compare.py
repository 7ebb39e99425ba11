"""``xcbench compare``: the verdicts, and what cannot be compared."""

import json

import numpy as np
import pytest

from xcbench.runner.rerun import load_arrays, top_k
from xcbench.runner.store import ResultStore
from xcbench.tasks.xc import fingerprint

TWO = "methods: [{preset: rxml, rank: 5}, {preset: sleec, rank: 6}]"


@pytest.fixture
def folders(tiny_data, fake_model, xcbench, config, tmp_path):
    """The folders of two finished runs with the same predictions."""
    fake_model()
    assert xcbench("run", config(TWO), "--quiet").exit_code == 0
    return {path.name.split("-")[0]: path for path in tmp_path.glob("results/runs/tiny/*")}


def spoil(folder):
    """Put the worst predictions in the place of a run's."""
    path = folder / "predictions.npz"
    found = top_k(load_arrays(path))
    labels = np.full_like(found.labels, -1)
    np.savez(path, labels=labels, scores=np.full_like(found.scores, -np.inf))
    result = json.loads((folder / "result.json").read_text())
    result["predictions_sha256"] = fingerprint(top_k(load_arrays(path)))
    (folder / "result.json").write_text(json.dumps(result))


def verdicts(done):
    assert done.exit_code == 0, done.output
    return {row["metric"]: row["verdict"] for row in json.loads(done.stdout)}


def test_equal_predictions_are_tied_in_every_metric(folders, xcbench):
    found = verdicts(xcbench("compare", "rxml", "sleec", "--format", "json"))
    assert set(found.values()) == {"tied"}
    assert {"P@1", "nDCG@5", "PSP@3", "PSnDCG@1"} <= found.keys()


def test_the_better_one_is_named_from_either_side(folders, xcbench):
    spoil(folders["sleec"])
    assert verdicts(xcbench("compare", "rxml", "sleec", "--format", "json"))["P@3"] == "A better"
    assert verdicts(xcbench("compare", "sleec", "rxml", "--format", "json"))["P@3"] == "B better"


def test_it_reads_as_a_table(folders, xcbench):
    spoil(folders["sleec"])
    lines = xcbench("compare", "rxml", "sleec").stdout.splitlines()
    assert lines[0] == f"A  tiny/{folders['rxml'].name}"
    assert lines[2] == "25 test rows; difference A - B, 95 % interval of 2000 resamples"
    a, b, difference, low, high = map(float, lines[5].split()[1:6])
    assert lines[5].split()[0] == "P@1"
    assert b == 0
    assert difference == a
    assert low <= difference <= high


@pytest.mark.parametrize("format_", ["csv", "markdown"])
def test_other_formats_have_the_same_rows(folders, xcbench, format_):
    text = xcbench("compare", "rxml", "sleec", "--format", format_).stdout
    assert text.count("tied") == 12


def test_the_same_twice_gives_the_same_intervals(folders, xcbench):
    spoil(folders["sleec"])
    first, second = (xcbench("compare", "rxml", "sleec").stdout for _ in range(2))
    assert first == second


def test_test_rows_without_any_label_are_zeros_and_valid_json(
    tiny_data, fake_model, xcbench, config
):
    path = tiny_data / "tiny" / "test.txt"
    head, *rows = path.read_text().splitlines()
    bare = [" " + row.split(" ", 1)[1] for row in rows]
    path.write_text("\n".join([head, *bare]) + "\n")
    fake_model()
    assert xcbench("run", config(TWO), "--quiet").exit_code == 0
    done = xcbench("compare", "rxml", "sleec", "--format", "json")
    assert done.exit_code == 0, done.output

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    found = json.loads(done.stdout, parse_constant=refuse)
    assert {row["A"] for row in found} == {0.0}
    assert {row["verdict"] for row in found} == {"tied"}


def test_runs_on_other_splits_or_data_are_refused(folders, xcbench):
    path = folders["sleec"] / "result.json"
    stored = json.loads(path.read_text())
    for change, what in (
        ({"config": stored["config"] | {"splits": [2]}}, "same split (1 and 2)"),
        ({"dataset": "other"}, "same dataset (tiny and other)"),
        ({"sources": [{"sha256": "0"}]}, "same files"),
    ):
        path.write_text(json.dumps(stored | change))
        done = xcbench("compare", "rxml", "sleec")
        assert done.exit_code == 2
        assert what in done.stderr


def test_metrics_of_other_propensities_are_refused(folders, xcbench, config, tmp_path):
    text = "method: {preset: rxml, rank: 5, label: other}"
    xcbench("run", config(text), "--set", "dataset.propensity={a: 1, b: 2}", "--quiet")
    done = xcbench("compare", "sleec", "other")
    assert done.exit_code == 2
    assert "were not scored alike" in done.stderr


def test_missing_runs_and_predictions_are_said(folders, xcbench, tmp_path):
    assert xcbench("compare", "rxml", "nothing").exit_code == 2
    store = ResultStore(tmp_path / "results")
    (store.folder(f"tiny/{folders['sleec'].name}") / "predictions.npz").unlink()
    done = xcbench("compare", "rxml", "sleec")
    assert done.exit_code == 1
    assert "is missing" in done.stderr

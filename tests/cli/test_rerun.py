"""``xcbench rerun``: the same predictions, other ones, and everything that can be in the way."""

import json
import os
import signal

import numpy as np
import pytest

from xcbench.data.dataset import TopK
from xcbench.runner.rerun import load_stored, repeat_job
from xcbench.runner.store import ResultStore
from xcbench.tasks import xc

ONE = "method: {preset: rxml, rank: 5}"
TWO = "methods: [{preset: rxml, rank: 5}, {preset: rxml, label: rxml-r6, rank: 6}]"


@pytest.fixture
def run(tiny_data, fake_model, xcbench, config, tmp_path):
    """A finished run's folder."""
    fake_model()
    assert xcbench("run", config(ONE), "--quiet").exit_code == 0
    (folder,) = tmp_path.glob("results/runs/tiny/rxml-*")
    return folder


@pytest.fixture
def other_predictions(monkeypatch):
    """Let the first row of every prediction come out in the opposite order."""
    real = xc.predict_blocks

    def predict(*arguments):
        found = real(*arguments)
        labels, scores = found.labels.copy(), found.scores.copy()
        labels[0], scores[0, 0] = labels[0, ::-1], scores[0, 0] + 0.5
        return TopK(labels, scores)

    return lambda: monkeypatch.setattr(xc, "predict_blocks", predict)


def change_result(run, **changes):
    """Rewrite entries of a stored result."""
    path = run / "result.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_again_is_identical_and_what_is_stored_is_not_touched(run, xcbench, tmp_path):
    before = contents(tmp_path / "results")
    done = xcbench("rerun", run.name)
    assert done.exit_code == 0, done.output
    first, _, train, predict = done.stdout.splitlines()[:4]
    assert first == f"tiny/{run.name}: the predictions are identical"
    assert [line.split()[:2] for line in (train, predict)] == [["train", "s"], ["predict", "s"]]
    assert contents(tmp_path / "results") == before


def test_a_real_model_comes_out_the_same(tiny_data, xcbench, config):
    method = "{preset: rxml, rank: 3, learners: 2, clusters: 2, neighbours: {count: 5}}"
    xcbench("run", config(f"method: {method}"), "--quiet")
    assert "the predictions are identical" in xcbench("rerun", "tiny/rxml").stdout


def test_it_may_use_other_processes_and_keeps_no_finished_tasks(run, tiny_data, tmp_path):
    stored = load_stored(ResultStore(tmp_path / "results"), f"tiny/{run.name}")
    executor = repeat_job(stored, tiny_data, jobs=3).executor
    assert (executor.jobs, executor.checkpoint) == (3, "never")


def test_other_predictions_are_measured_and_likely_reasons_named(run, xcbench, other_predictions):
    stored = json.loads((run / "result.json").read_text())
    change_result(run, provenance=stored["provenance"] | {"numpy": "1.0", "cpu": "[abacus]"})
    other_predictions()
    done = xcbench("rerun", run.name)
    assert done.exit_code == 1
    assert "not identical: other labels in 1 of 25 rows, scores differ by up to 0.5" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines].index("numpy") < [line[0] for line in lines].index("cpu")
    assert ["numpy", "1.0", np.__version__] in lines
    (precision,) = (line for line in lines if line[0] == "P@1")
    assert precision[1] != precision[2]


def test_an_older_result_without_its_hash_is_compared_by_its_predictions(
    run, xcbench, other_predictions
):
    change_result(run, predictions_sha256="", data_root="", sources=[])
    assert xcbench("rerun", run.name).exit_code == 0
    other_predictions()
    assert xcbench("rerun", run.name).exit_code == 1


class TestNaming:
    @pytest.fixture(autouse=True)
    def runs(self, tiny_data, fake_model, xcbench, config, tmp_path):
        fake_model()
        xcbench("run", config(TWO), "--quiet")
        self.names = sorted(path.name for path in tmp_path.glob("results/runs/tiny/*"))

    def test_a_path_an_id_and_a_hash_mean_the_run(self, xcbench):
        name = self.names[0]
        for text in (f"results/runs/tiny/{name}/", f"tiny/{name}", name[-8:]):
            assert f"tiny/{name}: the predictions" in xcbench("rerun", text).stdout

    def test_2_and_the_candidates_when_several_or_none_are_meant(self, xcbench):
        for text in ("rxml", "rxlm-r6", "tiny/sleec"):
            done = xcbench("rerun", text)
            assert done.exit_code == 2
            assert all(f"\n  tiny/{name}" in done.stderr for name in self.names)
        assert "2 runs have it in their id" in xcbench("rerun", "rxml").stderr
        assert "no such run in results/runs" in xcbench("rerun", "rxlm-r6").stderr


def test_2_for_a_run_that_did_not_end_well(run, xcbench):
    change_result(run, status="failed", error="ValueError: no")
    done = xcbench("rerun", run.name)
    assert done.exit_code == 2
    assert "has the status failed; only a finished run can be repeated" in done.stderr
    (run / "result.json").unlink()
    assert "has no result" in xcbench("rerun", run.name).stderr
    assert xcbench("rerun", run.name, "--results", "elsewhere").exit_code == 2


def test_2_for_a_stored_config_that_was_changed(run, xcbench):
    text = (run / "config.yaml").read_text()
    (run / "config.yaml").write_text(text.replace("rank: 5", "rank: 6"))
    done = xcbench("rerun", run.name)
    assert done.exit_code == 2
    assert "config.yaml: method.rank: found 6; the run was told 5" in done.stderr


def test_a_setting_that_was_not_there_then_is_named(run, xcbench):
    stored = json.loads((run / "result.json").read_text())["config"]
    del stored["metrics"]["psndcg"]
    change_result(run, config=stored)
    assert "config metrics.psndcg  -     pyxclib" in xcbench("rerun", run.name).stdout


class TestPredictions:
    def test_1_when_they_are_missing(self, run, xcbench):
        (run / "predictions.npz").unlink()
        done = xcbench("rerun", run.name)
        assert done.exit_code == 1
        assert "predictions.npz: is missing" in done.stderr

    @pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04 cut"], ids=["0", "junk", "cut"])
    def test_1_when_they_are_damaged(self, run, xcbench, content):
        (run / "predictions.npz").write_bytes(content)
        done = xcbench("rerun", run.name)
        assert done.exit_code == 1
        assert "predictions.npz: is damaged" in done.stderr
        assert "Traceback" not in done.output

    def test_1_when_they_are_not_those_of_the_result(self, run, xcbench):
        labels, scores = np.zeros((25, 5), np.int32), np.zeros((25, 5), np.float32)
        np.savez(run / "predictions.npz", labels=labels, scores=scores)
        done = xcbench("rerun", run.name)
        assert done.exit_code == 1
        assert "is not what its result was made from" in done.stderr

    def test_1_when_they_are_of_another_shape_and_no_hash_says_so_before(self, run, xcbench):
        change_result(run, predictions_sha256="")
        labels, scores = np.zeros((3, 5), np.int32), np.zeros((3, 5), np.float32)
        np.savez(run / "predictions.npz", labels=labels, scores=scores)
        done = xcbench("rerun", run.name)
        assert done.exit_code == 1
        assert (
            "labels (3, 5), scores (3, 5), the repeat's labels (25, 5), scores (25, 5)"
            in done.stderr
        )


class TestData:
    def test_it_is_looked_for_where_it_lay_whatever_the_working_directory(
        self, run, xcbench, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(run)
        monkeypatch.setenv("XCBENCH_DATA", "elsewhere")
        done = xcbench("rerun", run.name, "--results", tmp_path / "results")
        assert done.exit_code == 0, done.output

    def test_it_may_have_moved(self, run, xcbench, tiny_data, tmp_path):
        tiny_data.rename(tmp_path / "moved")
        done = xcbench("rerun", run.name)
        assert done.exit_code == 3
        assert done.stderr.count("unknown dataset 'tiny'") == 1
        assert xcbench("rerun", run.name, "--data", tmp_path / "moved").exit_code == 0

    def test_3_and_the_file_when_it_is_no_longer_the_same(self, run, xcbench, tiny_data):
        path = tiny_data / "tiny" / "test.txt"
        path.write_text(path.read_text().replace(":0.5", ":0.6").replace(":1.", ":1.1"))
        done = xcbench("rerun", run.name)
        assert done.exit_code == 3
        assert f"{path}: its sha256 was " in done.stderr
        assert "train.txt" not in done.stderr

    @pytest.mark.parametrize(
        ("sources", "what"),
        [
            ([], "an xcbench that did not record the files"),
            ([{"path": "a"}], "it was read from 1 files and now would be from 2"),
            ([{"path": "a"}, {}], "train.txt: its sha256 was None"),
        ],
        ids=["none", "one", "no hash"],
    )
    def test_3_also_when_the_files_of_then_are_not_all_known(self, run, xcbench, sources, what):
        change_result(run, data_sha256="f" * 64, sources=sources)
        done = xcbench("rerun", run.name)
        assert done.exit_code == 3
        assert what in done.stderr

    def test_3_when_equal_files_are_read_otherwise(self, run, xcbench):
        change_result(run, data_sha256="f" * 64)
        done = xcbench("rerun", run.name)
        assert done.exit_code == 3
        assert "its files are the same, but this xcbench reads them otherwise" in done.stderr


class TestEnding:
    """What a repeat does that does not come to its end."""

    @pytest.fixture
    def folder(self, tiny_data, fake_model, xcbench, config, tmp_path, monkeypatch):
        fake_model()
        xcbench("run", config("method: {preset: rxml, rank: 13}"), "--quiet")
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        return temporary

    def test_1_when_the_repeat_fails(self, folder, fake_model, xcbench):
        def fails(learner):
            raise ValueError("cursed")

        fake_model(fails)
        done = xcbench("rerun", "rxml")
        assert done.exit_code == 1
        assert "the repeat failed: " in done.stderr
        assert "ValueError: cursed" in done.stderr
        assert not list(folder.iterdir())

    def test_143_on_sigterm_and_nothing_is_left(self, folder, fake_model, xcbench, tmp_path):
        before = contents(tmp_path / "results")
        fake_model(lambda learner: os.kill(os.getpid(), signal.SIGTERM))
        assert xcbench("rerun", "rxml").exit_code == 143
        assert not list(folder.iterdir())
        assert contents(tmp_path / "results") == before

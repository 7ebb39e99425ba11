"""Per-row scores of a stored run: its own metrics, or why they cannot be had."""

import json

import pytest

from xcbench.errors import DataError, XCBenchError
from xcbench.runner.row_scores import StoredScores
from xcbench.runner.store import ResultStore


@pytest.fixture
def run(tiny_data, fake_model, tmp_path):
    """A finished run: its store and id."""
    from typer.testing import CliRunner

    from xcbench.cli.main import app

    fake_model()
    config = tmp_path / "c.yaml"
    config.write_text(
        "dataset: {name: tiny, propensity: {a: 0.6, b: 2.6}}\nmethod: {preset: rxml, rank: 5}\n"
        "metrics: {psndcg: matlab}\nexecutor: {backend: inline}\n"
    )
    places = ["--data", str(tiny_data), "--results", str(tmp_path / "results"), "--quiet"]
    assert CliRunner().invoke(app, ["run", str(config), *places]).exit_code == 0
    store = ResultStore(tmp_path / "results")
    (run_id,) = store.run_ids()
    return store, run_id


def test_they_add_up_to_the_stored_metrics(run):
    store, run_id = run
    found = StoredScores(store)(run_id)
    values = 100 * found.gains.sum(axis=0) / found.norms.sum(axis=0)
    expected = store.find(run_id).metrics
    assert dict(zip(found.names, values, strict=True)) == pytest.approx(expected, rel=1e-12)


def test_without_predictions_there_are_none_and_the_reason_is_kept(run):
    store, run_id = run
    (store.folder(run_id) / "predictions.npz").unlink()
    scores = StoredScores(store)
    assert scores(run_id) is None
    assert "predictions.npz: is missing" in scores.missing[run_id]


def test_without_data_there_are_none(run, tmp_path):
    store, run_id = run
    scores = StoredScores(store, tmp_path / "nowhere")
    assert scores(run_id) is None
    assert "tiny" in scores.missing[run_id]


def test_data_that_changed_since_is_refused(run, tiny_data):
    store, run_id = run
    text = (tiny_data / "tiny" / "test.txt").read_text()
    (tiny_data / "tiny" / "test.txt").write_text(text.replace("0,1 ", "0 ", 1))
    with pytest.raises(DataError, match=r"is not what tiny/rxml-.* was made from"):
        StoredScores(store).scores(run_id)


def test_the_data_is_opened_once_for_all_runs_on_it(run, monkeypatch):
    from xcbench.runner import row_scores

    store, run_id = run
    opened = []
    real = row_scores.open_data
    monkeypatch.setattr(row_scores, "open_data", lambda *a: opened.append(a) or real(*a))
    scores = StoredScores(store)
    assert scores(run_id) is not None
    assert scores(run_id) is not None
    assert len(opened) == 1


def test_a_dataset_of_another_xcbench_is_said(run):
    store, run_id = run
    path = store.folder(run_id) / "result.json"
    content = json.loads(path.read_text())
    content["config"]["dataset"]["invented"] = 1
    path.write_text(json.dumps(content))
    with pytest.raises(XCBenchError, match="dataset is of another xcbench"):
        StoredScores(store).scores(run_id)

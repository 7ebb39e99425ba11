"""The XC job: what it measures, and that rows are predicted alike however they are blocked."""

import numpy as np
import pytest

from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.data.dataset import Dataset, TopK
from xcbench.errors import DataError, TaskError
from xcbench.models.base import InlineExecutor
from xcbench.tasks import xc


def job(text="method: {preset: rxml, rank: 5}", dataset="{name: tiny}"):
    config = load_document(parse(f"dataset: {dataset}\n{text}", "f"), "f")
    return config.jobs()[0]


def test_data_states_its_hash_and_sizes(tiny_data):
    data = xc.open_data(job().dataset, tiny_data, 1)
    assert data.sizes == xc.Sizes(n_train=60, n_test=25, n_features=20, n_labels=8)
    assert len(data.sha256) == 64


@pytest.mark.parametrize(
    ("dataset", "a", "b"),
    [
        ("{name: tiny}", 0.55, 1.5),
        ("{name: amazon-670k}", 0.6, 2.6),
        ("{name: amazon-670k, propensity: {a: 0.5, b: 0.4}}", 0.5, 0.4),
    ],
)
def test_propensities_are_the_configs_else_the_catalogues_else_the_usual(dataset, a, b):
    chosen = xc.propensity(job(dataset=dataset).dataset)
    assert (chosen.a, chosen.b) == (a, b)


def test_a_split_that_does_not_exist_is_a_data_error(tiny_data):
    with pytest.raises(DataError):
        xc.open_data(job().dataset, tiny_data, 2)


@pytest.mark.parametrize(("rows", "what"), [(" 0:1\n 1:1\n", "label"), ("0\n1\n", "feature")])
def test_training_rows_with_nothing_to_learn_from_are_a_data_error(tiny_data, rows, what):
    (tiny_data / "tiny" / "train.txt").write_text("2 20 8\n" + rows)
    with pytest.raises(DataError, match=f"none of the 2 training rows has a {what}"):
        xc.open_data(job().dataset, tiny_data, 1)


def test_a_job_leaves_model_and_predictions_and_says_what_it_measured(
    tiny_data, fake_model, tmp_path
):
    fake_model()
    folder = tmp_path / "out"
    folder.mkdir()
    data = xc.open_data(job().dataset, tiny_data, 1)
    outcome = xc.run(job(), data, folder, InlineExecutor())
    assert {path.name for path in folder.iterdir()} == {"model", "predictions.npz"}
    assert outcome.sizes["model_bytes"] == 8 * 4
    assert outcome.seconds["completion"] == 0.25
    assert outcome.seconds["train"] > 0
    assert outcome.seconds["predict"] > 0
    assert {"P@1", "nDCG@3", "PSP@5", "PSnDCG@5"} <= set(outcome.metrics)
    assert outcome.sizes["test_rows_without_labels"] == 0


def test_the_matlab_psndcg_is_a_choice_of_the_config(tiny_data, fake_model, tmp_path):
    fake_model()
    data = xc.open_data(job().dataset, tiny_data, 1)
    scores = []
    for variant in ("pyxclib", "matlab"):
        text = f"method: {{preset: rxml, rank: 5}}\nmetrics: {{psndcg: {variant}}}"
        (folder := tmp_path / variant).mkdir()
        scores.append(xc.run(job(text), data, folder, InlineExecutor()).metrics)
    assert scores[0]["PSnDCG@5"] != scores[1]["PSnDCG@5"]
    assert scores[0]["PSP@5"] == scores[1]["PSP@5"]


def test_propensities_are_those_of_the_undamaged_labels(
    tiny_data, fake_model, tmp_path, monkeypatch
):
    """So that PSP of other shares of corrupted rows compares: equal rankings score equal."""
    fake_model()
    ranked = TopK(np.tile(np.arange(5, dtype=np.int32), (25, 1)), np.ones((25, 5), np.float32))
    monkeypatch.setattr(xc, "predict_blocks", lambda *_: ranked)
    scores = []
    for number, corrupted in enumerate(("", ", corrupted: {rows: 90, labels: 8}")):
        one = job(dataset=f"{{name: tiny{corrupted}}}")
        data = xc.open_data(one.dataset, tiny_data, 1)
        (folder := tmp_path / str(number)).mkdir()
        scores.append(xc.run(one, data, folder, InlineExecutor()).metrics)
    assert scores[0] == scores[1]


def test_test_rows_without_labels_are_counted(tiny_data, fake_model, tmp_path):
    fake_model()
    (tiny_data / "tiny" / "test.txt").write_text("3 20 8\n 1:1\n0 1:1\n\n")
    data = xc.open_data(job().dataset, tiny_data, 1)
    assert xc.run(job(), data, tmp_path, InlineExecutor()).sizes["test_rows_without_labels"] == 2


class Echo:
    """Scores every row by the sum of its features; can be made to fail on blocks of five rows."""

    def __init__(self, fails=False):
        self._fails = fails

    def predict(self, X, k):
        if self._fails and X.shape[0] == 5:
            raise ArithmeticError("made to fail")
        labels = np.tile(np.arange(k, dtype=np.int32), (X.shape[0], 1))
        sums = np.asarray(X.sum(axis=1), dtype=np.float32).reshape(-1, 1)
        return xc.TopK(labels, np.tile(sums, (1, k)))


class Choosy(Echo):
    """Wants the rows in blocks of its own: every third together."""

    def blocks(self, X, threads=1):
        return [np.arange(first, X.shape[0], 3, dtype=np.int32) for first in range(3)]


@pytest.fixture
def held_out(tiny_data):
    return xc.open_data(job().dataset, tiny_data, 1).prepared.test


def test_blocks_of_any_size_and_choice_predict_the_same_rows_in_order(
    held_out, tmp_path, monkeypatch
):
    sums = np.asarray(held_out.X.sum(axis=1), dtype=np.float32)
    for model, size in ((Echo(), 2048), (Echo(), 4), (Choosy(), 4)):
        monkeypatch.setattr(xc, "load_model", lambda folder, model=model: model)
        monkeypatch.setattr("xcbench.models.base.BLOCK_ROWS", size)
        found = xc.predict_blocks(tmp_path, held_out, 3, InlineExecutor())
        assert found.labels.shape == (25, 3)
        np.testing.assert_array_equal(found.scores, np.tile(sums[:, None], (1, 3)))


def test_a_prediction_that_fails_names_its_rows(held_out, tmp_path, monkeypatch):
    monkeypatch.setattr(xc, "load_model", lambda folder: Echo(fails=True))
    monkeypatch.setattr("xcbench.models.base.BLOCK_ROWS", 10)
    with pytest.raises(TaskError, match=r"^test rows 20 to 24: "):
        xc.predict_blocks(tmp_path, held_out, 3, InlineExecutor())


def test_a_block_of_scattered_rows_that_fails_is_named_by_its_number(
    held_out, tmp_path, monkeypatch
):
    monkeypatch.setattr(xc, "load_model", lambda folder: Choosy(fails=True))
    scattered = Dataset(held_out.X[:16], held_out.Y[:16])
    with pytest.raises(TaskError, match=r"^test rows, block 1 of 3: .*; test rows, block 2 of 3: "):
        xc.predict_blocks(tmp_path, scattered, 3, InlineExecutor())


def test_an_empty_test_set_predicts_nothing(held_out, tmp_path, monkeypatch):
    monkeypatch.setattr(xc, "load_model", lambda folder: Echo())
    empty = Dataset(held_out.X[:0], held_out.Y[:0])
    assert xc.predict_blocks(tmp_path, empty, 3, InlineExecutor()).labels.shape == (0, 3)

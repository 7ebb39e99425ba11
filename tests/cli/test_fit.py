"""``xcbench fit``: one job, a whole folder or none, and clear refusals."""

import json
import signal

import pytest

from tests.conftest import ROOT, PopularityModel

METHODS = "methods: [{model: feature_neighbours}, {preset: rxml, rank: 5}]"
ONE = "method: {model: feature_neighbours, neighbours: 5}"


@pytest.fixture
def fit(tiny_data, xcbench, config):
    return lambda text, *options: xcbench("fit", config(text), "--out", "m", *options)


def test_a_model_is_made_and_nothing_else(fit, tmp_path):
    done = fit(ONE)
    assert done.exit_code == 0, done.output
    assert done.stdout == "m: feature_neighbours on tiny, fitted to 60 rows\n"
    assert "fitting feature_neighbours on tiny" in done.stderr
    assert "fitting feature_neighbours on tiny" in (tmp_path / "m" / "log.txt").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"cache", "data", "c.yaml", "m"}
    assert json.loads((tmp_path / "m" / "xcbench-model.json").read_text())["seed"] == 0


def test_several_jobs_are_refused_with_the_way_to_one(fit, tmp_path):
    done = fit(METHODS)
    assert done.exit_code == 2
    assert "comes to 2 jobs" in done.stderr
    assert "--method: feature_neighbours, rxml" in done.stderr
    done = fit(ONE + "\nseeds: [1, 2]")
    assert "--set seeds=[N]: 1, 2" in done.stderr
    assert not (tmp_path / "m").exists()
    assert fit(METHODS, "--method", "rxml").exit_code == 0
    assert fit(ONE + "\nseeds: [1, 2]", "--set", "seeds=[2]", "--force").exit_code == 0


def test_an_unknown_method_is_told_the_known_ones(fit):
    done = fit(METHODS, "--method", "rxlm")
    assert done.exit_code == 2
    assert "no method is labelled 'rxlm'; found feature_neighbours, rxml" in done.stderr


def test_a_folder_that_is_there_is_replaced_on_demand_only(fit, tmp_path):
    assert fit(ONE).exit_code == 0
    before = (tmp_path / "m" / "xcbench-model.json").read_bytes()
    done = fit(METHODS, "--method", "rxml")
    assert done.exit_code == 2
    assert "m is there already" in done.stderr
    assert (tmp_path / "m" / "xcbench-model.json").read_bytes() == before
    assert fit(METHODS, "--method", "rxml", "--force").exit_code == 0
    assert json.loads((tmp_path / "m" / "xcbench-model.json").read_text())["method"] == "rxml"


def test_somebody_elses_folder_is_never_replaced(fit, tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.tex").write_text("years of work")
    assert fit(ONE, "--force").exit_code == 2
    assert (tmp_path / "m" / "thesis.tex").read_text() == "years of work"


@pytest.mark.parametrize("mine", ["m/model/weights.pt", "m/config.yaml", "m/Yf.txt", "m/log.txt"])
def test_a_folder_that_only_looks_like_a_model_is_never_replaced(fit, tmp_path, mine):
    path = tmp_path / mine
    path.parent.mkdir(parents=True)
    path.write_text("weeks of training")
    done = fit(ONE, "--force")
    assert (done.exit_code, "no model folder" in done.stderr) == (2, True)
    assert path.read_text() == "weeks of training"


def test_a_model_with_a_file_of_somebody_else_is_never_replaced(fit, tmp_path):
    assert fit(ONE).exit_code == 0
    (tmp_path / "m" / "model" / "weights.pt").write_text("mine")
    done = fit(ONE, "--force")
    assert (done.exit_code, "'model/weights.pt'" in done.stderr) == (2, True)
    assert (tmp_path / "m" / "model" / "weights.pt").exists()


def test_few_labels_are_fitted_whatever_the_metrics_are(fit):
    done = fit(ONE + "\nmetrics: {k: [1, 3, 500]}")
    assert done.exit_code == 0, done.output
    assert fit("method: {preset: rxml, rank: 500}", "--force").exit_code == 2
    assert fit(ONE, "--jobs", 0, "--force").exit_code == 2


def interrupt():
    signal.raise_signal(signal.SIGINT)


def fail():
    raise RuntimeError("no such luck")


@pytest.mark.parametrize(("happens", "code"), [(interrupt, 130), (fail, 1)])
def test_a_fit_that_does_not_end_well_leaves_the_old_model(
    fit, monkeypatch, tmp_path, happens, code
):
    assert fit(ONE).exit_code == 0
    before = (tmp_path / "m" / "xcbench-model.json").read_bytes()
    monkeypatch.setattr(
        "xcbench.inference.fit.make_model", lambda *_: PopularityModel(lambda _: happens())
    )
    done = fit(ONE, "--force")
    assert done.exit_code == code, done.output
    assert (tmp_path / "m" / "xcbench-model.json").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"cache", "data", "c.yaml", "m"}


def test_missing_data_ends_with_3_and_impossible_values_with_2(fit):
    done = fit(ONE, "--set", "dataset.name=tinny")
    assert done.exit_code == 3
    done = fit("method: {preset: rxml, rank: 500}")
    assert done.exit_code == 2
    assert "rank: found 500; the dataset has 60 training points" in done.stderr


def test_other_tasks_are_refused(xcbench, tmp_path):
    done = xcbench("fit", ROOT / "configs" / "itml.yaml", "--out", "m", "--method", "itml")
    assert done.exit_code == 2, done.output
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("name", ["posts.csv", "posts.jsonl", "data", "p.txt.gz"])
def test_data_in_the_place_of_a_config_is_told(name, fit, xcbench, tmp_path):
    if name != "data":
        (tmp_path / name).write_text("text,tags\n" + "some long text,x\n" * 99)
    done = xcbench("fit", name, "--out", "m")
    assert done.exit_code == 2
    assert done.stderr == (
        f"error: {name}: expected a config, a YAML file; `xcbench config init` writes one\n"
    )

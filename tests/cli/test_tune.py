"""``xcbench tune``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xcbench.config.loader import load_config
from xcbench.runner.locks import hold

KNN = "method: {preset: knn, neighbours: 5}\ntune: {power: {low: 1, high: 8}}"


@pytest.fixture
def tune(xcbench, config, tiny_data):
    path = config(KNN)
    return lambda *more: xcbench("tune", path, "--data", tiny_data, "--held-out", 0.5, *more)


def test_it_leaves_a_config_that_runs_on_all_training_rows(tune, xcbench, tiny_data, tmp_path):
    done = tune("--trials", 2)
    assert done.exit_code == 0, done.output
    assert "search space of knn (30 training rows are held out):" in done.output
    assert "power: {low: 1, high: 8, log: false}" in done.output
    assert "2 trials, 0 failed" in done.output
    folder = tmp_path / "results" / "tune" / "tiny" / "knn"
    (job,) = load_config(folder / "best.yaml").jobs()
    assert job.dataset.held_out is None
    ran = xcbench("run", folder / "best.yaml", "--data", tiny_data)
    assert ran.exit_code == 0, ran.output


def test_a_gain_is_doubted_only_where_there_is_something_to_compare_with(
    tune, monkeypatch, tmp_path
):
    from xcbench.runner.execute import execute

    def measured(job, *others):
        failed = job.config.method.settings.power == 2.0  # trial 0
        done = execute(job, *others)
        return replace(done, status="failed", error="killed") if failed else done

    monkeypatch.setattr("xcbench.tuning.trials.execute", measured)
    done = tune("--trials", 2)
    assert done.exit_code == 0, done.output
    assert "trial 0 failed, so there is nothing to compare it with" in done.output
    assert "may do as well" not in done.output


def test_another_tune_in_the_folder_is_exit_code_4(tune, tmp_path):
    (tmp_path / "out").mkdir()
    with hold(tmp_path / "out"):
        done = tune("--out", "out")
    assert done.exit_code == 4
    assert "out is locked by process" in done.output


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--objective", "P@2"], 2, "--objective: found 'P@2'; expected one of"),
        (["--method", "knm"], 2, "--method: found 'knm'; expected one of knn; did you mean 'knn'?"),
        (["--held-out", "1.5"], 2, "--held-out: found 1.5; expected more than 0, below 1"),
        (["--set", "dataset.name=tinny"], 3, "unknown dataset 'tinny'"),
        (["--sampler", "grid"], 2, "is not one of"),
        (["--held-out", "0.001"], 3, "error: tiny: held_out.share: "),
        (["--max-time", "0s"], 0, "no trial was started (--max-time); the same command goes on"),
    ],
)
def test_mistakes_are_one_line_and_an_exit_code(tune, more, code, said):
    done = tune(*more)
    assert (done.exit_code, said in done.output) == (code, True), done.output

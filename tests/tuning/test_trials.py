"""Searches as a whole: what is written down, what is kept, and how they go on."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from tests.tuning.conftest import TEXT, search_of
from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.errors import ConfigError
from xcbench.metrics.bootstrap import resample
from xcbench.metrics.per_row import Contributions
from xcbench.runner import execute as execution
from xcbench.tuning import trials as module
from xcbench.tuning.journal import Trial
from xcbench.tuning.summary import best_config, is_beyond_chance, ranked, verdict
from xcbench.tuning.trials import row_scores, standard_error


def lines(folder):
    with (folder / "tune.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def timeless(rows):
    return [{k: v for k, v in row.items() if not k.endswith("_s")} for row in rows]


def test_every_trial_is_a_line_and_nothing_else_is_kept(tuned, tmp_path):
    journal = tuned(search_of(), 3)
    rows = lines(tmp_path / "t")
    assert [row["trial"] for row in rows] == ["0", "1", "2"]
    assert (rows[0]["neighbours"], rows[0]["power"]) == ("5", "2.0")
    assert rows[0]["objective"] == rows[0]["P@1"]
    assert float(rows[0]["difference"]) == 0
    assert {path.name for path in (tmp_path / "t").iterdir()} == {
        "tune.csv", "tune.yaml", "trial-0.npy", ".lock",
    }  # fmt: skip
    assert len(np.load(tmp_path / "t" / "trial-0.npy")) == 30
    difference = journal.trials[2].scores["objective"] - journal.trials[0].scores["objective"]
    assert journal.trials[2].scores["difference"] == pytest.approx(difference)


def test_a_killed_search_goes_on_where_it_was_and_comes_to_the_same(tuned, tmp_path, monkeypatch):
    tuned(search_of(), 4)
    calls = []

    def killed(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return execution.execute(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(module, "execute", killed)
        with pytest.raises(KeyboardInterrupt):
            tuned(search_of(), 4, "again")
        assert len(lines(tmp_path / "again")) == 2
        tuned(search_of(), 4, "again")
    assert len(calls) == 5
    assert timeless(lines(tmp_path / "again")) == timeless(lines(tmp_path / "t"))


def test_more_trials_go_on_and_enough_are_no_work(tuned, tmp_path, monkeypatch):
    tuned(search_of(), 2)
    before = (tmp_path / "t" / "tune.csv").read_bytes()
    tuned(search_of(), 3)
    assert (tmp_path / "t" / "tune.csv").read_bytes().startswith(before)
    monkeypatch.setattr(module, "execute", None)
    tuned(search_of(), 3)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"sampler": "optuna"}, "sampler: random there, optuna here"),
        ({"objective": "P@3"}, "objective: P@1 there, P@3 here"),
        ({"held_out": 0.4}, "config.dataset.held_out.share: 0.5 there, 0.4 here"),
        (
            {"text": TEXT.replace("9]", "8]")},
            r"tune.neighbours: \[1, 3, 5, 9\] there, \[1, 3, 5, 8",
        ),
        ({"text": TEXT.replace(": 5", ": 3")}, "config.method.neighbours: 5 there, 3 here"),
    ],
)
def test_another_search_in_the_folder_is_refused_by_what_differs(tuned, other, said):
    pytest.importorskip("optuna")
    tuned(search_of(), 1)
    with pytest.raises(ConfigError, match=said):
        tuned(search_of(**other), 2)


def test_a_damaged_file_is_said_with_its_line(tuned, tmp_path):
    tuned(search_of(), 2)
    path = tmp_path / "t" / "tune.csv"
    path.write_text(path.read_text().replace("\n1,", "\nx,"))
    with pytest.raises(ConfigError, match=r"tune.csv:3: is no trial"):
        tuned(search_of(), 2)


def test_trials_that_fail_are_written_down_and_the_others_go_on(tuned, tmp_path):
    text = (
        "dataset: {name: tiny}\nmethod: {preset: global, rank: 5}\n"
        "executor: {backend: inline}\ntune: {rank: [9, 10]}"
    )
    journal = tuned(search_of(text), 3)
    rows = lines(tmp_path / "t")
    assert [row["status"] for row in rows] == ["done", "failed", "failed"]
    assert "the dataset has 8 labels" in rows[1]["error"]
    assert ranked(journal.trials)[0].number == 0
    again = tuned(search_of(text), 3)
    assert [(each.scores, each.error) for each in again.trials] == [
        (each.scores, each.error) for each in journal.trials
    ]


def test_nothing_starts_after_the_deadline(tuned):
    assert tuned(search_of(), 3, deadline=0.0).trials == []


def test_the_test_rows_are_never_looked_at(tuned, tmp_path, tiny_data):
    tuned(search_of(), 2)
    (tiny_data / "tiny" / "test.txt").write_text("1 20 8\n7 19:1\n")
    tuned(search_of(), 2, "other")
    assert timeless(lines(tmp_path / "t")) == timeless(lines(tmp_path / "other"))


def test_row_scores_have_the_mean_and_the_error_of_a_ratio():
    rng = np.random.default_rng(0)
    norms, gains = rng.uniform(0, 3, 400), np.zeros(400)
    gains = norms * rng.uniform(0, 1, 400)
    rows = row_scores(gains, norms)
    assert rows.mean() == pytest.approx(100 * gains.sum() / norms.sum())
    drawn = resample([Contributions(("x",), gains[:, None], norms[:, None])], 2000)
    assert standard_error(rows) == pytest.approx(drawn.std(), rel=0.06)
    np.testing.assert_allclose(row_scores(gains, np.ones(400)), 100 * gains)


def trial(number, objective=50.0, difference=0.0, error=1.0):
    scores = {"objective": objective, "se": 2.0, "difference": difference, "difference_se": error}
    return Trial(number, {"neighbours": 3, "power": 1.5}, scores)


def test_the_best_of_many_has_to_be_further_off():
    """Of one comparison 1.96 standard errors; of 29, by Bonferroni, 3.13."""
    assert is_beyond_chance(trial(1, difference=2.0), 1)
    assert not is_beyond_chance(trial(1, difference=1.9), 1)
    assert not is_beyond_chance(trial(1, difference=3.1), 29)
    assert is_beyond_chance(trial(1, difference=3.2), 29)
    assert verdict(trial(2, difference=3.2), 29).endswith("beyond chance, as the best of 29 others")
    assert "no more than chance" in verdict(trial(2, difference=1.0), 29)
    assert verdict(trial(0), 5) == "no trial is better than the config as it is"
    assert "trial 0 failed" in verdict(Trial(1, {}, {"objective": 1.0, "se": 1.0}), 1)


def test_of_equal_trials_the_first_is_the_best_and_failed_ones_are_none():
    several = [trial(0, 50), trial(1, 60), trial(2, 60), Trial(3, {}, error="x")]
    assert [each.number for each in ranked(several)] == [1, 2, 0]


def test_the_best_config_trains_on_all_training_rows_with_the_values_found():
    search = search_of()
    text = best_config(search, [trial(0), trial(1, 60, 10)], 30)
    config = load_document(parse(text, "best.yaml"), "best.yaml")
    (job,) = config.jobs()
    assert job.dataset.held_out is None
    assert (job.method.settings.neighbours, job.method.settings.power) == (3, 1.5)
    assert (job.method.label, config.executor.backend) == ("knn-tuned", "inline")
    assert "better beyond chance" in text
    kept = load_document(parse(best_config(search, [trial(0, 70)], 30), "b"), "b")
    assert kept.jobs()[0].method.label == "knn"

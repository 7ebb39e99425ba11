"""Searches as a whole: what is written down, what is kept, and how they go on."""

from __future__ import annotations

import csv
import dataclasses
import io
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tuning.conftest import TEXT, search_of
from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.errors import ConfigError
from xcbench.metrics.bootstrap import resample
from xcbench.metrics.per_row import Contributions
from xcbench.runner import execute as execution
from xcbench.tuning import trials as module
from xcbench.tuning.journal import Journal
from xcbench.tuning.summary import best_config, is_beyond_chance, ranked, verdict
from xcbench.tuning.trial_lines import Trial
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


def line_of(folder, number, **changes):
    """Rewrite cells of a line of tune.csv, from 0."""
    rows = lines(folder)
    rows[number] |= changes
    with (folder / "tune.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"trial": "x"}, "trial: found 'x'"),
        ({"trial": "-1"}, "trial: found '-1'"),
        ({"trial": "0"}, "expected 5"),
        ({"trial": "2"}, "trial 2 is there twice"),
        ({"status": "dnoe"}, "status: found 'dnoe'; expected one of done, failed, impossible"),
        ({"status": "failed"}, "objective: found '.*' of a trial that failed"),
        ({"neighbours": "4"}, r"neighbours: found '4'; expected one of \[1, 3, 5, 9\]"),
        ({"neighbours": "5.0"}, "neighbours: found '5.0'"),
        ({"neighbours": "["}, r"neighbours: found '\['; expected a value"),
        ({"power": "80.0"}, "power: found '80.0'; expected one of {low: 0.5"),
        ({"power": "true"}, "power: found 'true'"),
        ({"objective": "nan"}, "objective: found 'nan', which no trial can come to"),
        ({"objective": "1.0"}, "objective: found another number than that of P@1"),
        ({"se": "nan"}, "se: found 'nan'"),
        ({"se": "-1.0"}, "se: found '-1.0'"),
        ({"P@3": "inf"}, "P@3: found 'inf'"),
        ({"nDCG@5": ""}, "nDCG@5: found ''; expected a number"),
        ({"difference": ""}, "expected both, or none"),
        ({"train_s": "soon"}, "train_s: found 'soon'"),
        ({"error": "oh"}, "error: found 'oh' of a trial that is done"),
    ],
)
def test_a_cell_that_no_trial_writes_is_said_with_its_line(damaged, cells, said):
    line_of(damaged, 1, **cells)
    with pytest.raises(ConfigError, match=rf"tune.csv:(3|4): is no trial \(.*{said}.*remove the"):
        reopened(damaged)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("tune.csv", lambda b: b[:-20], r"tune.csv:4: the file is cut here"),
        (
            "tune.csv",
            lambda b: b[: b.rindex(b",", 0, -2)] + b"\n",
            r"tune.csv:4: .*expected 2\d cel",
        ),
        ("tune.csv", lambda b: b.replace(b"\n1,", b"\n1,\xff"), r"tune.csv:3: .*byte 0xff"),
        ("tune.csv", lambda b: b.replace(b"\n1,", b'\n1,"'), r"tune.csv:3: is no trial"),
        ("tune.csv", lambda b: b.replace(b"se,", b"es,"), r"tune.csv:1: expected the columns"),
        ("tune.csv", lambda b: b"", r"tune.csv:1: the file is cut"),
        ("tune.yaml", lambda b: b"", r"tune.yaml:1: is damaged: it is no mapping"),
        ("tune.yaml", lambda b: b[: b.index(b"objective")], r"tune.yaml:1: .*has no objective, da"),
        ("tune.yaml", lambda b: b[:40] + b"\xff" + b[40:], r"tune.yaml:\d+: .*byte 0xff"),
        ("tune.yaml", lambda b: b[:30] + b"\n\t{" + b[30:], r"tune.yaml:\d+: "),
        ("trial-0.npy", lambda b: b[:-8], r"trial-0.npy: is damaged .*remove it"),
        ("trial-0.npy", lambda b: b"", r"trial-0.npy: is damaged"),
        ("trial-0.npy", lambda b: saved(np.zeros(29)), r"trial-0.npy: holds .*\(29,\).*\(30,\)"),
        ("trial-0.npy", lambda b: saved(np.zeros(30, np.float32)), r"trial-0.npy: holds float32"),
        ("trial-0.npy", lambda b: saved(np.full(30, np.nan)), r"trial-0.npy: .*expected finite"),
    ],
)
def test_a_damaged_file_is_one_error_that_names_it(damaged, name, change, said):
    content = (damaged / name).read_bytes()
    (damaged / name).write_bytes(change(content))
    assert (damaged / name).read_bytes() != content
    with pytest.raises(ConfigError, match=said):
        reopened(damaged)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(["tune.csv", "tune.yaml", "trial-0.npy"]),
    place=st.floats(0, 1, exclude_max=True),
    removed=st.integers(0, 9),
    put=st.binary(max_size=3),
)
def test_whatever_is_changed_is_read_or_is_one_error_that_names_the_folder(
    damaged, name, place, removed, put
):
    content = (damaged / name).read_bytes()
    start = int(place * len(content))
    try:
        (damaged / name).write_bytes(content[:start] + put + content[start + removed :])
        reopened(damaged)
    except ConfigError as error:
        assert str(damaged) in str(error)
    finally:
        (damaged / name).write_bytes(content)


def saved(rows):
    stream = io.BytesIO()
    np.save(stream, rows)
    return stream.getvalue()


def reopened(folder):
    search = search_of()
    return Journal(folder, search.identity("x"), search.lines(30))


@pytest.fixture
def damaged(tmp_path):
    """The folder of a search of three trials, to be damaged."""
    folder = tmp_path / "d"
    folder.mkdir()
    search = search_of()
    lines = search.lines(30)
    journal = Journal(folder, search.identity("x"), lines)
    metrics = dict.fromkeys(lines.metrics, 50.0)
    seconds = {"train_s": 1.0, "predict_s": 0.5}
    for number in range(3):
        scores = {"objective": 50.0, "se": 2.0, "difference": 0.0, "difference_se": 0.0}
        point = {"neighbours": 9, "power": 1.5} if number else search.start
        journal.add(Trial(number, point, scores, metrics, seconds), np.full(30, 50.0))
    assert reopened(folder).trials == journal.trials
    return folder


def failing(monkeypatch, *numbers):
    """Let the calls of execute of these numbers, from 0, fail as where a worker is killed."""
    calls = []

    def execute(*arguments):
        calls.append(1)
        done = execution.execute(*arguments)
        if len(calls) - 1 in numbers:
            return dataclasses.replace(done, status="failed", error="a worker was killed")
        return done

    monkeypatch.setattr(module, "execute", execute)
    return calls


def test_a_trial_that_failed_for_what_may_pass_is_done_again(tuned, tmp_path, monkeypatch):
    tuned(search_of(), 3)
    failing(monkeypatch, 1)
    tuned(search_of(), 3, "again")
    assert [row["status"] for row in lines(tmp_path / "again")] == ["done", "failed", "done"]
    assert lines(tmp_path / "again")[1]["error"] == "a worker was killed"
    calls = failing(monkeypatch)
    tuned(search_of(), 3, "again")
    assert len(calls) == 1
    assert timeless(lines(tmp_path / "again")) == timeless(lines(tmp_path / "t"))


def test_a_trial_that_keeps_failing_is_tried_once_a_call(tuned, monkeypatch):
    calls = failing(monkeypatch, 1, 2)
    tuned(search_of(), 2)
    assert [each.is_done for each in tuned(search_of(), 2).trials] == [True, False]
    assert len(calls) == 3


def test_where_trial_0_failed_and_succeeds_later_all_are_compared(tuned, tmp_path, monkeypatch):
    tuned(search_of(), 3)
    failing(monkeypatch, 0)
    journal = tuned(search_of(), 3, "again")
    assert [each.is_done for each in journal.trials] == [False, True, True]
    assert not any(each.is_compared for each in journal.trials)
    best = ranked(journal.trials)[0]
    assert "trial 0 failed" in verdict(best, 0, 30)
    failing(monkeypatch)
    tuned(search_of(), 3, "again")
    assert timeless(lines(tmp_path / "again")) == timeless(lines(tmp_path / "t"))


def test_without_what_it_gave_trial_0_is_done_again(tuned, tmp_path, monkeypatch):
    tuned(search_of(), 2)
    before = timeless(lines(tmp_path / "t"))
    (tmp_path / "t" / "trial-0.npy").unlink()
    calls = failing(monkeypatch)
    tuned(search_of(), 2)
    assert len(calls) == 1
    assert timeless(lines(tmp_path / "t")) == before
    assert len(np.load(tmp_path / "t" / "trial-0.npy")) == 30


def test_optuna_goes_on_from_the_written_trials_as_it_would_have(tuned, tmp_path):
    pytest.importorskip("optuna")
    tuned(search_of(sampler="optuna"), 14)
    for count in (4, 12, 14):
        tuned(search_of(sampler="optuna"), count, "again")
    assert timeless(lines(tmp_path / "again")) == timeless(lines(tmp_path / "t"))


def test_one_held_out_row_has_no_standard_error_and_is_read_again(tuned, tmp_path):
    journal = tuned(search_of(held_out=0.02), 2)
    assert np.load(tmp_path / "t" / "trial-0.npy").shape == (1,)
    first, other = journal.trials
    assert np.isnan([first.scores["se"], other.scores["difference_se"]]).all()
    assert [each.number for each in tuned(search_of(held_out=0.02), 3).trials] == [0, 1, 2]
    better = trial(1, difference=100.0, error=np.nan)
    assert not is_beyond_chance(better, 1, 1)
    assert verdict(better, 1, 1) == (
        "+100.00 to trial 0: a single held-out row tells nothing of chance"
    )
    assert "+- nan" not in best_config(search_of(), [first, other], 1)


@pytest.mark.parametrize(
    ("ended", "name"), [(SystemExit(143), "SIGTERM"), (KeyboardInterrupt(), "SIGINT")]
)
def test_a_signal_is_said_and_leaves_no_folder(tuned, tmp_path, monkeypatch, caplog, ended, name):
    def execute(job, places, *others):
        (places.gathered / "model").mkdir()
        raise ended

    monkeypatch.setattr(module, "execute", execute)
    with pytest.raises(type(ended)):
        tuned(search_of(), 2)
    assert re.search(rf"interrupted \({name} after 0\.\d s\); trial 0 is still to do", caplog.text)
    assert {path.name for path in (tmp_path / "t").iterdir()} == {"tune.yaml", ".lock"}


def test_finished_tasks_of_a_killed_trial_stay_until_it_is_done(tuned, tmp_path, monkeypatch):
    def execute(job, places, *others):
        (places.checkpoint / "tasks").mkdir(parents=True)
        (places.checkpoint / "tasks" / "task").write_text("done")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "execute", execute)
        with pytest.raises(KeyboardInterrupt):
            tuned(search_of(), 1)
    (kept,) = (tmp_path / "t" / ".trial").iterdir()
    assert kept.name.startswith("checkpoint-")
    tuned(search_of(), 1)
    assert not (tmp_path / "t" / ".trial").exists()


def test_impossible_values_are_written_down_once_and_the_others_go_on(tuned, tmp_path, monkeypatch):
    text = (
        "dataset: {name: tiny}\nmethod: {preset: global, rank: 5}\n"
        "executor: {backend: inline}\ntune: {rank: [9, 10]}"
    )
    journal = tuned(search_of(text), 3)
    rows = lines(tmp_path / "t")
    assert [row["status"] for row in rows] == ["done", "impossible", "impossible"]
    assert "the dataset has 8 labels" in rows[1]["error"]
    assert ranked(journal.trials)[0].number == 0
    monkeypatch.setattr(module, "execute", None)  # They would come to the same.
    again = tuned(search_of(text), 3)
    assert [(each.scores, each.error) for each in again.trials] == [
        (each.scores, each.error) for each in journal.trials
    ]


def test_nothing_starts_after_the_deadline(tuned):
    assert tuned(search_of(), 3, deadline=0.0).trials == []


@pytest.mark.parametrize("method", ["global", "maxide", "knn"])
def test_the_test_rows_are_never_looked_at(tuned, tmp_path, tiny_data, method):
    """Nor how many features and labels their header counts."""
    text = f"dataset: {{name: tiny}}\nmethod: {method}\nexecutor: {{backend: inline}}"
    tuned(search_of(text), 2)
    (tiny_data / "tiny" / "test.txt").write_text("1 300 70\n7 19:1\n")
    tuned(search_of(text), 2, "other")
    assert timeless(lines(tmp_path / "t")) == timeless(lines(tmp_path / "other"))
    texts = [(tmp_path / name / "tune.yaml").read_text() for name in ("t", "other")]
    spaces = [parse(text, "tune.yaml").value["tune"] for text in texts]
    assert spaces[0] == spaces[1]


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
    """Of one comparison 1.96 standard errors; of 29, by Bonferroni, 3.13; more on few rows."""
    n = 10**6
    assert is_beyond_chance(trial(1, difference=2.0), 1, n)
    assert not is_beyond_chance(trial(1, difference=1.9), 1, n)
    assert not is_beyond_chance(trial(1, difference=3.1), 29, n)
    assert is_beyond_chance(trial(1, difference=3.2), 29, n)
    assert not is_beyond_chance(trial(1, difference=2.2), 1, 10)  # t of 9 degrees: 2.262
    assert is_beyond_chance(trial(1, difference=2.3), 1, 10)
    said = verdict(trial(2, difference=3.2), 29, n)
    assert said.endswith("beyond chance, as the best of 29 others")
    assert "no more than chance" in verdict(trial(2, difference=1.0), 29, n)
    assert verdict(trial(0), 5, n) == "no trial is better than the config as it is"
    assert "trial 0 failed" in verdict(Trial(1, {}, {"objective": 1.0, "se": 1.0}), 1, n)


def test_rows_that_all_differ_by_the_same_are_never_beyond_chance():
    assert not is_beyond_chance(trial(1, difference=100.0, error=0.0), 1, 2)
    assert "no more than chance" in verdict(trial(1, difference=100.0, error=0.0), 1, 2)


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

"""Which runs make one method, and which are left out."""

import pytest

from xcbench.report.tables.methods import by_dataset, group_of, methods_of


def test_runs_that_differ_in_seed_and_split_alone_are_one_method(run):
    rows = [run(split=split, seed=seed) for split in (2, 1) for seed in (1, 0)]
    (method,), notes = methods_of(rows)
    assert [(r["split"], r["seed"]) for r in method.runs] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert method.runs_text == "2 splits x 2 seeds"
    assert notes == []


@pytest.mark.parametrize(
    ("places", "text"),
    [
        ([(1, 0)], "1"),
        ([(1, 0), (2, 0)], "2 splits"),
        ([(1, 0), (1, 1), (1, 2)], "3 seeds"),
        ([(1, 0), (1, 1), (2, 0)], "3 runs, 2 splits"),
    ],
)
def test_the_number_of_runs_is_said(run, places, text):
    (method,), _ = methods_of([run(split=split, seed=seed) for split, seed in places])
    assert method.runs_text == text


def test_of_two_configs_under_one_label_the_newest_is_shown_and_the_other_named(run):
    old = run(utc="2026-01-01", run_id="tiny/rxml-old", **{"method.rank": 9})
    (method,), (note,) = methods_of([run(utc="2026-01-02"), old])
    assert [r["run_id"] for r in method.runs] == ["tiny/rxml-10"]
    assert note == "left out: 1 run of rxml with an older config than the one shown (tiny/rxml-old)"


def test_of_a_repeat_the_newest_is_shown(run):
    old = run(utc="2025-01-01", run_id="tiny/rxml-old")
    (method,), _ = methods_of([old, run()])
    assert [r["run_id"] for r in method.runs] == ["tiny/rxml-10"]


def test_runs_on_older_data_of_the_same_name_are_left_out(run):
    old = run("sleec", utc="2025-01-01", data_sha256="other")
    (method,), (note,) = methods_of([old, run()])
    assert method.label == "rxml"
    assert "1 run on other data of this name" in note


def test_the_same_data_scaled_otherwise_stays(run):
    raw = run("sleec", data_sha256="raw", **{"dataset.features": "raw"})
    methods, notes = methods_of([raw, run()])
    assert ([m.label for m in methods], notes) == (["rxml", "sleec"], [])


def test_a_split_counts_once_however_many_seeds_it_has(run):
    rows = [run(seed=0, **{"P@1": 10.0}), run(seed=1, **{"P@1": 20.0})]
    rows.append(run(split=2, **{"P@1": 40.0}))
    (method,), _ = methods_of(rows)
    assert method.numbers("P@1") == [15.0, 40.0]
    assert method.on([1]).numbers("P@1") == [10.0, 20.0]


def test_a_number_that_one_run_lacks_is_not_averaged_over_the_others(run):
    (method,), _ = methods_of([run(), run(seed=1, **{"P@1": ""})])
    assert method.numbers("P@1") == []


@pytest.mark.parametrize(
    ("preset", "model", "group"),
    [
        ("rxml", "local_embedding", "ours"),
        ("rxml-blend", "local_embedding", "ours"),
        (None, "local_embedding", "ours"),
        ("rxml-paper", "local_embedding", "paper"),
        ("sleec", "local_embedding", "paper"),
        ("", "global", "paper"),
        ("omikuji-bonsai", "omikuji", "peer"),
        ("", "napkinxc", "peer"),
        ("ridge", "one_vs_rest", "baseline"),
        ("knn", "feature_neighbours", "baseline"),
    ],
)
def test_whose_a_method_is(preset, model, group):
    assert group_of({"preset": preset, "method.model": model}) == group


def test_every_preset_has_a_group():
    from xcbench.config.presets import PRESETS

    groups = {
        name: group_of({"preset": name, "method.model": settings["model"]})
        for name, settings in PRESETS.items()
    }
    assert {name for name, group in groups.items() if group == "ours"} <= {
        name for name in PRESETS if name.startswith("rxml")
    }


def test_datasets_come_in_the_catalogues_order_and_unfinished_runs_do_not(run):
    names = ["zoo", "delicious", "bibtex", "ant"]
    rows = [run(dataset=name) for name in names] + [run(dataset="eurlex", status="failed")]
    assert list(by_dataset(rows)) == ["bibtex", "delicious", "ant", "zoo"]

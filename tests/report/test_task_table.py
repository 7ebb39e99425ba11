"""Tables of other tasks than extreme classification."""

import io

import pytest
from rich.console import Console
from scipy import stats

from xcbench.report.interval import mean_interval
from xcbench.report.table import print_results
from xcbench.report.task_table import task_tables


def row(method="itml", seed=0, **changes):
    base = {
        "status": "done", "error": "", "dataset": "uci-wine", "task": "metric_learning",
        "task.kind": "metric_learning", "method": method, "seed": seed, "split": 1,
        "error_rate": 4.0 + seed, "train_s": 0.25, "run_id": f"uci-wine/{method}-{seed}",
        "utc": "2026-01-01", "data_sha256": "d" * 64, "task.neighbours": 4,
        "task.standardise": True, "dataset.name": "uci/wine", "method.label": method,
    }  # fmt: skip
    return base | changes


def embedding(seed=0, **changes):
    base = {
        "status": "done", "error": "", "dataset": "us-cities-500", "task": "robust_embedding",
        "task.kind": "robust_embedding", "task.doubled": [5.0], "task.doubling": "squared",
        "dataset.name": "us-cities", "dataset.rows": 500, "dataset.distances": "planar",
        "method": "madmm", "method.label": "madmm", "method.iterations": 500, "method.rho": 10.0,
        "seed": seed, "split": 1, "data_sha256": "d" * 64, "median_error": 1.0 + seed,
        "run_id": f"us-cities-500/madmm-{seed}", "utc": "2026-01-01",
    }  # fmt: skip
    return base | changes


def shown(table):
    return [[line.label, *(cell.text for cell in line.cells)] for line in table.lines]


def test_the_interval_is_students():
    values = [3.0, 4.5, 5.0, 4.0]
    mean, reach = mean_interval(values)
    low, high = stats.t.interval(0.95, 3, loc=mean, scale=stats.sem(values))
    assert (mean - reach, mean + reach) == pytest.approx((low, high))
    assert mean_interval([2.0]) == (2.0, None)


def test_seeds_are_gathered_with_the_reach_of_their_interval():
    (table,) = task_tables([row(seed=0), row(seed=1), row("euclidean", seed=0)])
    assert table.title == "uci-wine, metric learning"
    assert [column.heading for column in table.columns] == ["runs", "error %", "train s"]
    reach = float(stats.t.ppf(0.975, 1)) * 0.5
    assert shown(table) == [
        ["itml", "2", f"4.50 ± {reach:.2f}", "0.25"],
        ["euclidean", "1", "4.00", "0.25"],
    ]


def test_values_that_the_protocol_lists_have_tables_of_their_own():
    rows = [
        {
            "status": "done", "dataset": "uci-wine", "task": "matrix_completion", "method": "svt",
            "seed": 0, "run_id": "x", "task.observed": [percent], "task.folds": 5,
        }
        for percent in (10.0, 20.0)
    ]  # fmt: skip
    assert [table.title for table in task_tables(rows)] == [
        "uci-wine, matrix completion, observed 10",
        "uci-wine, matrix completion, observed 20",
    ]


@pytest.mark.parametrize(
    ("change", "title"),
    [
        ({"task.doubling": "plain"}, "us-cities-500, robust embedding, doubled 5, doubling plain"),
        ({"task.doubled": [20.0]}, "us-cities-500, robust embedding, doubled 20"),
        # The dataset's own title tells it.
        (
            {"dataset": "us-cities-60", "dataset.rows": 60},
            "us-cities-60, robust embedding, doubled 5",
        ),
    ],
)  # fmt: skip
def test_another_protocol_has_a_table_of_its_own_whose_title_says_so(change, title):
    tables = task_tables([embedding(0), embedding(0, **change), embedding(1)])
    assert [table.title for table in tables] == [
        "us-cities-500, robust embedding, doubled 5",
        title,
    ]
    assert [shown(table)[0][1] for table in tables] == ["2", "1"]


def test_a_setting_of_the_dataset_that_its_title_does_not_tell_is_in_the_tables():
    mode = {"task": "compressed_modes", "dataset": "line-500", "method": "m", "status": "done",
            "seed": 0, "run_id": "x", "dataset.line": 500}  # fmt: skip
    rows = [mode | {"dataset.measure": 50.0}, mode | {"dataset.measure": 20.0}]
    assert [table.title for table in task_tables(rows)] == [
        "line-500, compressed modes, measure 50", "line-500, compressed modes, measure 20",
    ]  # fmt: skip


def test_every_setting_but_the_seed_keeps_runs_apart():
    """Whatever a config holds: no two values of a key are averaged."""
    usual = embedding()
    for key in (key for key in usual if key.startswith(("task.", "dataset.", "method."))):
        if key in ("task.kind", "method.label"):
            continue
        tables = task_tables([usual, embedding(1, **{key: "other"})])
        texts = [(table.title, line.label) for table in tables for line in table.lines]
        assert len(set(texts)) == 2, key
        assert [line.cells[0].text for table in tables for line in table.lines] == ["1", "1"], key


def test_data_that_changed_under_its_name_is_other_data():
    titles = [t.title for t in task_tables([row(), row(seed=1, data_sha256="e" * 64)])]
    assert titles == [f"uci-wine, metric learning, data {x * 8}" for x in "de"]


def test_a_label_stands_alone_unless_two_settings_have_it():
    rows = [embedding(), embedding(**{"method.iterations": 3}), embedding(1), row("euclidean")]
    first, second = task_tables(rows)
    assert [line.label for line in first.lines] == [
        "madmm (iterations 500)",
        "madmm (iterations 3)",
    ]
    assert [line.label for line in second.lines] == ["euclidean"]


def test_of_repeats_the_newest_counts_and_lines_know_their_runs():
    repeat = row(seed=0, error_rate=8.0, run_id="newer", utc="2027-01-01")
    (table,) = task_tables([repeat, row(seed=0), row(seed=1)])
    assert table.lines[0].run_ids == ("newer", "uci-wine/itml-1")
    assert table.lines[0].cells[1].value == pytest.approx(6.5)


def test_settings_that_no_longer_read_are_no_obstacle():
    (table,) = task_tables([row(**{"dataset.gone": 3, "task.gone": 5})])
    assert table.title == "uci-wine, metric learning, gone 5"


def test_runs_of_xc_and_unfinished_runs_are_in_none():
    assert task_tables([row(task="xc"), row(task=""), row(status="failed")]) == []


def test_they_are_printed_after_a_run_and_failures_below():
    text = io.StringIO()
    failed = row("euclidean", status="failed", error="no luck", error_rate="")
    print_results([row(seed=0), row(seed=2), failed], Console(file=text))
    lines = text.getvalue().splitlines()
    assert lines[0].strip() == "uci-wine, metric learning"
    assert any(line.split()[:2] == ["itml", "2"] for line in lines)
    assert lines[-1] == "failed: uci-wine, euclidean: no luck"

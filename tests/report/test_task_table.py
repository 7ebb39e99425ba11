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
        "error_rate": 4.0 + seed, "train_s": 0.25,
    }  # fmt: skip
    return base | changes


def test_the_interval_is_students():
    values = [3.0, 4.5, 5.0, 4.0]
    mean, reach = mean_interval(values)
    low, high = stats.t.interval(0.95, 3, loc=mean, scale=stats.sem(values))
    assert (mean - reach, mean + reach) == pytest.approx((low, high))
    assert mean_interval([2.0]) == (2.0, None)


def test_seeds_are_gathered_with_the_reach_of_their_interval():
    (table,) = task_tables([row(seed=0), row(seed=1), row("euclidean", seed=0)])
    assert table.title == "uci-wine, metric learning"
    assert table.headings == ["method", "runs", "error %", "train s"]
    reach = float(stats.t.ppf(0.975, 1)) * 0.5
    assert table.lines == [
        ["itml", "2", f"4.50 ± {reach:.2f}", "0.25"],
        ["euclidean", "1", "4.00", "0.25"],
    ]


def test_values_that_the_protocol_lists_have_tables_of_their_own():
    rows = [
        row(task="matrix_completion", **{"task.observed": [percent], "task.folds": 5})
        for percent in (10.0, 20.0)
    ]
    assert [table.title for table in task_tables(rows)] == [
        "uci-wine, matrix completion, observed 10",
        "uci-wine, matrix completion, observed 20",
    ]


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

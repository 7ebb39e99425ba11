"""Filters, conditions and the order of rows."""

import pytest

from xcbench.errors import ConfigError
from xcbench.report.query import Condition, Filter, check_keys, columns_of, in_order_of
from xcbench.report.task_table import METRICS
from xcbench.runner.result import COLUMNS

ROW = {
    "dataset": "tiny", "method": "rxml-r50", "status": "done", "P@1": 61.5, "rank": 50, "seed": 1,
    "utc": "2026-05-01T00:00:00+00:00", "numpy": "2.10", "git_dirty": True, "error": "",
    "clusters": "", "metrics.k": [1, 3], "overrides": "method.rank=50 x!=y",
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "rank=50", "rank = 50", "P@1=61.5", "seed!=2", "P@1>=61.5", "P@1>61", "rank<=50", "rank<51",
        "method=rxml-r50", "numpy=2.10", "utc>=2026-04", "git_dirty=true", "metrics.k=[1, 3]",
        "error=", "clusters=", "nowhere=", "clusters!=5", "rank!=fifty",
        "overrides=method.rank=50 x!=y",
    ],
)  # fmt: skip
def test_a_condition_that_holds(text):
    assert Condition.read(text)(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "rank=5", "rank=", "rank=fifty", "rank>fifty", "P@1>62", "seed=true", "numpy=2.1",
        "clusters<5", "clusters>=", "nowhere=1", "metrics.k>=[a]", "error=x", "method=[",
    ],
)  # fmt: skip
def test_a_condition_that_does_not_hold(text):
    assert not Condition.read(text)(ROW)


@pytest.mark.parametrize("text", ["rank", "=5", "", ">=5"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(ConfigError, match="expected KEY=VALUE"):
        Condition.read(text)


def test_a_filter_lets_through_what_meets_all_of_it():
    assert Filter()(ROW)
    assert Filter(datasets=("other", "tiny"), methods=("sleec", "rxml*"), status="done")(ROW)
    assert not Filter(datasets=("other",))(ROW)
    assert not Filter(methods=("rxml",))(ROW)
    assert not Filter(status="failed")(ROW)
    assert not Filter(conditions=(Condition.read("rank=50"), Condition.read("seed=2")))(ROW)


def test_an_unknown_key_is_refused_with_the_nearest():
    check_keys("--sort", ["rank"], ROW)
    with pytest.raises(ConfigError, match=r"--sort: unknown column 'rnak'; did you mean 'rank'\?"):
        check_keys("--sort", ["rnak"], ROW)
    with pytest.raises(ConfigError, match="expected a column of results"):
        check_keys("--where", ["zzzzzz"], ROW)


@pytest.mark.parametrize(
    ("column", "order"),
    [("P@1", "bac"), ("train_s", "bac"), ("label", "abc"), ("mixed", "cab"), ("nowhere", "abc")],
)
def test_metrics_are_sorted_best_first_and_all_else_ascending_with_gaps_last(column, order):
    rows = [
        {"id": "a", "P@1": 10.0, "train_s": 9, "label": "a", "mixed": "x"},
        {"id": "b", "P@1": 60.0, "train_s": 1, "label": "b", "mixed": None},
        {"id": "c", "P@1": float("nan"), "train_s": "", "label": "c", "mixed": 5},
    ]
    assert "".join(row["id"] for row in in_order_of(column, rows)) == order


HIGHER = {"AP_hidden", "AP_test", "recovered", "sparsity", "within_5"}


@pytest.mark.parametrize("column", METRICS)
def test_metrics_of_every_task_are_sorted_best_first(column):
    rows = [{column: 2.0}, {column: ""}, {column: 3.0}, {column: 1.0}]
    best_first = [3.0, 2.0, 1.0] if column in HIGHER else [1.0, 2.0, 3.0]
    assert [row[column] for row in in_order_of(column, rows)] == [*best_first, ""]


def test_every_metric_of_other_tasks_is_a_column_and_the_other_way_round():
    after = COLUMNS[COLUMNS.index("task") + 1 :]
    assert set(METRICS) == set(after)


def test_columns_are_the_promised_ones_and_then_the_others_by_the_alphabet():
    assert columns_of([{"b": 1, "x": 1}, {"a": 1}], ["x", "y"]) == ["x", "y", "a", "b"]

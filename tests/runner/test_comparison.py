"""A run beside its repeat."""

from dataclasses import replace

import numpy as np
import pytest

from xcbench.data.dataset import TopK
from xcbench.runner.comparison import compare
from xcbench.runner.result import Result

RESULT = Result(
    run_id="tiny/rxml-00000000", utc="2026-01-01T00:00:00+00:00", status="done", error="",
    dataset="tiny", config={"method": {"label": "rxml"}, "executor": {"jobs": 1}}, overrides={},
    config_sha256="c", data_sha256="d", metrics={}, seconds={}, sizes={}, execution={},
    provenance={},
)  # fmt: skip
PREDICTION = TopK(
    np.array([[1, 2], [3, -1]], np.int32), np.array([[2.0, 1.0], [5.0, -np.inf]], np.float32)
)


def differences(before, after):
    changed = (replace(RESULT, provenance=provenance) for provenance in (before, after))
    old, new = changed
    return compare(old, PREDICTION, new, PREDICTION).differences


def test_equal_predictions_are_identical_with_padding_too():
    found = compare(RESULT, PREDICTION, RESULT, PREDICTION)
    assert found.identical
    assert (found.rows, found.rows_with_other_labels) == (2, 0)
    assert found.largest_score_difference == 0
    assert found.differences == {}


def test_a_score_alone_that_differs_is_not_identical():
    scores = PREDICTION.scores.copy()
    scores[0, 1] -= 0.25
    found = compare(RESULT, PREDICTION, RESULT, TopK(PREDICTION.labels, scores))
    assert not found.identical
    assert (found.rows_with_other_labels, found.largest_score_difference) == (0, 0.25)


@pytest.mark.parametrize(
    ("then", "now", "is_named"),
    [(True, True, True), (True, False, True), (False, False, False), (None, None, False)],
)
def test_uncommitted_changes_are_a_reason_even_if_there_are_some_now(then, now, is_named):
    assert ("git_dirty" in differences({"git_dirty": then}, {"git_dirty": now})) is is_named


def test_the_order_in_which_blas_libraries_were_loaded_is_no_difference():
    assert differences({"blas": "openblas 1, mkl 2"}, {"blas": "mkl 2, openblas 1"}) == {}
    assert set(differences({"blas": "mkl 2"}, {"blas": "mkl 3"})) == {"blas"}


def test_where_it_executes_is_no_setting_and_a_new_setting_is_named():
    after = replace(RESULT, config={"method": {"label": "rxml", "rank": 5}, "executor": {}})
    found = compare(RESULT, PREDICTION, after, PREDICTION).differences
    assert found == {"config method.rank": ("-", 5)}

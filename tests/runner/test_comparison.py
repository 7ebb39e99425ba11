"""A run beside its repeat."""

from dataclasses import replace

import numpy as np
import pytest

from xcbench.errors import XCBenchError
from xcbench.runner.comparison import compare
from xcbench.runner.result import Result

RESULT = Result(
    run_id="tiny/rxml-00000000", utc="2026-01-01T00:00:00+00:00", status="done", error="",
    dataset="tiny", config={"method": {"label": "rxml"}, "executor": {"jobs": 1}}, overrides={},
    config_sha256="c", data_sha256="d", metrics={}, seconds={}, sizes={}, execution={},
    provenance={},
)  # fmt: skip
PREDICTION = {
    "labels": np.array([[1, 2], [3, -1]], np.int32),
    "scores": np.array([[2.0, 1.0], [5.0, -np.inf]], np.float32),
}


def differences(before, after):
    changed = (replace(RESULT, provenance=provenance) for provenance in (before, after))
    old, new = changed
    return compare(old, PREDICTION, new, PREDICTION).differences


def test_equal_predictions_are_identical_with_padding_too():
    found = compare(RESULT, PREDICTION, RESULT, PREDICTION)
    assert found.identical
    assert found.difference == ""
    assert found.differences == {}


def test_a_score_alone_that_differs_is_not_identical():
    scores = PREDICTION["scores"].copy()
    scores[0, 1] -= 0.25
    found = compare(RESULT, PREDICTION, RESULT, PREDICTION | {"scores": scores})
    assert not found.identical
    assert found.difference == "other labels in 0 of 2 rows, scores differ by up to 0.25"


def test_arrays_of_other_tasks_are_compared_by_name_and_their_seconds_are_not():
    result = replace(RESULT, config=RESULT.config | {"task": {"kind": "compressed_modes"}})
    old = {"modes": np.array([1.0, np.nan]), "trace_seconds": np.array([0.1])}
    assert compare(result, old, result, old | {"trace_seconds": np.array([9.0])}).identical
    found = compare(result, old, result, old | {"modes": np.array([1.5, np.nan])})
    assert found.difference == "modes by up to 0.5"
    found = compare(result, old, result, old | {"modes": np.array([1.0, 2.0])})
    assert found.difference == "modes by up to inf"
    with pytest.raises(XCBenchError, match=r"modes \(2,\), the repeat's modes \(3,\)"):
        compare(result, old, result, old | {"modes": np.zeros(3)})


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

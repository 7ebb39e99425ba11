"""Recovery of made-up matrices with and without side information."""

import tracemalloc
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from xcbench.config.matrix_recovery import MatrixRecoveryDataset, MatrixRecoveryTask
from xcbench.config.maxide import MaxideSettings, SVTSettings
from xcbench.errors import DataError
from xcbench.models.memory import within
from xcbench.tasks.matrix_recovery import (
    drawn,
    memory,
    observe,
    open_data,
    planted,
    recovery_error,
    run,
)

SMALL = MatrixRecoveryDataset(rows=40, columns=30, rank=2, side=6)


def job_of(method, percent, **task):
    return SimpleNamespace(
        task=MatrixRecoveryTask(observed=(percent,), **task),
        method=SimpleNamespace(settings=method),
        seed=0,
    )


def outcome(dataset, method, percent, folder, **task):
    return run(job_of(method, percent, **task), open_data(dataset, Path(), 1), folder, None)


def test_side_information_recovers_what_is_lost_without_it(tmp_path):
    """A 600 x 400 matrix of rank 5 from 5 % of its entries; without, few steps show how far off."""
    dataset = MatrixRecoveryDataset()
    found = outcome(dataset, MaxideSettings(), 5.0, tmp_path)
    assert found.metrics["recovery_error"] <= 1e-4
    assert found.metrics["recovered"] == 1
    arrays = np.load(tmp_path / "predictions.npz")
    assert arrays["errors"][-1] == found.metrics["recovery_error"]
    assert arrays["fit"][-1] <= 1e-5
    without = outcome(SMALL, SVTSettings(), 20.0, tmp_path, tolerance=1e-6, iterations=300)
    assert without.metrics["recovery_error"] > 0.1
    assert without.metrics["recovered"] == 0
    assert outcome(SMALL, MaxideSettings(), 20.0, tmp_path).metrics["recovered"] == 1


def test_with_most_entries_seen_side_information_is_not_needed(tmp_path):
    assert outcome(SMALL, SVTSettings(), 80.0, tmp_path).metrics["recovered"] == 1


def test_the_error_is_that_of_the_whole_matrix():
    rng = np.random.default_rng(0)
    truth = planted(SMALL, rng)
    left, right = truth.factors()
    M, guess = left @ right.T, left + 0.1
    expected = np.linalg.norm(guess @ right.T - M) / np.linalg.norm(M)
    assert recovery_error(truth, guess, right) == pytest.approx(expected, rel=1e-12)
    close = 1e-9 * expected
    near = recovery_error(truth, left + 1e-10, right)
    assert near == pytest.approx(close, rel=1e-4)


def test_the_error_of_a_large_matrix_is_found_without_it():
    """20,000 x 10,000 numbers would be 1.6 GB, each block of them 32 MB."""
    truth = planted(MatrixRecoveryDataset(rows=20_000, columns=10_000), np.random.default_rng(0))
    left, right = truth.factors()
    tracemalloc.start()
    try:
        assert recovery_error(truth, 1.5 * left, right) == pytest.approx(0.5)
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("share", [0.25, 0.8])
def test_observed_are_so_many_entries_of_the_matrix(share):
    rng = np.random.default_rng(0)
    truth = planted(SMALL, rng)
    left, right = truth.factors()
    known = observe(truth, share, rng)
    assert known.columns.size == share * 1200
    dense = known.holding(known.values).toarray()
    assert np.count_nonzero(dense) == share * 1200
    np.testing.assert_allclose(dense[dense != 0], (left @ right.T)[dense != 0])


@settings(max_examples=50, deadline=None)
@given(total=st.integers(1, 60), part=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_so_many_different_numbers_are_drawn_in_order(total, part, seed):
    count = max(1, round(part * total))
    found = drawn(total, count, np.random.default_rng(seed))
    assert found.dtype == np.int64
    assert (found.size, found[0] >= 0, found[-1] < total) == (count, True, True)
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("count", [2, 3])
def test_every_set_of_numbers_is_drawn_as_often(count):
    """Each of ten sets 300 times of 3,000, give or take five standard deviations."""
    rng = np.random.default_rng(0)
    found = Counter(tuple(drawn(5, count, rng).tolist()) for _ in range(3000))
    assert len(found) == 10
    assert all(abs(times - 300) < 5 * np.sqrt(270) for times in found.values())


def test_drawing_never_holds_all_numbers():
    """10^8 numbers would be 800 MB, and 100 MB as bits of a mask."""
    tracemalloc.start()
    try:
        drawn(10**8, 100_000, np.random.default_rng(0))
        assert tracemalloc.get_traced_memory()[1] < 10e6
        tracemalloc.reset_peak()
        drawn(10**7, 10**6, np.random.default_rng(0))  # 10 %, of 80 MB
        assert tracemalloc.get_traced_memory()[1] < 60e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", [MaxideSettings(), SVTSettings()], ids=["maxide", "svt"])
def test_the_estimate_of_memory_covers_what_is_held(method, tmp_path):
    rows, columns = (3000, 2000) if method.model == "maxide" else (300, 200)
    dataset = MatrixRecoveryDataset(rows=rows, columns=columns)
    job = job_of(method, 5.0, decay=0.3, fit=0.1, iterations=3)
    data = open_data(dataset, Path(), 1)
    (stage,) = memory(job, data, 1).stages
    tracemalloc.start()
    try:
        run(job, data, tmp_path, None)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert held < stage.task < 4 * held


def test_a_matrix_of_a_billion_rows_is_no_small_job():
    """A alone has 200 GB."""
    data = open_data(MatrixRecoveryDataset(rows=10**9, columns=25), Path(), 1)
    estimated = memory(job_of(MaxideSettings(), 1.0), data, 1)
    assert estimated.total > 200e9
    assert within(estimated, 190 * 10**9) is None
    assert memory(job_of(MaxideSettings(), 1.0), data, 8).total == estimated.total


def test_equal_seeds_give_equal_bytes(tmp_path):
    one, other = (outcome(SMALL, MaxideSettings(), 30.0, tmp_path) for _ in range(2))
    assert one.predictions_sha256 == other.predictions_sha256


def test_impossible_shapes_and_splits_are_refused():
    with pytest.raises(ValidationError, match="side needs at least rank, 5"):
        MatrixRecoveryDataset(side=3)
    with pytest.raises(DataError, match="has one split; found 2"):
        open_data(SMALL, Path(), 2)
    assert SMALL.title == "40x30-rank2-side6"

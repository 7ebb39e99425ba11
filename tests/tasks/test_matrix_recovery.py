"""Recovery of made-up matrices with and without side information."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import ValidationError

from xcbench.config.matrix_recovery import MatrixRecoveryDataset, MatrixRecoveryTask
from xcbench.config.maxide import MaxideSettings, SVTSettings
from xcbench.errors import DataError
from xcbench.tasks import matrix_recovery
from xcbench.tasks.matrix_recovery import observe, open_data, planted, recovery_error, run

SMALL = MatrixRecoveryDataset(rows=40, columns=30, rank=2, side=6)


def outcome(dataset, settings, percent, folder, **task):
    job = SimpleNamespace(
        task=MatrixRecoveryTask(observed=(percent,), **task),
        method=SimpleNamespace(settings=settings),
        seed=0,
    )
    return run(job, open_data(dataset, Path(), 1), folder, None)


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


def test_the_error_is_that_of_the_whole_matrix(monkeypatch):
    monkeypatch.setattr(matrix_recovery, "_NUMBERS", 100)  # several blocks
    rng = np.random.default_rng(0)
    truth = planted(SMALL, rng)
    left, right = truth.factors()
    M, guess = left @ right.T, left + 0.1
    expected = np.linalg.norm(guess @ right.T - M) / np.linalg.norm(M)
    assert recovery_error(truth, guess, right) == pytest.approx(expected)
    known = observe(truth, 0.25, rng)
    assert known.columns.size == 300
    dense = known.holding(known.values).toarray()
    np.testing.assert_allclose(dense[dense != 0], M[dense != 0])


def test_equal_seeds_give_equal_bytes(tmp_path):
    one, other = (outcome(SMALL, MaxideSettings(), 30.0, tmp_path) for _ in range(2))
    assert one.predictions_sha256 == other.predictions_sha256


def test_impossible_shapes_and_splits_are_refused():
    with pytest.raises(ValidationError, match="side needs at least rank, 5"):
        MatrixRecoveryDataset(side=3)
    with pytest.raises(DataError, match="has one split; found 2"):
        open_data(SMALL, Path(), 2)
    assert SMALL.title == "40x30-rank2-side6"

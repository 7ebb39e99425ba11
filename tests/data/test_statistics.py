import numpy as np
import pytest

from xcbench.data.load import load
from xcbench.data.sources import Sources
from xcbench.data.statistics import rank_exponent, statistics


def test_averages_and_counts_of_a_small_split(tmp_path):
    (tmp_path / "a").write_text("4 3 5\n0,1 0:1 1:1\n1 2:1\n 0:1\n0,1,2\n")
    (tmp_path / "b").write_text("2 3 5\n2,3 0:1\n\n")
    found = statistics(load(Sources("tiny", "files", (tmp_path / "a", tmp_path / "b"))))
    assert (found.n_train, found.n_test, found.n_features, found.n_labels) == (4, 2, 3, 5)
    assert found.features_per_point == 1.0
    assert (found.labels_per_point, found.labels_per_point_train) == (8 / 6, 6 / 4)
    assert (found.points_per_label, found.points_per_label_train) == (8 / 5, 6 / 5)
    assert (found.train_rows_without_labels, found.test_rows_without_labels) == (1, 1)
    assert (found.train_rows_without_features, found.test_rows_without_features) == (1, 1)
    assert (found.labels_without_training_rows, found.labels_of_test_only) == (2, 1)


def test_the_shape_of_frequencies_is_that_of_the_training_rows(tmp_path):
    rows = ["0 0:1"] * 12 + ["1 0:1 1:1"] * 9 + ["2 2:1"]
    (tmp_path / "a").write_text("22 3 5\n" + "\n".join(rows) + "\n")
    (tmp_path / "b").write_text("1 3 5\n3 0:1\n")
    found = statistics(load(Sources("tiny", "files", (tmp_path / "a", tmp_path / "b"))))
    assert (found.heaviest_label, found.heaviest_feature) == (12, 21)
    assert found.labels_below_ten == pytest.approx(4 / 5)
    assert found.features_below_ten == pytest.approx(2 / 3)
    assert found.label_exponent > 0


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 1.5])
def test_the_exponent_of_a_power_law_is_found_in_any_order(exponent):
    counts = np.rint(1e9 * np.arange(1.0, 5000) ** -exponent).astype(np.int64)
    shuffled = np.random.default_rng(0).permutation(counts)
    assert rank_exponent(shuffled) == pytest.approx(exponent, abs=1e-3)


def test_one_count_has_no_exponent():
    assert rank_exponent(np.array([7])) is None
    assert rank_exponent(np.array([], np.int64)) is None

from xcbench.data.load import load
from xcbench.data.sources import Sources
from xcbench.data.statistics import statistics


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

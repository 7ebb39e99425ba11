import pytest
from scipy import sparse

from xcbench.data.predictions.truth import read_labels
from xcbench.errors import DataError


def test_the_three_forms_give_the_same_labels(tmp_path):
    (tmp_path / "a").write_text("2 5 4\n1,3 0:2\n\n")
    (tmp_path / "b").write_text("2 4\n1:1 3:1\n\n")
    sparse.save_npz(tmp_path / "c.npz", sparse.coo_array(([1, 1], ([0, 0], [1, 3])), (2, 4)))
    for name in ("a", "b", "c.npz"):
        Y = read_labels(tmp_path / name)
        assert Y.shape == (2, 4)
        assert Y.toarray().tolist() == [[0, 1, 0, 1], [0, 0, 0, 0]]


def test_a_label_that_is_not_1_is_refused(tmp_path):
    (tmp_path / "b").write_text("2 4\n1:1 3:0.5\n\n")
    with pytest.raises(DataError, match=r"line 2: label 3 has the value 0\.5; expected 1"):
        read_labels(tmp_path / "b")

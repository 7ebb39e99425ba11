import re

import numpy as np
import pytest
from scipy import sparse

from xcbench.data.load import differing_widths, load
from xcbench.data.sources import Sources
from xcbench.errors import DataError

TRAIN_X = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
TRAIN_Y = [[1, 0], [1, 1], [0, 0]]
TEST_X = [[0, 0, 4], [5, 0, 0]]
TEST_Y = [[0, 1], [1, 0]]


def sources(folder, kind, texts, **options):
    for name, text in texts.items():
        (folder / name).write_text(text)
    return Sources("tiny", kind, tuple(folder / name for name in texts), **options)


def made(kind, folder):
    """The same data in each of the forms."""
    if kind == "files":
        return sources(
            folder,
            kind,
            {"a": "3 3 2\n0 0:1\n0,1 1:2\n 2:3\n", "b": "2 3 2\n1 2:4\n0 0:5\n"},
        )
    if kind == "libsvm":
        return sources(folder, kind, {"a": "1 1:1\n1,2 2:2\n 3:3\n", "b": "2 3:4\n1 1:5\n"}, base=1)
    if kind == "splits":
        data = "5 3 2\n1 2:4\n0 0:1\n0,1 1:2\n0 0:5\n 2:3\n"
        rows = {"data": data, "tr": "9 2\n9 3\n9 5\n", "tst": "9 1\n9 4\n"}
        return sources(folder, kind, rows, split=2)
    if kind == "pairs":
        texts = {
            "trn_X_Xf": "3 3\n0:1\n1:2\n2:3\n",
            "trn_X_Y": "3 2\n0:1\n0:1 1:1\n\n",
            "tst_X_Xf": "2 3\n2:4\n0:5\n",
            "tst_X_Y": "2 2\n1:1\n0:1\n",
        }
        return sources(folder, kind, texts)
    files = []
    for name, dense in zip("abcd", (TRAIN_X, TRAIN_Y, TEST_X, TEST_Y), strict=True):
        sparse.save_npz(folder / f"{name}.npz", sparse.csr_array(np.array(dense)))
        files.append(folder / f"{name}.npz")
    return Sources("tiny", "npz", tuple(files))


@pytest.mark.parametrize("kind", ["files", "libsvm", "splits", "pairs", "npz"])
def test_every_form_gives_the_same_parts(kind, tmp_path):
    parts = load(made(kind, tmp_path))
    assert parts.train.X.toarray().tolist() == TRAIN_X
    assert parts.train.Y.toarray().tolist() == TRAIN_Y
    assert parts.test.X.toarray().tolist() == TEST_X
    assert parts.test.Y.toarray().tolist() == TEST_Y
    for matrix in (parts.train.X, parts.train.Y, parts.test.X, parts.test.Y):
        assert (matrix.data.dtype, matrix.indices.dtype) == (np.float32, np.int32)


def test_parts_that_state_other_widths_get_the_larger_ones(tmp_path):
    found = load(sources(tmp_path, "files", {"a": "1 3 2\n0 0:1\n", "b": "1 2 5\n4 0:1\n"}))
    assert found.widths == ((3, 2), (2, 5))
    assert found.train.X.shape == found.test.X.shape == (1, 3)
    assert found.train.Y.shape == found.test.Y.shape == (1, 5)


def test_a_part_without_rows_is_an_error(tmp_path):
    empty = sources(tmp_path, "files", {"a": "0 3 2\n", "b": "1 3 2\n0 0:1\n"})
    message = f"{tmp_path / 'a'}, line 1 states 0 rows; the training part needs at least one"
    with pytest.raises(DataError, match=re.escape(message)):
        load(empty)


def test_training_and_test_rows_that_meet_are_an_error(tmp_path):
    split = sources(tmp_path, "splits", {"d": "3 1 1\n\n\n\n", "tr": "3\n1\n", "tst": "2\n3\n"})
    with pytest.raises(DataError, match=r"share 1 rows in split 1, the first is 3; expected none"):
        load(split)


def test_features_and_labels_of_other_lengths_are_an_error(tmp_path):
    texts = {"a": "2 3\n0:1\n1:2\n", "b": "1 2\n0:1\n", "c": "1 3\n\n", "d": "1 2\n\n"}
    wrong = sources(tmp_path, "pairs", texts)
    message = (
        f"{tmp_path / 'a'}, line 1 states 2 rows, {tmp_path / 'b'}, line 1 states 1; "
        "expected the same number"
    )
    with pytest.raises(DataError, match=re.escape(message)):
        load(wrong)


@pytest.mark.parametrize("kind", ["files", "pairs"])
def test_other_widths_are_said_with_the_file_and_line_that_state_them(kind, tmp_path):
    if kind == "files":
        found = sources(tmp_path, kind, {"a": "1 3 2\n0 0:1\n", "b": "1 2 5\n4 0:1\n"})
        a, b, c, d = *found.files, *found.files
    else:
        texts = {"a": "1 3\n\n", "c": "1 2\n\n", "b": "1 2\n\n", "d": "1 5\n\n"}
        found = sources(tmp_path, kind, texts)
        a, c, b, d = found.files
    assert differing_widths(found, load(found)) == [
        f"{a}, line 1 states 3 features, {b}, line 1 states 2: both are read with 3",
        f"{c}, line 1 states 2 labels, {d}, line 1 states 5: both are read with 5",
    ]

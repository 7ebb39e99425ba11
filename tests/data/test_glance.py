"""What the first lines of a dataset's files tell."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.dataset import DatasetConfig
from xcbench.data.glance import Glance, glance, usual_features
from xcbench.data.sources import locate
from xcbench.errors import DataError


def sources(root, name="tiny"):
    return locate(DatasetConfig(name=name), root)


def test_the_sizes_of_two_files_are_those_of_their_headers(tiny_data):
    found = glance(sources(tiny_data))
    assert found == Glance(60, 25, 20, 8)
    assert str(found) == "60 training rows, 25 test rows, 20 features, 8 labels"


def test_the_sizes_of_npz_files_are_those_of_their_shapes(tiny_data):
    folder = tiny_data / "packed"
    folder.mkdir()
    for name, shape in (
        ("train_X", (6, 9)), ("train_Y", (6, 4)), ("test_X", (3, 9)), ("test_Y", (3, 5)),
    ):  # fmt: skip
        sparse.save_npz(folder / f"{name}.npz", sparse.csr_array(np.ones(shape)))
    assert glance(sources(tiny_data, "packed")) == Glance(6, 3, 9, 5)


def test_split_files_state_no_number_of_training_rows(tiny_data):
    folder = tiny_data / "split"
    folder.mkdir()
    (folder / "data.txt").write_text("2 5 3\n0 0:1\n1 1:1\n")
    (folder / "trSplit.txt").write_text("1\n")
    (folder / "tstSplit.txt").write_text("2\n")
    assert glance(sources(tiny_data, "split")) == Glance(None, None, 5, 3)


def test_a_header_of_words_is_a_data_error(tiny_data):
    (tiny_data / "tiny" / "train.txt").write_text("a b c\n")
    with pytest.raises(DataError, match="expected a header of 3 numbers"):
        glance(sources(tiny_data))


@pytest.mark.parametrize(
    ("values", "features"),
    [(("1", "3"), "tfidf"), (("1", "2.0"), "tfidf"), (("1", "1"), "unit"), (("1", "2.5"), "unit")],
)
def test_counts_above_one_are_weighted_by_idf(tiny_data, values, features):
    first, second = values
    path = tiny_data / "tiny" / "train.txt"
    path.unlink()
    text = f"2 20 8\n0 1:{first}\n1 2:{second}\n"
    path.with_name("train.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert usual_features(sources(tiny_data)) == features


def test_data_made_from_texts_is_weighted_by_idf(tiny_data):
    assert usual_features(sources(tiny_data)) == "unit"
    (tiny_data / "tiny" / "text.json").write_text("{}")
    assert usual_features(sources(tiny_data)) == "tfidf"

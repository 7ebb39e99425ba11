"""The reader and the catalogue against the real datasets, and scikit-learn as the oracle."""

import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from xcbench.config.dataset import DatasetConfig
from xcbench.data.catalogue import catalogue
from xcbench.data.load import load
from xcbench.data.sources import is_present, locate
from xcbench.data.statistics import statistics
from xcbench.data.xc_text import read_xc

pytestmark = pytest.mark.realdata

LARGEST = 20_000_000  # bytes, packed: scikit-learn takes a second for each of them


def header(path):
    with gzip.open(path) as stream:
        return stream.readline(100)


def same_as_sklearn(path: Path) -> None:
    content = read_xc(path)
    with gzip.open(path) as stream:
        n, d, _ = map(int, stream.readline().split())
        body = io.BytesIO(stream.read())
    X, label_rows = load_svmlight_file(
        body, n_features=d, dtype=np.float32, multilabel=True, zero_based=True
    )
    assert content.X.shape == X.shape == (n, d)
    np.testing.assert_array_equal(content.X.indptr, X.indptr)
    np.testing.assert_array_equal(content.X.indices, X.indices)
    np.testing.assert_array_equal(content.X.data, X.data)
    assert np.diff(content.Y.indptr).tolist() == [len(row) for row in label_rows]
    labels = np.concatenate([np.sort(np.asarray(row, int)) for row in label_rows])
    np.testing.assert_array_equal(content.Y.indices, labels)


def test_matrices_equal_scikit_learns_on_every_file_it_reads(data_root):
    files = [
        path
        for path in sorted(data_root.rglob("*.txt.gz"))
        if path.stat().st_size < LARGEST and re.fullmatch(rb"\d+ \d+ \d+\s*", header(path))
    ]
    if not files:
        pytest.skip(f"no XC text in {data_root}")
    for path in files:
        same_as_sklearn(path)


def test_split_1_of_delicious_is_its_training_and_test_file(data_root):
    config = DatasetConfig(name="delicious")
    if not is_present(catalogue()["delicious"], data_root):
        pytest.skip(f"no delicious in {data_root}")
    found = locate(config, data_root, 1)
    if found.kind != "splits":
        pytest.skip(f"no split files of delicious in {data_root}")
    folder = found.files[0].parent
    parts = load(found)
    for part, name in ((parts.train, "train.txt.gz"), (parts.test, "test.txt.gz")):
        direct = read_xc(folder / name)
        for ours, theirs in ((part.X, direct.X), (part.Y, direct.Y)):
            np.testing.assert_array_equal(ours.indptr, theirs.indptr)
            np.testing.assert_array_equal(ours.indices, theirs.indices)
            np.testing.assert_array_equal(ours.data, theirs.data)
    tenth = load(locate(config, data_root, 10))
    assert (tenth.train.X.shape[0], tenth.test.X.shape[0]) == (12920, 3185)


@pytest.mark.parametrize("name", list(catalogue()))
def test_files_have_the_published_statistics(name, data_root):
    entry = catalogue()[name]
    if not is_present(entry, data_root):
        pytest.skip(f"no {name} in {data_root}")
    found = statistics(load(locate(DatasetConfig(name=name), data_root)))
    assert (found.n_train, found.n_test) == (entry.n_train, entry.n_test)
    assert (found.n_features, found.n_labels) == (entry.n_features, entry.n_labels)
    # Delicious is published as 19.03, over its rows with a label 19.04, over all 19.02.
    assert found.labels_per_point == pytest.approx(entry.labels_per_point, abs=0.016)
    assert found.points_per_label == pytest.approx(entry.points_per_label, abs=0.006)

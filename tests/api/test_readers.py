"""Files to arrays and back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench import load_dataset, load_xc, save_xc
from xcbench.errors import DataError

ROOT = Path(__file__).parents[2]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32))
def test_what_is_saved_is_loaded_again(tmp_path_factory, n, d, n_labels, seed):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5)).astype(np.float32)
    Y = rng.random((n, n_labels)) < 0.4
    path = tmp_path_factory.mktemp("xc") / "data.txt.gz"
    for features, labels in ((X, Y), (sparse.csc_matrix(X), sparse.csc_array(Y.astype(int)))):
        save_xc(path, features, labels)
        X_read, Y_read = load_xc(path)
        assert np.array_equal(X_read.toarray(), X)
        assert np.array_equal(Y_read.toarray(), Y)


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        ([[1.0]], [[0], [1]], "inconsistent numbers of samples"),
        ([[1.0]], [[3]], "y holds the value 3"),
        ([[np.nan]], [[1]], "NaN"),
        ([[1e300]], [[1]], "too large"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(tmp_path, X, Y, message):
    with pytest.raises(ValueError, match=message):
        save_xc(tmp_path / "data.txt", X, Y)
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_is_found_where_a_run_finds_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path))
    train, test = load_dataset("bioregistry", ROOT / "data")
    assert train.X.shape[1] == test.X.shape[1]
    assert train.Y.shape[0] == train.X.shape[0]
    lengths = np.sqrt(train.X.multiply(train.X).sum(axis=1))
    np.testing.assert_allclose(lengths[lengths > 0], 1, rtol=1e-6)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XCBENCH_DATA", str(ROOT / "data"))
    raw, _ = load_dataset("bioregistry", features="raw")
    assert (raw.X.indices == train.X.indices).all()
    assert raw.X.data.max() > 1
    with pytest.raises(DataError, match="did you mean 'bioregistry'"):
        load_dataset("bioregistri")

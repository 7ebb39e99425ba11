"""Matrices of more than 2**31 entries: files with holes stand for what no test can write."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.features import unit
from xcbench.data.matrix import INT32_MAX, column_counts, row_pointers, slice_rows, take_rows
from xcbench.data.meta import FORMAT
from xcbench.data.store import open_prepared
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.tally import tally

ROW = 1 << 20  # entries of a row, but for the last two
N = 2049 + 2
NNZ = 2049 * ROW + 3 + 2  # beyond 2**31


def hollow(path, dtype, size, end):
    """An .npy of zeros that take no room, but for the last ones."""
    end = np.asarray(end, dtype)
    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (size,)}
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        stream.truncate(stream.tell() + size * end.itemsize)
        stream.seek(-end.nbytes, 2)
        stream.write(end.tobytes())
    stated = path.stat()
    if stated.st_blocks * 512 > 1 << 24:
        pytest.skip("the file system writes holes out")
    return {"dtype": end.dtype.str, "size": size, "bytes": stated.st_size}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A prepared split whose training part has features and labels beyond the 2**31st entry."""
    folder = tmp_path_factory.mktemp("large")
    ends = np.arange(1, 2050, dtype=np.int64) * ROW
    indptr = np.concatenate([[0], ends, [ends[-1] + 3, NNZ]])
    meta = {
        "format": FORMAT, "name": "large", "n_train": N, "n_test": 1,
        "n_features": ROW, "n_labels": ROW, "arrays": {},
    }  # fmt: skip
    files = {}
    try:
        for name, values in (("X", [3, 4, 12, 1, 1]), ("Y", [1, 1, 1, 1, 1])):
            files |= {
                f"{name}_train.data": (np.float32, NNZ, values),
                f"{name}_train.indices": (np.int32, NNZ, [1, 2, 7, 2, ROW - 1]),
                f"{name}_train.indptr": (np.int64, N + 1, indptr),
                f"{name}_test.data": (np.float32, 1, [1]),
                f"{name}_test.indices": (np.int32, 1, [5]),
                f"{name}_test.indptr": (np.int32, 2, [0, 1]),
            }
        for name, (dtype, size, end) in files.items():
            meta["arrays"][name] = hollow(folder / f"{name}.npy", dtype, size, end)
    except OSError as error:
        pytest.skip(f"no file of 8 GB here: {error}")
    (folder / "meta.json").write_text(json.dumps(meta))
    return open_prepared(folder)


def test_a_part_of_more_than_2_31_entries_opens_as_mapped(large):
    train = large.train
    assert train.X.nnz == train.Y.nnz == NNZ > INT32_MAX
    assert (train.n_points, train.n_features, train.n_labels) == (N, ROW, ROW)
    indptr, indices, values = csr_parts(train.X)
    assert indptr is train.X.indptr
    assert indices is train.X.indices
    assert values is train.X.data


def test_rows_beyond_the_2_31st_entry_are_sliced_and_scaled(large):
    last = slice_rows(large.train.X, N - 2, N)
    assert last.indices.dtype == last.indptr.dtype == np.int32
    assert last.indices.tolist() == [1, 2, 7, 2, ROW - 1]
    scaled = unit(last)
    expected = [3 / 13, 4 / 13, 12 / 13, np.sqrt(0.5), np.sqrt(0.5)]
    np.testing.assert_allclose(scaled.data, expected, rtol=1e-6)
    assert last[[1]].indices.tolist() == [2, ROW - 1]


def test_rows_beyond_the_2_31st_entry_are_taken_by_number_without_the_others(large):
    taken = take_rows(large.train.X, np.array([N - 1, N - 2, N - 1]))
    assert taken.indptr.tolist() == [0, 2, 5, 7]
    assert taken.indices.tolist() == [2, ROW - 1, 1, 2, 7, 2, ROW - 1]
    assert taken.data.tolist() == [1, 1, 3, 4, 12, 1, 1]


def test_the_labels_of_neighbours_beyond_the_2_31st_entry_are_added_up(large):
    indptr, labels, _ = csr_parts(large.train.Y)
    found, scores = np.full((1, 2), -1, np.int32), np.zeros((1, 2), np.float32)
    neighbours, weights = np.int32([[N - 2, N - 1]]), np.float32([[1, 2]])
    tally(neighbours, weights, indptr, labels, np.ones(ROW, np.float32), found, scores)
    assert found.tolist() == [[2, ROW - 1]]
    assert scores.tolist() == [[3, 2]]


def test_pointers_are_wide_only_where_they_must_be():
    assert row_pointers(np.array([0, INT32_MAX])).dtype == np.int32
    wide = row_pointers(np.array([0, INT32_MAX + 1]))
    assert wide.dtype == np.int64
    assert wide[-1] == 2**31


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), wide=st.booleans())
def test_taken_and_sliced_rows_are_scipys(seed, wide):
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_array(rng.poisson(0.3, (12, 9)).astype(np.float32))
    if wide:  # as from 2**31 entries on
        matrix.indptr = matrix.indptr.astype(np.int64)
    rows = rng.integers(0, 12, rng.integers(0, 20))
    taken = take_rows(matrix, rows)
    assert taken.indices.dtype == taken.indptr.dtype == np.int32
    np.testing.assert_array_equal(taken.toarray(), matrix.toarray()[rows])
    first, last = sorted(rng.integers(0, 13, 2))
    cut = slice_rows(matrix, first, last)
    assert cut.indices.dtype == cut.indptr.dtype == np.int32
    np.testing.assert_array_equal(cut.toarray(), matrix.toarray()[first:last])


@pytest.mark.parametrize("n_columns", [9, 2**31 - 1])
def test_columns_are_counted_however_many_the_header_states(n_columns):
    indices = np.int32([0, 3, 8, 3, 8, 8])
    matrix = sparse.csr_array(
        (np.ones(6, np.float32), indices, np.int32([0, 3, 5, 6])), (3, n_columns)
    )
    columns, counts = column_counts(matrix)
    assert columns.tolist() == [0, 3, 8]
    assert counts.tolist() == [1, 2, 3]

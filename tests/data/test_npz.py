import random

import numpy as np
import pytest
from scipy import sparse

from tests.fuzz import mutate
from xcbench.data.npz import read_npz
from xcbench.errors import DataError


def test_a_matrix_of_any_sparse_form_is_read_as_canonical_csr(tmp_path):
    dense = np.array([[0, 2.5, 1], [0, 0, 0], [3, 0, 0]])
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        sparse.save_npz(tmp_path / "a.npz", form(dense))
        matrix = read_npz(tmp_path / "a.npz")
        assert matrix.toarray().tolist() == dense.tolist()
        assert (matrix.data.dtype, matrix.indices.dtype) == (np.float32, np.int32)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (([1.0, np.nan], [0, 1], [0, 2]), "not finite"),
        (([1.0, 1e39], [0, 1], [0, 2]), "not finite"),
        (([1.0, 2.0], [1, 1], [0, 2]), "occurs twice"),
        (([1.0, 2.0], [0, 5], [0, 2]), "inconsistent"),
    ],
)
def test_what_the_text_formats_refuse_is_refused(parts, reason, tmp_path):
    path = tmp_path / "a.npz"
    data, indices, indptr = parts
    np.savez(
        path,
        format=np.array(b"csr"),
        shape=np.array([1, 2]),
        data=np.array(data),
        indices=np.array(indices),
        indptr=np.array(indptr),
    )
    with pytest.raises(DataError, match=f"{path.name}.*{reason}"):
        read_npz(path)


def test_other_files_are_named(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_npz(tmp_path / "a.npz")
    (tmp_path / "a.npz").write_text("text")
    with pytest.raises(DataError, match="not a sparse matrix"):
        read_npz(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", x=np.ones(3))
    with pytest.raises(DataError, match="not a sparse matrix"):
        read_npz(tmp_path / "b.npz")


@pytest.mark.parametrize("compressed", [True, False])
def test_a_damaged_file_is_a_data_error_or_the_same_matrix(compressed, tmp_path):
    matrix, path = sparse.csr_array(np.array([[1, 0, 2.5], [0, -3, 0]])), tmp_path / "a.npz"
    sparse.save_npz(path, matrix, compressed=compressed)
    sound = path.read_bytes()
    for number in range(300):
        path.write_bytes(mutate.damaged(random.Random(number), sound))
        try:
            found = read_npz(path)
        except DataError as error:
            assert str(error).startswith(f"{path}: ")
            assert str(error).isprintable()
            assert len(str(error)) < len(str(path)) + 250
        else:
            np.testing.assert_array_equal(found.toarray(), matrix.toarray())

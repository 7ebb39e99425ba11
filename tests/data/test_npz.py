import numpy as np
import pytest
from scipy import sparse

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

import numpy as np
from scipy import sparse

from xcbench.kernels.csr import csr_parts
from xcbench.kernels.csr_rows import count_entries, count_nonzeros, scale_rows


def matrix():
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.4, (30, 12)).astype(np.float32) * rng.uniform(0.5, 2, 12)
    dense[[0, 7, 29]] = 0
    return sparse.csr_array(dense.astype(np.float32))


def test_rows_get_length_one_after_their_columns_are_weighted():
    X, weights = matrix(), np.linspace(1, 3, 12)
    out = np.empty_like(X.data)
    scale_rows(*csr_parts(X), weights, out)
    expected = X.toarray().astype(np.float64) * weights
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-9)
    scaled = sparse.csr_array((out, X.indices, X.indptr), X.shape)
    np.testing.assert_allclose(scaled.toarray(), expected, rtol=1e-6)


def test_entries_are_added_up_by_column_and_stored_zeros_only_where_asked():
    indices, values = np.int32([2, 0, 2, 1, 2]), np.float32([1, 0, -3, 5, 0])
    counts = np.int64([10, 0, 0, 0])
    count_entries(indices, counts)
    assert counts.tolist() == [11, 1, 3, 0]
    counts = np.zeros(4, np.int64)
    count_nonzeros(indices, values, counts)
    assert counts.tolist() == [0, 1, 2, 0]

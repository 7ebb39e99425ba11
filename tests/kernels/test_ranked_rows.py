import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.kernels.csr import csr_parts
from xcbench.kernels.ranked_rows import best_entries


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.dictionaries(st.integers(0, 9), st.integers(-2, 2), max_size=10), min_size=1),
    st.integers(1, 6),
)
def test_the_largest_entries_come_first_ties_by_the_smaller_column(rows, k):
    where = [(i, j) for i, row in enumerate(rows) for j in row]
    values = np.array([rows[i][j] for i, j in where], np.float64)
    places = np.array(where, np.int32).reshape(-1, 2).T
    matrix = sparse.coo_array((values, tuple(places)), (len(rows), 10)).tocsr()
    matrix.sort_indices()
    labels = np.full((len(rows), k), -1, np.int32)
    best = np.full((len(rows), k), -np.inf, np.float32)
    best_entries(*csr_parts(matrix), labels, best)
    for i, row in enumerate(rows):
        expected = sorted(row.items(), key=lambda item: (-item[1], item[0]))[:k]
        padding = k - len(expected)
        assert labels[i].tolist() == [label for label, _ in expected] + [-1] * padding
        assert best[i].tolist() == [value for _, value in expected] + [-np.inf] * padding


def test_long_rows_are_sorted_to_the_same_order():
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((5, 400), density=0.6, format="csr", rng=rng)
    matrix.data = rng.integers(-3, 4, matrix.nnz) * (1 + 1e-12 * rng.integers(0, 2, matrix.nnz))
    matrix.sort_indices()
    for k in (64, 65, 300):
        labels = np.full((5, k), -1, np.int32)
        best = np.full((5, k), -np.inf, np.float32)
        best_entries(*csr_parts(matrix), labels, best)
        for i in range(5):
            row = slice(matrix.indptr[i], matrix.indptr[i + 1])
            order = np.lexsort((matrix.indices[row], -matrix.data[row]))[:k]
            assert labels[i, : order.size].tolist() == matrix.indices[row][order].tolist()
            np.testing.assert_array_equal(
                best[i, : order.size], matrix.data[row][order].astype("f4")
            )
            assert (labels[i, order.size :] == -1).all()

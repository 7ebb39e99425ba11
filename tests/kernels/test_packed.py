"""Packed rows against dense ones and scipy."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.kernels import packed


def sparse_rows(n: int, r: int, density: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n, r)).astype(np.float32)
    dense[rng.random((n, r)) >= density] = 0
    return dense


def packed_rows(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    starts = np.empty(len(dense) + 1, np.int64)
    packed.row_starts(dense, starts)
    columns, values = np.empty(starts[-1], np.uint16), np.empty(starts[-1], np.float32)
    packed.pack(dense, starts, columns, values)
    return starts, columns, values


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (7, 5), (2, 65535)])
def test_rows_are_packed_as_scipy_keeps_them_and_unpacked_as_they_were(shape):
    dense = sparse_rows(*shape, density=0.3)
    starts, columns, values = packed_rows(dense)
    expected = sparse.csr_array(dense)
    np.testing.assert_array_equal(starts, expected.indptr)
    np.testing.assert_array_equal(columns, expected.indices)
    np.testing.assert_array_equal(values, expected.data)
    out = np.full(shape, np.nan, np.float32)
    packed.unpack(starts, columns, values, out)
    np.testing.assert_array_equal(out, dense)


def test_a_few_rows_are_unpacked_from_their_own_entries():
    dense = sparse_rows(20, 9, density=0.4)
    starts, columns, values = packed_rows(dense)
    entries = slice(starts[5], starts[12])
    out = np.full((7, 9), np.nan, np.float32)
    packed.unpack(starts[5:13], columns[entries], values[entries], out)
    np.testing.assert_array_equal(out, dense[5:12])


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
def test_the_product_is_that_of_the_dense_rows(density):
    X = sparse.csr_array(sparse_rows(30, 40, density=0.2, seed=1))
    dense = sparse_rows(40, 12, density)
    parts = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data
    out = np.full((30, 12), np.nan, np.float32)
    packed.multiply(*parts, *packed_rows(dense), out)
    exact = X.toarray().astype(np.float64) @ dense
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-6)

"""Entries of a product on a pattern."""

import numpy as np
import pytest

from xcbench.kernels.observed import entries


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_entries_are_those_of_the_product(dtype):
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((size, 3)).astype(dtype) for size in (6, 5))
    mask = rng.random((6, 5)) < 0.5
    mask[2] = False  # a row without entries
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
    columns = np.nonzero(mask)[1].astype(np.int32)
    for array in (left, right, indptr, columns):
        array.setflags(write=False)
    out = np.full(columns.size, np.nan, dtype)
    entries(indptr[:4], columns, left[:3], right, out)
    assert np.isnan(out[indptr[3] :]).all()
    entries(indptr[3:], columns, left[3:], right, out)
    np.testing.assert_allclose(out, (left @ right.T)[mask], rtol=1e-5, atol=1e-6)

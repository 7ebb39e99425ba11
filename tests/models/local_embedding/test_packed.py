"""How dense matrices are kept: nothing is lost without their zeros, little in 16 bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from xcbench.models.local_embedding.packed import Packed


def matrix(n: int = 50, r: int = 8, density: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n, r)).astype(np.float32)
    dense[rng.random((n, r)) >= density] = 0
    return dense


def features(n: int) -> sparse.csr_array:
    return sparse.csr_array(matrix(20, n, density=0.3, seed=1))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 0.6, 1.0])
def test_it_takes_the_fewer_bytes_of_the_two_ways(density, dtype):
    dense = matrix(density=density)
    kept = Packed.of(dense, dtype)
    item = np.dtype(dtype).itemsize
    without_zeros = np.count_nonzero(dense) * (item + 2) + 2 * len(dense)
    assert sum(a.nbytes for a in kept.arrays) == min(dense.size * item, without_zeros)
    assert kept.shape == dense.shape


@given(
    n=st.integers(0, 12), r=st.integers(1, 6), density=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    start=st.integers(0, 14), stop=st.integers(0, 14), seed=st.integers(0, 99),
)  # fmt: skip
def test_any_rows_come_out_as_they_went_in(n, r, density, start, stop, seed):
    dense = matrix(n, r, density, seed)
    rows = slice(min(start, n), max(min(start, n), stop))
    kept = Packed.of(dense, "float32")
    np.testing.assert_array_equal(kept[rows], dense[rows])
    assert kept[rows].dtype == np.float32


@pytest.mark.parametrize("density", [0.2, 1.0])
def test_sixteen_bits_round_each_value_to_float16(density):
    dense = matrix(density=density)
    kept = Packed.of(dense, "float16")
    rounded = dense.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(kept[10:30], rounded[10:30])
    assert kept[10:30].dtype == np.float32
    X = features(len(dense))
    expected = X.toarray().astype(np.float64) @ rounded
    np.testing.assert_allclose(kept.multiplied_by(X), expected, rtol=1e-5, atol=1e-6)


def test_a_matrix_without_zeros_is_not_copied():
    dense = matrix()
    assert np.shares_memory(Packed.of(dense, "float32").values, dense)


@pytest.mark.parametrize("density", [0.05, 0.3])
def test_products_are_the_same_with_and_without_the_zeros(density):
    dense = matrix(density=density)
    kept, X = Packed.of(dense, "float32"), features(len(dense))
    assert not kept.is_dense
    none = np.empty(0, np.uint16)
    np.testing.assert_array_equal(
        kept.multiplied_by(X), Packed(dense, none, none, 8).multiplied_by(X)
    )


def test_the_parts_make_it_again():
    dense = matrix(density=0.3)
    np.testing.assert_array_equal(Packed(*Packed.of(dense, "float32").parts)[0:50], dense)


@pytest.mark.parametrize("density", [0.2, 1.0])
@pytest.mark.parametrize("size", [1e-44, 1e-8, 1.0, 7e4, 3e36])
def test_sixteen_bits_are_as_exact_for_values_of_any_size(size, density):
    dense = matrix(density=density) * np.float32(size)
    kept, X = Packed.of(dense, "float16"), features(len(dense))
    # Half of the last of 11 bits, and near the end of what 32 bits hold that of its own last one.
    bound = 2.0**-11 * np.abs(dense) + 1e-45
    assert (np.abs(kept[0:50].astype(np.float64) - dense) <= bound).all()
    np.testing.assert_array_equal(Packed(*kept.parts)[7:9], kept[7:9])
    expected = X.toarray().astype(np.float64) @ kept[0:50]
    bound = 1e-5 * (np.abs(X.toarray()) @ np.abs(kept[0:50]).astype(np.float64)) + 1e-43
    assert (np.abs(kept.multiplied_by(X) - expected) <= bound).all()


# Rounded to 11 bits, the last 0.02 % below the largest float32 would be infinite.
MOST = float(np.float32(3.4e38))


@given(st.lists(st.floats(-MOST, MOST, width=32), min_size=1))
def test_entries_far_below_the_largest_alone_become_zero(values):
    dense = np.array([values], np.float32)
    found = Packed.of(dense, "float16")[0:1].astype(np.float64)
    bound = 2.0**-11 * np.abs(dense.astype(np.float64)) + 2.0**-39 * np.abs(dense).max() + 2e-45
    assert (np.abs(found - dense) <= bound).all()


def test_more_columns_than_sixteen_bits_number_are_kept_dense():
    assert Packed.of(np.zeros((2, 2**16), np.float32), "float32").is_dense
    assert not Packed.of(np.zeros((2, 2**16 - 1), np.float32), "float32").is_dense

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
def test_values_too_large_for_sixteen_bits_are_refused(density):
    with pytest.raises(ValueError, match=r"size 7e\+04 does not fit float16"):
        Packed.of(matrix(density=density) * 0 + np.float32(7e4), "float16")


def test_more_columns_than_sixteen_bits_number_are_kept_dense():
    assert Packed.of(np.zeros((2, 2**16), np.float32), "float32").is_dense
    assert not Packed.of(np.zeros((2, 2**16 - 1), np.float32), "float32").is_dense

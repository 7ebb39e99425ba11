import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from xcbench.data.features import idf, scale, tfidf, unit


def counts(seed, n=40, d=15):
    rng = np.random.default_rng(seed)
    dense = rng.poisson(0.3, (n, d)).astype(np.float32)
    dense[[3, n - 1]] = 0  # empty rows, one of them the last
    dense[:, 4] = 0  # a feature no row has
    return sparse.csr_array(dense)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_tfidf_is_scikit_learns_with_idf_from_the_training_rows(seed):
    train, test = counts(seed), counts(seed + 1)
    ours = scale(train, test, "tfidf")
    oracle = TfidfTransformer().fit(train.astype(np.float64))
    np.testing.assert_allclose(idf(train), oracle.idf_, rtol=1e-14)
    for scaled, raw in zip(ours, (train, test), strict=True):
        assert scaled.dtype == np.float32
        expected = oracle.transform(raw.astype(np.float64))
        np.testing.assert_allclose(scaled.toarray(), expected.toarray(), rtol=1e-6)


def test_unit_is_scikit_learns_and_leaves_empty_rows_empty():
    X = counts(0)
    np.testing.assert_allclose(
        unit(X).toarray(), normalize(X.astype(np.float64)).toarray(), rtol=1e-6
    )
    lengths = np.linalg.norm(unit(X).toarray(), axis=1)
    np.testing.assert_allclose(lengths[lengths > 0], 1, rtol=1e-6)
    assert lengths[3] == lengths[-1] == 0


def test_a_stored_zero_counts_in_no_document_and_stays_zero():
    X = sparse.csr_array((np.float32([0, 1, 0]), np.int32([0, 1, 0]), np.int32([0, 2, 3])))
    assert idf(X).tolist() == [np.log(3) + 1, np.log(1.5) + 1]
    assert tfidf(X, idf(X)).data.tolist() == [0, 1, 0]


def test_rows_beyond_the_range_of_float32_squares_keep_their_direction():
    X = sparse.csr_array(np.array([[3e38, 3e38], [1e-38, 1e-38]], np.float32))
    np.testing.assert_allclose(unit(X).toarray(), np.full((2, 2), np.sqrt(0.5)), rtol=1e-6)


def test_raw_is_untouched_and_scaling_changes_no_input():
    X = counts(0)
    before = X.data.copy()
    assert scale(X, X, "raw") == (X, X)
    X.data.flags.writeable = False
    scale(X, X, "tfidf")
    np.testing.assert_array_equal(X.data, before)


def test_values_can_be_overwritten_with_the_same_result():
    X = counts(0)
    expected, _ = scale(X, X, "tfidf")
    given, other = X.copy(), X.copy()
    scaled, _ = scale(given, other, "tfidf", overwrite=True)
    assert scaled.data is given.data
    np.testing.assert_array_equal(scaled.data, expected.data)


def test_a_matrix_without_rows_or_entries_stays_so():
    assert unit(sparse.csr_array((3, 2), dtype=np.float32)).nnz == 0
    assert unit(sparse.csr_array((0, 2), dtype=np.float32)).shape == (0, 2)

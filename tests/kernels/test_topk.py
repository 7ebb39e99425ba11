"""The k best columns: order, ties, padding, and the blocked product."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from xcbench.kernels import topk
from xcbench.kernels.topk import BLOCK_COLUMNS, BLOCK_ROWS, top_k, top_k_product


def by_sorting(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(-score, column) order of each row, padded."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k].astype(np.int32)
    short = [(0, 0), (0, k - order.shape[1])]
    best = np.take_along_axis(scores, order, 1)
    return (
        np.pad(order, short, constant_values=-1),
        np.pad(best, short, constant_values=-np.inf),
    )


@settings(deadline=None, max_examples=60)
@given(
    scores=npst.arrays(
        np.float32,
        st.tuples(st.integers(0, 4), st.integers(0, 150)),
        elements=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]),
    ),
    k=st.integers(1, 12),
)
def test_equals_a_stable_sort_with_many_ties(scores, k):
    labels, best = top_k(scores, k)
    expected_labels, expected = by_sorting(scores, k)
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_array_equal(best, expected)
    assert labels.dtype == np.int32
    assert best.dtype == np.float32


def test_equals_a_stable_sort_on_long_rows():
    scores = np.random.default_rng(0).standard_normal((3, 5000), dtype=np.float32)
    np.testing.assert_array_equal(top_k(scores, 40)[0], by_sorting(scores, 40)[0])


def test_minus_infinity_is_a_score_like_others_and_nan_none():
    scores = np.array([[np.nan, -np.inf, np.nan, 1.0, -np.inf]], dtype=np.float32)
    labels, best = top_k(scores, 4)
    assert labels.tolist() == [[3, 1, 4, -1]]
    assert best.tolist() == [[1.0, -np.inf, -np.inf, -np.inf]]


def test_reads_an_array_it_may_not_write():
    scores = np.array([[1.0, 2.0]], dtype=np.float32)
    scores.flags.writeable = False
    assert top_k(scores, 1)[0].tolist() == [[1]]


def test_k_below_one_is_refused():
    with pytest.raises(ValueError, match="k is 0"):
        top_k(np.zeros((1, 1), dtype=np.float32), 0)


@pytest.mark.parametrize("shape", [(1, 1), (0, 5), (BLOCK_ROWS + 3, BLOCK_COLUMNS + 5)])
def test_product_in_blocks_equals_the_whole_product(shape):
    rng = np.random.default_rng(1)
    # Small integers: every order of summation gives the same scores, and many of them tie.
    left = rng.integers(-3, 4, (shape[0], 3)).astype(np.float32)
    right = rng.integers(-3, 4, (shape[1], 3)).astype(np.float32)
    labels, best = top_k_product(left, right, 7)
    expected_labels, expected = by_sorting(left @ right.T, 7)
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_array_equal(best, expected)


@settings(deadline=None, max_examples=60)
@given(
    scores=npst.arrays(
        np.float32,
        st.tuples(st.integers(0, 4), st.integers(0, 60)),
        elements=st.sampled_from([-np.inf, np.nan, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf]),
    ),
    cut=st.integers(0, 60),
    k=st.integers(1, 70),
)
def test_sorting_folds_blocks_as_insertion_does_to_the_bit(scores, cut, k):
    """Also where the first block leaves places vacant."""
    results = []
    for keep in (topk._keep_best, topk._keep_best_by_sorting):
        labels, best = topk._nothing_yet(len(scores), k)
        for first, block in ((0, scores[:, :cut]), (cut, scores[:, cut:])):
            keep(np.ascontiguousarray(block), min(first, scores.shape[1]), labels, best)
        results.append((labels, best.view(np.int32)))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1], results[1][1])


def test_large_k_is_sorted_and_equals_a_stable_sort(monkeypatch):
    rng = np.random.default_rng(1)
    left = rng.integers(-3, 4, (3, 3)).astype(np.float32)
    right = rng.integers(-3, 4, (BLOCK_COLUMNS + 5, 3)).astype(np.float32)
    monkeypatch.setattr(topk, "_keep_best", None)
    for k in (500, 2053, 3000):
        for found in (top_k(left @ right.T, k), top_k_product(left, right, k)):
            expected_labels, expected = by_sorting(left @ right.T, k)
            np.testing.assert_array_equal(found[0], expected_labels)
            np.testing.assert_array_equal(found[1], expected)


def test_a_vacant_place_ranks_below_minus_infinity():
    """Row 1 holds nothing of the first block, row 0 does."""
    labels, best = topk._nothing_yet(2, 2)
    for first, block in ((0, [[1.0], [np.nan]]), (1, [[np.nan], [-np.inf]])):
        topk._keep_best_by_sorting(np.array(block, np.float32), first, labels, best)
    assert labels.tolist() == [[0, -1], [1, -1]]
    assert best.tolist() == [[1.0, -np.inf], [-np.inf, -np.inf]]

"""Labels and features as callers have them."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.api.targets import features, indicators
from xcbench.data.matrix import INT32_MAX


def test_entries_in_any_order_are_sorted_and_what_was_passed_stays():
    given = sparse.csr_array((np.ones(3), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    found = indicators(given)
    assert found.indices.tolist() == [0, 2, 1]
    assert given.indices.tolist() == [2, 0, 1]


def test_a_label_that_is_stored_twice_in_a_row_is_refused():
    twice = sparse.csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    with pytest.raises(ValueError, match="y holds the value 2"):
        indicators(twice)


def test_parts_that_add_up_to_one_are_one_label():
    zero = sparse.csr_array((np.array([1, 0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    assert indicators(zero).indices.tolist() == [1]


def test_more_features_than_an_index_can_number_are_refused():
    with pytest.raises(ValueError, match=f"expected at most {INT32_MAX}"):
        features(sparse.csr_array((1, INT32_MAX + 1)))

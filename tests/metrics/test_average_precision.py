"""Average precision of rankings against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import label_ranking_average_precision_score

from xcbench.metrics.average_precision import row_average_precision


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), levels=st.sampled_from([1, 2, 5, 10**6]))
def test_it_is_that_of_scikit_learn_on_the_judged_entries_with_ties(seed, levels):
    rng = np.random.default_rng(seed)
    n, labels = rng.integers(1, 8, 2)
    Y, judged = rng.random((n, labels)) < 0.4, rng.random((n, labels)) < 0.7
    scores = rng.integers(0, levels, (n, labels)).astype(float)
    rows, columns = np.nonzero(judged)
    order = rng.permutation(rows.size)
    rows, columns = rows[order], columns[order]
    found, values = row_average_precision(rows, Y[rows, columns], scores[rows, columns])
    expected = {
        i: label_ranking_average_precision_score(Y[[i]][:, judged[i]], scores[[i]][:, judged[i]])
        for i in range(n)
        if (Y[i] & judged[i]).any()
    }
    assert found.tolist() == list(expected)
    np.testing.assert_allclose(values, list(expected.values()))


def test_a_known_ranking():
    """Relevant at places 1 and 3: (1 + 2/3) / 2; a row without a relevant entry is left out."""
    rows = np.array([0, 0, 0, 7, 7])
    relevant = np.array([True, False, True, False, False])
    scores = np.array([3.0, 2.0, 1.0, 5.0, 4.0])
    found, values = row_average_precision(rows, relevant, scores)
    assert (found.tolist(), values.tolist()) == ([0], [pytest.approx(5 / 6)])


def test_without_a_relevant_entry_there_is_no_row():
    for count in (0, 1):
        entries = np.zeros(count, int), np.zeros(count, bool), np.ones(count)
        assert [found.size for found in row_average_precision(*entries)] == [0, 0]

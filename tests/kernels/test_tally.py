"""The vote's tally, against a sort over dense scores."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.kernels.tally import tally


def run(neighbours, weights, Y, k, label_weights=None):
    labels = np.full((len(neighbours), k), -1, np.int32)
    scores = np.full((len(neighbours), k), -np.inf, np.float32)
    tally(
        neighbours, weights, Y.indptr.astype(np.int64), Y.indices.astype(np.int32),
        np.ones(Y.shape[1], np.float32) if label_weights is None else label_weights, labels, scores,
    )  # fmt: skip
    return labels, scores


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_labels_come_by_score_then_number_and_padding_follows(seed, k):
    rng = np.random.default_rng(seed)
    Y = sparse.csr_array((rng.random((20, 9)) < 0.2).astype(np.float32))
    neighbours = rng.integers(0, 20, (6, 4)).astype(np.int32)
    # halves tie often and add up without rounding
    weights = (rng.integers(-1, 3, (6, 4)) / 2).astype(np.float32)
    label_weights = (rng.integers(1, 4, 9) / 2).astype(np.float32)
    labels, scores = run(neighbours, weights, Y, k, label_weights)
    for i in range(6):
        dense = np.maximum(weights[i], 0) @ Y.toarray()[neighbours[i]] * label_weights
        order = np.lexsort((np.arange(9), -dense))
        expected = [int(label) for label in order if dense[label] > 0][:k]
        found = labels[i][labels[i] >= 0].tolist()
        assert found == expected
        np.testing.assert_array_equal(scores[i, : len(found)], dense[found])
        assert np.all(np.isneginf(scores[i, len(found) :]))


def test_absent_neighbours_do_not_vote():
    Y = sparse.csr_array(np.eye(3, dtype=np.float32))
    labels, _ = run(np.array([[-1, 2]], np.int32), np.array([[0.0, 1.0]], np.float32), Y, 2)
    assert labels.tolist() == [[2, -1]]

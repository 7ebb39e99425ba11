"""The blended score, against dense numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.kernels.blend import blend
from xcbench.kernels.csr import csr_parts


def matrix(dense):
    found = sparse.csr_array(dense.astype(np.float32))
    found.sort_indices()
    return found


def run(neighbours, votes, Y, X, W, intercepts, head_weight, label_weights, k, head_labels=None):
    """W and intercepts are those of ``head_labels``, all when None."""
    labels = np.full((len(neighbours), k), -1, np.int32)
    scores = np.full((len(neighbours), k), -np.inf, np.float32)
    if head_labels is None:
        head_labels = np.arange(Y.shape[1])
    blend(
        neighbours, votes, *csr_parts(Y)[:2], *csr_parts(X), head_labels.astype(np.int32),
        *csr_parts(W), intercepts.astype(np.float32), head_weight,
        label_weights.astype(np.float32), labels, scores,
    )  # fmt: skip
    return labels, scores


def unit(row):
    return row / max(np.linalg.norm(row), 1e-30)


@given(
    st.integers(0, 10_000), st.integers(1, 12), st.sampled_from([0.0, 0.5, 2.0]),
    st.sampled_from([-1.5, -1.0, -0.5]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_score_is_the_weighted_sum_of_unit_vote_and_unit_head(seed, k, head_weight, intercept):
    rng = np.random.default_rng(seed)
    Y = matrix(rng.random((20, 9)) < 0.2)
    X = matrix(rng.random((6, 5)) * (rng.random((6, 5)) < 0.5))
    head_labels = np.flatnonzero(rng.random(9) < 0.6)
    W = matrix(rng.normal(size=(5, head_labels.size)) * (rng.random((5, head_labels.size)) < 0.5))
    intercepts, label_weights = rng.normal(size=head_labels.size) + intercept, rng.random(9) + 0.5
    neighbours = rng.integers(0, 20, (6, 4)).astype(np.int32)
    votes = np.maximum(rng.normal(size=(6, 4)), 0).astype(np.float32)
    labels, scores = run(
        neighbours, votes, Y, X, W, intercepts, head_weight, label_weights, k, head_labels
    )
    for i in range(6):
        head = np.zeros(9)
        head[head_labels] = np.maximum(0, (1 + X.toarray()[i] @ W.toarray() + intercepts) / 2)
        vote = votes[i] @ Y.toarray()[neighbours[i]]
        dense = label_weights * (unit(vote) + head_weight * unit(head))
        found = labels[i][labels[i] >= 0]
        assert found.size == min(k, np.count_nonzero(dense > 1e-6))
        assert len(set(found.tolist())) == found.size
        np.testing.assert_allclose(
            scores[i, : found.size], np.sort(dense)[::-1][: found.size], atol=1e-5
        )
        np.testing.assert_allclose(scores[i, : found.size], dense[found], atol=1e-5)
        assert np.all(np.isneginf(scores[i, found.size :]))


def test_equal_scores_go_to_the_smaller_label():
    nothing = sparse.csr_array((1, 2), dtype=np.float32)
    W = sparse.csr_array((2, 4), dtype=np.float32)
    neighbours, votes = np.array([[-1]], np.int32), np.zeros((1, 1), np.float32)
    Y = sparse.csr_array((3, 4), dtype=np.float32)
    labels, _ = run(neighbours, votes, Y, nothing, W, np.zeros(4), 1.0, np.ones(4), 3)
    assert labels.tolist() == [[0, 1, 2]]


def test_without_a_vote_the_head_alone_decides_and_the_other_way_round():
    Y = matrix(np.eye(3))
    W = matrix(np.array([[0.0, 0.0, 1.0]]))
    X = matrix(np.array([[1.0]]))
    at_most_zero = np.full(3, -1.0)
    labels, scores = run(
        np.array([[-1]], np.int32),
        np.zeros((1, 1), np.float32),
        Y,
        X,
        W,
        at_most_zero,
        2.0,
        np.ones(3),
        2,
    )
    assert labels.tolist() == [[2, -1]]
    assert scores[0, 0] == 2.0
    empty = sparse.csr_array((1, 1), dtype=np.float32)
    labels, scores = run(
        np.array([[1]], np.int32),
        np.ones((1, 1), np.float32),
        Y,
        empty,
        W,
        at_most_zero,
        2.0,
        np.ones(3),
        2,
    )
    assert labels.tolist() == [[1, -1]]
    assert scores[0, 0] == 1.0


@pytest.mark.parametrize("size", [1e-24, 1e-38, 1e38])
def test_the_vote_counts_however_small_or_large_its_weights_are(size):
    Y = matrix(np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]]))
    nothing, W = sparse.csr_array((1, 1), dtype=np.float32), matrix(np.zeros((1, 3)))
    neighbours, votes = np.array([[0, 1]], np.int32), np.full((1, 2), size, np.float32)
    labels, scores = run(neighbours, votes, Y, nothing, W, np.full(3, -1.0), 1.0, np.ones(3), 3)
    assert labels.tolist() == [[1, 0, -1]]
    np.testing.assert_allclose(scores[0, :2], np.array([2, 1]) / np.sqrt(5), rtol=1e-6)

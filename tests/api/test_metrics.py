"""The public metrics against napkinXC, and every form of truth and prediction against another."""

import napkinxc.metrics as napkin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench import (
    TopK,
    inverse_propensity,
    ndcg_at_k,
    precision_at_k,
    psndcg_at_k,
    psprecision_at_k,
    recall_at_k,
)
from xcbench.api import rankings

PLAIN = {
    precision_at_k: napkin.precision_at_k,
    recall_at_k: napkin.recall_at_k,
    ndcg_at_k: napkin.ndcg_at_k,
}
WEIGHTED = {psprecision_at_k: napkin.psprecision_at_k, psndcg_at_k: napkin.psndcg_at_k}


@st.composite
def problems(draw):
    """Truth, scores without ties of which some are not stored, weights, and k."""
    n, n_labels = draw(st.integers(1, 6)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    truth = sparse.csr_matrix(rng.random((n, n_labels)) < draw(st.sampled_from([0.1, 0.4, 0.9])))
    scores = rng.permutation(n * n_labels).reshape(n, n_labels) - n * n_labels / 2.3
    stored = rng.random(scores.shape) < draw(st.sampled_from([0.3, 0.8, 1.0]))
    weights = inverse_propensity(rng.random((20, n_labels)) < 0.3)
    return truth, scores, stored, weights, draw(st.integers(1, n_labels + 2))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_values_are_napkinxcs(problem):
    truth, scores, stored, weights, k = problem
    entries = sparse.coo_array((scores[stored], np.nonzero(stored)), shape=scores.shape)
    for prediction in (scores, sparse.csr_matrix(entries)):
        for ours, theirs in PLAIN.items():
            np.testing.assert_allclose(ours(truth, prediction, k), theirs(truth, prediction, k=k))
        if truth.nnz:  # theirs is nan where there is nothing to earn, ours 0
            for ours, theirs in WEIGHTED.items():
                np.testing.assert_allclose(
                    ours(truth, prediction, weights, k), theirs(truth, prediction, weights, k=k)
                )


@settings(max_examples=40, deadline=None)
@given(problems())
def test_every_form_gives_the_same_values(problem):
    truth, scores, stored, weights, k = problem
    rows = [row.nonzero()[0].tolist() for row in truth.toarray()]
    entries = sparse.coo_array((scores[stored], np.nonzero(stored)), shape=scores.shape)
    ranked = [
        [int(label) for label in np.argsort(-row) if kept[label]]
        for row, kept in zip(scores, stored, strict=True)
    ]
    pairs = [
        [(label, row[label]) for label in labels]
        for row, labels in zip(scores, ranked, strict=True)
    ]
    width = max(map(len, ranked)) or 1
    padded = np.array([(row + [-1] * width)[:width] for row in ranked], np.int32)
    top = TopK(padded, np.where(padded < 0, -np.inf, 0).astype(np.float32))
    expected = psndcg_at_k(truth, entries, weights, k)
    for Y in (truth.toarray(), truth.astype(float), sparse.csc_array(truth), rows):
        for prediction in (entries, sparse.csc_matrix(entries), ranked, pairs, top):
            found = psndcg_at_k(Y, prediction, weights, k)
            np.testing.assert_array_equal(found, expected)


def test_propensities_are_napkinxcs():
    Y = sparse.csr_matrix(np.random.default_rng(0).random((50, 9)) < 0.2)
    for constants in ((0.55, 1.5), (0.6, 2.6)):
        expected = napkin.Jain_et_al_inverse_propensity(Y, *constants)
        np.testing.assert_allclose(inverse_propensity(Y, *constants), expected)


def test_equal_scores_are_ranked_by_the_smaller_label():
    Y = [[1], [0]]
    tied = np.array([[0.0, 2.0, 2.0], [1.0, 1.0, 1.0]])
    for scores in (tied, sparse.csr_array(tied)):
        assert precision_at_k(Y, scores, 1).tolist() == [1.0]


def test_scores_are_compared_in_the_precision_they_have():
    """As float32 these two would be equal, and the wrong label first."""
    scores = np.array([[1.0, 1.0 + 1e-12]])
    for prediction in (scores, sparse.csr_array(scores)):
        assert precision_at_k([[1]], prediction, 1).tolist() == [1.0]


def test_scores_given_in_parts_are_added_up():
    """Without changing what was passed."""
    parts = sparse.csr_array(
        (np.array([1.0, 1.5, 1.0]), np.array([0, 1, 0]), np.array([0, 3])), shape=(1, 2)
    )
    assert precision_at_k([[0]], parts, 2).tolist() == [1.0, 0.5]
    assert parts.nnz == 3


def test_dense_scores_are_ranked_alike_in_any_number_of_blocks(monkeypatch):
    scores = np.random.default_rng(0).permutation(60).reshape(12, 5).astype(float)
    expected = precision_at_k(np.eye(12, 5, dtype=int), sparse.csr_array(scores + 1), 3)
    monkeypatch.setattr(rankings, "_SORTED_AT_ONCE", 15)  # three rows of five labels
    assert precision_at_k(np.eye(12, 5, dtype=int), scores, 3).tolist() == expected.tolist()


@pytest.mark.filterwarnings("error")
def test_infinite_and_huge_scores_are_ranked_without_ado():
    scores = np.array([[-np.inf, 1e39, -np.inf, 2.0]])
    for prediction in (scores, sparse.csr_array(scores)):
        assert precision_at_k([[1, 3, 0]], prediction, 4).round(2).tolist() == [1, 1, 1, 0.75]


def test_a_stored_zero_of_a_score_is_a_prediction_and_of_a_truth_no_label():
    zero = sparse.csr_array((np.zeros(1), ([0], [0])), shape=(1, 2))
    assert precision_at_k([[0]], zero, 1).tolist() == [1.0]
    assert recall_at_k(zero, [[0]], 1).tolist() == [0.0]


def test_lists_may_name_labels_beyond_those_of_the_truth():
    assert precision_at_k([[0]], [[7, 0]], 2).tolist() == [0.0, 0.5]


def top(labels):
    return TopK(np.array(labels), np.zeros(np.shape(labels), np.float32))


def test_places_without_a_label_repeat_and_what_is_beyond_k_may():
    assert precision_at_k(np.eye(1, 2), top([[0, -1, -1]]), 3).round(2).tolist() == [1, 0.5, 0.33]
    assert precision_at_k(np.eye(1, 2), top([[0, 0]]), 1).tolist() == [1]


@pytest.mark.parametrize(
    ("truth", "prediction", "k", "message"),
    [
        ([[0]], [[0]], 0, "k is 0"),
        ([[0]], [[0]], 1.5, "k is 1.5"),
        ([[0]], [[0], [1]], 1, "2 rows and Y_true 1"),
        ([], [], 1, "no rows"),
        (np.eye(2), [[0], [2]], 1, "label 2; the labels of Y_true end at 1"),
        ([[0]], [[1, 1]], 2, "twice in row 0"),
        ([[-1]], [[0]], 1, "label -1"),
        ([[0]], [["a"]], 1, "label 'a'"),
        ([[0]], [[2**31]], 1, "label 2147483648"),
        ([[0]], np.array([[np.nan, 1.0]]), 1, "not a number"),
        ([[0]], sparse.csr_array([[np.nan, 1.0]]), 1, "not a number"),
        ([[0]], np.array([0, 1]), 1, "1 dimensions"),
        (np.eye(2), np.array([[0], [1]]), 1, "1 columns and Y_true 2.*TopK"),
        (np.eye(2), sparse.csr_array((2, 3)), 1, "3 columns and Y_true 2"),
        ([[0]], [[0]], True, "k is True"),
        ([[0, 1, 0], [1, 0, 0]], [[0], [0]], 1, "label 0 twice in row 0.*numpy.asarray"),
        ([0, 1], [[0], [1]], 1, "0 as row 0; expected labels"),
        (np.array([[-1, 1]]), [[0]], 1, "the value -1"),
        (np.array([[np.nan, 1]]), [[0]], 1, "the value nan"),
        (sparse.csr_array([[0.3, 1]]), [[0]], 1, "the value 0.3"),
        (np.eye(2), top([[1, 0], [0, 0]]), 2, "label 0 twice in row 1"),
        (np.eye(2), top([[1, -1], [0, -5]]), 2, "labels of whole numbers from 0"),
        (np.eye(2), top([[1.0], [0.0]]), 1, "labels of whole numbers from 0"),
    ],
)
def test_what_does_not_fit_is_refused(truth, prediction, k, message):
    with pytest.raises(ValueError, match=message):
        precision_at_k(truth, prediction, k)


@pytest.mark.parametrize("weights", [[1.0], [[1.0, 1.0]], 1.0, [1.0, 1.0, 1.0]])
def test_weights_are_one_a_label(weights):
    with pytest.raises(ValueError, match="a weight for each of 2"):
        psprecision_at_k(np.eye(2), np.eye(2), weights, 1)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_are_finite_and_not_negative(weight):
    with pytest.raises(ValueError, match="negative or not finite"):
        psprecision_at_k(np.eye(2), np.eye(2), [1.0, weight], 1)


@pytest.mark.parametrize(
    ("A", "B"), [(np.nan, 1.5), (np.inf, 1.5), (1, 0), (1, np.nan), (1, np.inf)]
)
def test_propensity_constants_are_finite(A, B):
    with pytest.raises(ValueError, match="expected a finite number"):
        inverse_propensity([[0]], A, B)

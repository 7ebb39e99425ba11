"""Per-row contributions: their sums are the metrics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.dataset import TopK
from xcbench.metrics import evaluate
from xcbench.metrics.per_row import mean_contributions, per_row
from xcbench.metrics.propensity import inverse_propensity

K = (1, 3, 5)


def labels(rows, n_labels):
    """Canonical 0/1 matrix with these labels in its rows."""
    indices = [label for row in rows for label in sorted(row)]
    indptr = np.cumsum([0, *(len(row) for row in rows)])
    values = np.ones(len(indices), np.float32)
    return sparse.csr_array((values, indices, indptr), shape=(len(rows), n_labels))


def ranked(rows):
    padded = np.array([(list(row) + [-1] * 5)[:5] for row in rows], dtype=np.int32)
    return TopK(padded, np.where(padded >= 0, -np.arange(5), -np.inf).astype(np.float32))


@st.composite
def problems(draw):
    """True labels (some rows without), short and full predictions, training labels."""
    n_labels = draw(st.integers(1, 9))
    n = draw(st.integers(1, 7))
    row = st.lists(st.integers(0, n_labels - 1), max_size=6, unique=True)
    rows = st.lists(row, min_size=n, max_size=n)
    train = draw(st.lists(row, min_size=3, max_size=12))
    return labels(draw(rows), n_labels), ranked(draw(rows)), labels(train, n_labels)


def of(truth, predicted, train, variant="pyxclib"):
    return per_row(predicted, truth, inverse_propensity(train, 0.55, 1.5), K, variant)


@given(problems(), st.sampled_from(["pyxclib", "matlab"]))
@settings(deadline=None, max_examples=60)
def test_ratios_of_sums_are_the_metrics(problem, variant):
    truth, predicted, train = problem
    found = of(truth, predicted, train, variant)
    expected = evaluate(predicted, truth, train, K, 0.55, 1.5, variant)
    assert list(found.names) == list(expected)
    gains, norms = found.gains.sum(axis=0), found.norms.sum(axis=0)
    ratios = 100 * np.divide(gains, norms, out=np.zeros_like(gains), where=norms > 0)
    np.testing.assert_allclose(ratios, list(expected.values()), rtol=1e-12, atol=1e-12)


@given(problems(), problems())
@settings(deadline=None, max_examples=30)
def test_what_there_is_to_earn_depends_on_the_test_rows_alone(problem, other):
    truth, predicted, train = problem
    blind = ranked([[]] * truth.shape[0])
    np.testing.assert_array_equal(of(truth, predicted, train).norms, of(truth, blind, train).norms)
    assert not of(truth, blind, train).gains.any()


def test_a_row_done_by_hand():
    found = of(labels([[0, 2], []], 4), ranked([[2, 1, 0], [3]]), labels([[0]] * 3, 4))
    first = dict(zip(found.names, found.gains[0], strict=True))
    assert first["P@1"] == 1
    assert first["P@3"] == pytest.approx(2 / 3)
    assert first["nDCG@3"] == pytest.approx((1 + 0.5) / (1 + 1 / np.log2(3)))
    assert not found.gains[1].any()


def test_seeds_are_averaged_row_by_row():
    truth, train = labels([[0], [1]], 3), labels([[0]] * 3, 3)
    right, wrong = of(truth, ranked([[0], [1]]), train), of(truth, ranked([[0], [2]]), train)
    mean = mean_contributions([right, wrong])
    assert mean.gains[:, 0].tolist() == [1.0, 0.5]
    np.testing.assert_array_equal(mean.norms, right.norms)


def test_some_metrics_in_their_order():
    found = of(labels([[0]], 3), ranked([[0]]), labels([[0]] * 3, 3))
    some = found.only(["PSP@1", "P@3"])
    assert some.names == ("PSP@1", "P@3")
    assert some.gains.tolist() == [[found.norms[0, found.names.index("PSP@1")], 1 / 3]]

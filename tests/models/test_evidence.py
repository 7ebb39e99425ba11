"""The parts of a prediction add up to its scores, whatever the model."""

import numpy as np
import pytest
from scipy import sparse

from tests.models.test_contract import METHODS, csr, planted
from xcbench.data.matrix import slice_rows
from xcbench.models import load_model, make_model
from xcbench.models.evidence import is_explainable

K = 6


@pytest.fixture(scope="module")
def train():
    return planted(240, seed=1)


@pytest.fixture(scope="module", params=METHODS.values(), ids=METHODS.keys())
def fitted(request, train, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_model(request.param, 0).fit(train).save(folder)
    return load_model(folder)


def rows_of(X: sparse.csr_array):
    return [slice_rows(X, i, i + 1) for i in range(X.shape[0])]


def test_the_parts_of_a_score_add_up_to_it(fitted):
    assert is_explainable(fitted)
    for x in rows_of(planted(12, seed=3).X):
        top = fitted.predict(x, K)
        labels = [label for label in top.labels[0].tolist() if label >= 0]
        found = fitted.evidence(x, labels)
        assert [each.label for each in found] == labels
        totals = [each.total for each in found]
        np.testing.assert_allclose(totals, top.scores[0, : len(labels)], rtol=2e-4, atol=2e-5)


def test_whoever_votes_for_a_label_has_it_and_is_named_once(fitted, train):
    x = slice_rows(planted(12, seed=3).X, 0, 1)
    labels = [label for label in fitted.predict(x, K).labels[0].tolist() if label >= 0]
    for each in fitted.evidence(x, labels):
        assert len(set(each.rows.tolist())) == each.rows.size
        assert (np.diff(each.row_shares) <= 0).all()
        for row in each.rows.tolist():
            assert each.label in fitted.labels_of(row)
            np.testing.assert_array_equal(
                fitted.labels_of(row), np.flatnonzero(train.Y.toarray()[row])
            )


def test_only_features_of_the_point_speak_and_the_strongest_first(fitted):
    x = slice_rows(planted(12, seed=3).X, 0, 1)
    labels = [label for label in fitted.predict(x, K).labels[0].tolist() if label >= 0]
    for each in fitted.evidence(x, labels):
        assert set(each.features.tolist()) <= set(x.indices.tolist())
        assert (np.diff(np.abs(each.feature_shares)) <= 0).all()


def test_a_point_without_features_is_explained_too(fitted):
    x = csr(np.zeros((1, planted(1, seed=0).n_features)))
    top = fitted.predict(x, K)
    labels = [label for label in top.labels[0].tolist() if label >= 0]
    totals = [each.total for each in fitted.evidence(x, labels)]
    np.testing.assert_allclose(totals, top.scores[0, : len(labels)], rtol=2e-4, atol=2e-5)


def test_a_row_is_predicted_the_same_in_any_company_but_for_rounding(fitted):
    X = planted(90, seed=4).X
    whole = fitted.predict(X, K)
    for first, last in ((0, 1), (1, 4), (4, 37), (37, 90)):
        part = fitted.predict(slice_rows(X, first, last), K)
        expected = whole.scores[first:last]
        np.testing.assert_allclose(part.scores, expected, rtol=1e-4, atol=1e-5)
        # A label whose score stands clear of its neighbours' has the same place.
        steps = np.abs(np.diff(np.nan_to_num(expected, neginf=-1e3), axis=1)) > 1e-3
        ends = np.ones((len(expected), 1), bool)
        clear = np.hstack([ends, steps]) & np.hstack([steps, ~ends])
        np.testing.assert_array_equal(part.labels[clear], whole.labels[first:last][clear])

"""Scorers ask for what they need, of whatever they are given."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from xcbench import (
    OneVsRest,
    inverse_propensity,
    ndcg_at_k,
    precision_at_k,
    psprecision_at_k,
    ranking_scorer,
)


def test_it_is_the_metric_at_k(train, test):
    model = OneVsRest().fit(*train)
    X, Y = test
    top = model.predict_top_k(X, 3)
    assert ranking_scorer(ndcg_at_k, k=3)(model, X, Y) == ndcg_at_k(Y, top, 3)[2]
    weights = inverse_propensity(train[1])
    scorer = pickle.loads(pickle.dumps(ranking_scorer(psprecision_at_k, k=2, inv_ps=weights)))
    assert scorer(model, X, Y) == psprecision_at_k(Y, top, weights, 2)[1]


def test_a_pipeline_is_asked_for_its_best_labels_only(train, test, monkeypatch):
    pipeline = make_pipeline(Normalizer(), OneVsRest()).fit(*train)
    monkeypatch.setattr(OneVsRest, "decision_function", None)
    X, Y = test
    expected = precision_at_k(Y, pipeline[-1].predict_top_k(X, 1), 1)[0]
    assert ranking_scorer(precision_at_k)(pipeline, 3 * X, Y) == expected


def test_other_estimators_are_asked_for_their_decision_function(train, test):
    X, Y = test
    other = OneVsRestClassifier(LogisticRegression()).fit(*train)
    expected = precision_at_k(Y, other.decision_function(X), 2)[1]
    scorer = ranking_scorer(precision_at_k, k=2)
    assert scorer(other, X, Y) == expected
    assert scorer(make_pipeline(Normalizer(), other), X, Y) == expected


def test_nested_lists_are_the_indicator_matrix_they_are_in_fit(train, test):
    X, Y = test[0], test[1].toarray().tolist()
    model = OneVsRest().fit(train[0], train[1].toarray().tolist())
    scorer = ranking_scorer(ndcg_at_k, k=2)
    assert scorer(model, X, Y) == scorer(model, X, test[1]) > 0


def test_a_pipeline_may_have_one_step(train, test):
    model = make_pipeline(OneVsRest()).fit(*train)
    scorer = ranking_scorer(precision_at_k)
    assert scorer(model, *test) == scorer(model[-1], *test)


@pytest.mark.parametrize("y", [np.arange(60) % 3])
def test_classes_are_no_indicator_matrix(train, y):
    model = OneVsRest().fit(train[0], y)
    with pytest.raises(ValueError, match="expected a binary indicator matrix"):
        ranking_scorer(precision_at_k)(model, train[0], y)

"""What the estimators promise beside scikit-learn's conventions."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MultiLabelBinarizer

from tests.api.conftest import ESTIMATORS, grouped
from xcbench import (
    RXML,
    SLEEC,
    FeatureNeighbours,
    GlobalFixedRank,
    Maxide,
    OneVsRest,
    precision_at_k,
    ranking_scorer,
)
from xcbench.api import base
from xcbench.config.dataset import DatasetConfig, MetricsConfig
from xcbench.config.loader import load_document
from xcbench.config.yaml import parse
from xcbench.models.base import InlineExecutor
from xcbench.tasks.xc import open_data, run

ROOT = Path(__file__).parents[2]
EACH = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS.keys())


def equal(a, b):
    return np.array_equal(a.labels, b.labels) and np.array_equal(a.scores, b.scores)


@EACH
def test_unseen_rows_get_the_labels_of_their_group(estimator, train, test):
    model = clone(estimator).fit(*train)
    X, Y = test
    top = model.predict_top_k(X, 2)
    group = np.arange(20) % 4
    assert np.array_equal(np.sort(top.labels), np.column_stack([2 * group, 2 * group + 1]))
    assert model.score(X, Y) == precision_at_k(Y, top, 1)[0] > 0.6


@EACH
def test_the_kind_of_y_is_the_kind_of_the_prediction(estimator, train, test):
    X, Y = train
    Z = test[0]
    expected = clone(estimator).fit(X, Y).predict(Z)
    assert isinstance(expected, sparse.csr_array)
    assert expected.dtype == Y.dtype
    assert expected.has_sorted_indices
    as_matrix = clone(estimator).fit(X, sparse.csc_matrix(Y)).predict(Z)
    assert sparse.isspmatrix_csr(as_matrix)
    dense = clone(estimator).fit(X, Y.toarray().astype(bool)).predict(Z)
    assert dense.dtype == bool
    frame = clone(estimator).fit(X, pd.DataFrame(Y.toarray())).predict(Z)
    for other in (as_matrix.toarray(), dense, frame):
        assert np.array_equal(other, expected.toarray())


@EACH
def test_all_scores_rank_labels_as_the_first_k_do(estimator, train, test):
    model = clone(estimator).fit(*train)
    top, scores = model.predict_top_k(test[0], 3), model.decision_function(test[0])
    assert scores.shape == (20, 8)
    at, place = np.nonzero(top.labels >= 0)
    assert np.array_equal(scores[at, top.labels[at, place]], top.scores[at, place])
    all_listed = model.predict_top_k(test[0], 8).labels
    rows, places = np.nonzero(all_listed >= 0)
    unlisted = np.ones(scores.shape, bool)
    unlisted[rows, all_listed[rows, places]] = False
    assert (scores[unlisted] == 0).all()
    others = scores.copy()
    others[at, top.labels[at, place]] = -np.inf
    assert (others.max(axis=1) <= scores[np.arange(20), top.labels[:, 2]]).all()


@EACH
def test_every_format_of_x_gives_the_same_prediction(estimator, train, test):
    X, Y = train
    expected = clone(estimator).fit(X, Y).predict_top_k(test[0], 3)
    for change in (
        sparse.csc_matrix,
        sparse.coo_array,
        lambda X: X.toarray(),
        lambda X: X.toarray().astype(np.float32),
        with_long_indices,
        unsorted_with_repeats,
    ):
        assert equal(clone(estimator).fit(change(X), Y).predict_top_k(change(test[0]), 3), expected)


def with_long_indices(X):
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    return long


def unsorted_with_repeats(X):
    """Every value as two halves, in rows that run backwards."""
    rows = [
        np.repeat(X.indices[a:b][::-1], 2) for a, b in zip(X.indptr, X.indptr[1:], strict=False)
    ]
    values = [
        np.repeat(X.data[a:b][::-1] / 2, 2) for a, b in zip(X.indptr, X.indptr[1:], strict=False)
    ]
    return sparse.csr_array(
        (np.concatenate(values), np.concatenate(rows), X.indptr * 2), shape=X.shape
    )


def test_scores_do_not_depend_on_how_many_rows_are_scored_at_once(train, test, monkeypatch):
    model = OneVsRest().fit(*train)
    expected = model.decision_function(test[0])
    monkeypatch.setattr(base, "_SCORES_AT_ONCE", 24)  # three rows of eight labels
    assert np.array_equal(model.decision_function(test[0]), expected)


def test_a_stored_zero_in_y_is_no_label_and_the_order_of_entries_is_free(train, test):
    X, Y = train
    rows, columns = Y.nonzero()
    values = np.concatenate([np.ones(Y.nnz), np.zeros(60)])
    places = np.concatenate([rows, np.arange(60)]), np.concatenate([columns, np.full(60, 7)])
    with_zeros = sparse.coo_array((values[::-1], tuple(part[::-1] for part in places)), Y.shape)
    expected = OneVsRest().fit(X, Y).predict_top_k(test[0], 3)
    assert equal(OneVsRest().fit(X, with_zeros).predict_top_k(test[0], 3), expected)
    ends = np.arange(0, 180, 3)
    zeros_in_order = sparse.csr_array(
        (np.tile([1, 0, 0], 60), np.tile([0, 1, 2], 60), np.append(ends, 180)), shape=(60, 3)
    )
    assert zeros_in_order.has_canonical_format
    assert OneVsRest().fit(X, zeros_in_order).top_k_ == 1


def test_what_is_passed_stays_as_it_is(train):
    X, Y = unsorted_with_repeats(train[0]), train[1]
    before = [part.copy() for part in (X.data, X.indices, X.indptr, Y.data, Y.indices)]
    model = OneVsRest().fit(X, Y)
    model.predict(X)
    model.score(X, Y)
    after = (X.data, X.indices, X.indptr, Y.data, Y.indices)
    assert all(map(np.array_equal, before, after))


@EACH
def test_results_do_not_depend_on_the_number_of_threads(estimator, train):
    X = grouped(5000)[0]
    one, two = (clone(estimator).set_params(n_jobs=n).fit(*train) for n in (1, 2))
    assert equal(one.predict_top_k(X, 3), two.predict_top_k(X, 3))


@EACH
def test_a_copy_by_pickle_predicts_the_same(estimator, train, test):
    model = clone(estimator).fit(*train)
    copy = pickle.loads(pickle.dumps(model))
    assert equal(copy.predict_top_k(test[0], 3), model.predict_top_k(test[0], 3))


RUNS = {
    "rxml": (
        RXML(rank=20, clusters=2, learners=2, n_jobs=2),
        "rank: 20, clusters: 2, learners: 2",
    ),
    "rxml-blend": (
        RXML("rxml-blend", rank=20, settings={"head": {"weight": 2}}),
        "rank: 20, head: {weight: 2}",
    ),
    "rxml-paper": (RXML("rxml-paper", rank=20), "rank: 20"),
    "sleec": (
        SLEEC(rank=20, neighbours=np.int64(50), vote_neighbours=9, ridge=1.0),
        "rank: 20, neighbours: {count: 50}, vote: {neighbours: 9}, regression: {ridge: 1.0}",
    ),
    "global": (
        GlobalFixedRank(rank=10, ridge=1, iterations=1),
        "rank: 10, ridge: 1, iterations: 1",
    ),
    "maxide": (Maxide(ranks=(4, 8)), "ranks: [4, 8]"),
    "ridge": (OneVsRest(ridge=1.5, weights_per_label=30), "ridge: 1.5, weights_per_label: 30"),
    "knn": (FeatureNeighbours(neighbours=5, power=4), "neighbours: 5, power: 4"),
}


@pytest.fixture(scope="module")
def bioregistry(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("XCBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield open_data(DatasetConfig(name="bioregistry"), ROOT / "data", 1)
    patch.undo()


@pytest.mark.parametrize("preset", RUNS)
def test_a_run_with_the_same_settings_and_seed_predicts_the_same(preset, bioregistry, tmp_path):
    estimator, settings = RUNS[preset]
    text = (
        f"dataset: {{name: bioregistry}}\nmethod: {{preset: {preset}, {settings}}}\nseed: 7\n"
        "metrics: {k: [1, 5]}\n"
    )
    (job,) = load_document(parse(text, "test"), "test").jobs()
    assert job.metrics == MetricsConfig(k=(1, 5))
    run(job, bioregistry, tmp_path, InlineExecutor())
    expected = np.load(tmp_path / "predictions.npz")
    train, test = bioregistry.prepared.train, bioregistry.prepared.test
    model = clone(estimator).set_params(random_state=7)
    top = model.fit(train.X, train.Y).predict_top_k(test.X, 5)
    assert np.array_equal(top.labels, expected["labels"])
    assert np.array_equal(top.scores, expected["scores"])


TEXTS = ["red apple", "green apple", "red rose", "green grass", "red apple pie", "grass field"] * 3
TAGS = [["fruit"], ["fruit"], ["flower"], ["plant"], ["fruit", "food"], ["plant"]] * 3


def test_a_pipeline_from_texts_to_names():
    binarizer = MultiLabelBinarizer(sparse_output=True)
    pipeline = make_pipeline(TfidfVectorizer(), RXML(rank=4, top_k=1))
    pipeline.fit(TEXTS, binarizer.fit_transform(TAGS))
    names = binarizer.inverse_transform(pipeline.predict(["apple", "the field of grass"]))
    assert names == [("fruit",), ("plant",)]


def test_a_search_over_a_pipeline_keeps_what_ranks_best():
    Y = MultiLabelBinarizer(sparse_output=True).fit_transform(TAGS)
    pipeline = make_pipeline(TfidfVectorizer(), RXML(rank=4))
    search = GridSearchCV(
        pipeline,
        {"rxml__vote_neighbours": np.array([1, 5]), "rxml__preset": ["rxml", "rxml-blend"]},
        scoring=ranking_scorer(precision_at_k, k=2),
        cv=2,
        error_score="raise",
    ).fit(TEXTS, Y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_a_frame_gives_names_that_later_ones_are_held_to(train):
    X = pd.DataFrame(train[0].toarray(), columns=[f"f{i}" for i in range(12)])
    pipeline = make_pipeline(MaxAbsScaler(), OneVsRest()).set_output(transform="pandas")
    pipeline.fit(X, train[1])
    assert pipeline[-1].feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="feature names"):
        pipeline[-1].predict(X.rename(columns={"f0": "g0"}))


def test_cross_validation_runs_on_dense_labels(train):
    """As it is: scikit-learn's cross_val_score refuses sparse ones, its searches take them."""
    X, Y = train[0], train[1].toarray()
    assert cross_val_score(OneVsRest(), X, Y, cv=3).shape == (3,)
    scores = cross_val_predict(OneVsRest(), X, Y, cv=3, method="decision_function")
    assert scores.shape == Y.shape


def test_predict_gives_the_mean_number_of_labels_or_top_k(train, test):
    X, Y = train
    mean = OneVsRest().fit(X, Y)
    assert mean.top_k_ == round(Y.nnz / 60) == 2
    assert (mean.predict(test[0]).sum(axis=1) == 2).all()
    assert (OneVsRest(top_k=3).fit(X, Y).predict(test[0]).sum(axis=1) == 3).all()
    everything = OneVsRest(top_k=99).fit(X, Y).predict(test[0])
    assert np.array_equal(everything.indices, np.tile(np.arange(8), 20))
    rare = sparse.csr_array(([1, 1], ([0, 1], [0, 1])), shape=Y.shape)
    assert OneVsRest().fit(X, rare).top_k_ == 1


def test_single_classes_are_predicted_as_they_are_named(train, test):
    X, Z = train[0], test[0]
    names = np.array(["d", "a", "c", "b"])
    y, expected = names[np.arange(60) % 4], names[np.arange(20) % 4]
    model = RXML(rank=4).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    assert np.array_equal(model.predict(Z), expected)
    assert model.score(Z, expected) == 1.0
    assert model.score(Z, expected, sample_weight=np.arange(20)) == 1.0
    two = OneVsRest().fit(X, y == "a")
    assert two.decision_function(Z).shape == (20,)
    assert np.array_equal(two.predict(Z), expected == "a")


def test_score_weighs_rows(train, test):
    model = OneVsRest(ridge=0.1).fit(*train)
    Y = test[1].toarray()
    Y[0] = 0
    weights = np.ones(20)
    weights[0] = 21
    assert model.score(test[0], Y) == pytest.approx(19 / 20)
    assert model.score(test[0], Y, sample_weight=weights) == pytest.approx(19 / 40)


def test_settings_have_the_last_word(train):
    model = RXML(rank=4, settings={"rank": 3, "vote": {"power": 2}}).fit(*train)
    settings = model.model_.settings
    assert (settings.rank, settings.vote.power, settings.vote.neighbours) == (3, 2, 30)


def test_random_states_give_seeds(train):
    X, Y = train

    def seed(state):
        return RXML(rank=4, random_state=state).fit(X, Y).model_.seed

    assert seed(5) == 5
    assert seed(np.random.RandomState(3)) == seed(np.random.RandomState(3))
    assert seed(None) != seed(None)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (RXML(rank=0), "rank: found 0; expected at least 1"),
        (SLEEC(neighbours="many"), "neighbours: found 'many'; expected a whole number"),
        (RXML("rxml-blnd"), "preset: .*did you mean 'rxml-blend'"),
        (RXML(settings={"vote": {"powr": 2}}), "settings.vote.powr: .*did you mean 'power'"),
        (RXML(settings={"hed": "ridge"}), "settings.hed: .*did you mean 'head'"),
        (RXML(settings={"preset": "sleec"}), "settings.preset: unknown key"),
        (RXML(settings=[1]), "settings: found .*expected a dict"),
        (RXML(rank=-1, ridge=-1.0), "(?s)rank: .*ridge: "),
        (RXML(top_k=0), "top_k: found 0"),
        (RXML(random_state=-1), "random_state: found -1"),
        (GlobalFixedRank(settings={"solver": "closed"}), "did you mean 'closed_form'"),
        (Maxide(settings={"over_ranks": "mean"}), "over_ranks: mean"),
    ],
)
def test_a_wrong_parameter_is_named(estimator, message, train):
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(*train)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[0, 1], [2]], "MultiLabelBinarizer"),
        ([[0, 2], [1, 0]], "y holds the value 2"),
        ([["a", "b"], ["c", "d"]], "y holds the value a"),
        (sparse.coo_array((np.ones(3), ([0, 0, 1], [1, 1, 0])), shape=(2, 2)), "the value 2"),
        (sparse.csr_array([[0.0, 0.5], [1.0, 0.0]]), "y holds the value 0.5"),
        (sparse.csr_array((2, 3)), "no label at all"),
        (np.zeros((2, 2)), "no label at all"),
        ([0.1, 0.7], "continuous"),
        ([[[1, 0]], [[0, 1]]], "dim"),
        ([1, 0, 1], "inconsistent numbers of samples"),
    ],
)
def test_y_that_is_no_target_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        OneVsRest().fit([[1.0, 0.0], [0.0, 1.0]], y)


def test_values_too_large_for_float32_are_refused():
    with pytest.raises(ValueError, match="too large for float32"):
        OneVsRest().fit([[1e300, 0.0], [0.0, 1.0]], [0, 1])


def test_other_numbers_of_features_or_labels_are_refused(train):
    model = OneVsRest().fit(*train)
    with pytest.raises(ValueError, match="features"):
        model.predict(np.eye(3))
    with pytest.raises(ValueError, match="3 columns; expected 8"):
        model.score(train[0], np.ones((60, 3)))
    with pytest.raises(ValueError, match="k is 0"):
        model.predict_top_k(train[0], 0)
    for k in (2.0, "2", True):
        with pytest.raises(ValueError, match="expected a whole number"):
            model.predict_top_k(train[0], k)
        with pytest.raises(ValueError, match="expected a whole number"):
            OneVsRest(top_k=k).fit(*train)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(train[0], train[1][:10])
    for weights in (np.zeros(60), np.ones(59), np.full(60, np.nan), -np.ones(60)):
        with pytest.raises(ValueError, match="sample_weight"):
            model.score(*train, sample_weight=weights)


@pytest.mark.parametrize("change", ["y", "X", "parameter", "rows"])
def test_a_refused_fit_leaves_a_fitted_model_as_it_was(change, train, test):
    model = OneVsRest(ridge=0.1).fit(*train)
    expected = model.predict_top_k(test[0], 3)
    X, Y = pd.DataFrame(np.ones((60, 5))).add_prefix("f"), train[1]
    if change == "y":
        Y = Y * 2
    elif change == "X":
        X.iloc[0, 0] = 1e300
    elif change == "rows":
        X = X[:10]
    else:
        model.set_params(settings={"rigde": 1.0})
    with pytest.raises(ValueError):  # noqa: PT011
        model.fit(X, Y)
    assert model.n_features_in_ == 12
    assert not hasattr(model, "feature_names_in_")
    assert equal(model.predict_top_k(test[0], 3), expected)

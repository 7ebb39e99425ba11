"""Heads of all labels and of clusters: whose rows and labels they hold, and how they score."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.methods import HeadSettings, LocalEmbeddingSettings
from xcbench.data.dataset import Dataset
from xcbench.models import load_model
from xcbench.models.base import row_blocks
from xcbench.models.local_embedding import LocalEmbedding, head
from xcbench.models.local_embedding.head import fit_cluster_head, fit_labels, head_tasks, heads_of
from xcbench.models.local_embedding.partition import nearest_cluster

LABELS = 15


def made(n: int = 300, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 40)) * (rng.random((n, 40)) < 0.15)
    Y = rng.random((n, LABELS)) < 0.1
    Y[:, 4] = False
    Y[0] = False
    return Dataset(sparse.csr_array(X.astype(np.float32)), sparse.csr_array(Y.astype(np.float32)))


def fitted(**settings: object) -> LocalEmbedding:
    given = {"clusters": 3, "rank": 6, "vote": {"neighbours": 5}} | settings
    return LocalEmbedding(LocalEmbeddingSettings.model_validate(given), 0).fit(made())


def fitted_head(train: Dataset, members: list[np.ndarray], **settings: object) -> list:
    given = HeadSettings.model_validate({"kind": "squared_hinge"} | settings)
    tasks = [task.arguments for task in head_tasks(train, members, given)]
    return heads_of([function(*rest)[0] for function, *rest in tasks], train.n_features, given)


def dense(of: head.LinearHead, n_features: int) -> np.ndarray:
    """Weights and intercepts (d + 1, l)."""
    shape = of.features.size, of.labels.size
    W = np.zeros((n_features + 1, LABELS))
    local = sparse.csr_array((of.values, of.places, of.starts), shape=shape).toarray()
    W[np.ix_(of.features, of.labels)] = local
    W[-1, of.labels] = of.intercepts
    return W


@pytest.mark.parametrize("task_labels", [4, 256])
def test_the_tasks_of_labels_make_one_head_of_those_that_occur(task_labels, monkeypatch):
    train = made()
    monkeypatch.setattr(head, "TASK_LABELS", task_labels)
    # To the minimum, as before it rounding shows.
    steps = {"kind": "squared_hinge", "rounds": 20, "iterations": 60, "threshold": 0}
    (whole,) = fitted_head(train, [], **steps)
    expected = np.zeros((train.n_features + 1, LABELS))
    for label in range(LABELS):
        (labels, _, features, values, intercepts), _ = fit_labels(
            train, label, label + 1, HeadSettings.model_validate(steps)
        )
        assert labels.tolist() == ([] if label == 4 else [label])
        expected[features, label] = values
        expected[-1, labels] = intercepts
    np.testing.assert_allclose(dense(whole, train.n_features), expected, atol=1e-3)
    assert np.count_nonzero(expected) > 100


def test_a_head_of_one_cluster_of_all_rows_is_the_head_of_all():
    train = made()
    every = np.arange(train.n_points, dtype=np.int32)
    (one,) = fitted_head(train, [every], scope="cluster")
    (whole,) = fitted_head(train, [every])
    for mine, theirs in zip(one.arrays, whole.arrays, strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype


def test_a_clusters_head_knows_its_rows_labels_and_features_only():
    train = made()
    rows = np.arange(5, 60, 3, dtype=np.int32)
    arrays, _ = fit_cluster_head(train, rows, HeadSettings(kind="squared_hinge"))
    found = head.LinearHead(*arrays)
    X, Y = train.X.toarray()[rows], train.Y.toarray()[rows]
    assert found.labels.tolist() == np.flatnonzero(Y.any(axis=0)).tolist()
    assert set(found.features.tolist()) <= set(np.flatnonzero(X.any(axis=0)).tolist())
    alone = Dataset(sparse.csr_array(X), sparse.csr_array(Y))
    (expected,) = fitted_head(alone, [])
    d = train.n_features
    np.testing.assert_array_equal(dense(found, d), dense(expected, d))


def test_minimum_of_each_cluster_is_reached():
    train = made()
    rows = np.arange(40, 140, dtype=np.int32)
    settings = HeadSettings(kind="squared_hinge", rounds=20, iterations=60, threshold=0)
    arrays, _ = fit_cluster_head(train, rows, settings)
    W = dense(head.LinearHead(*arrays), train.n_features)
    full = np.column_stack([train.X.toarray()[rows], np.ones(rows.size)]).astype(np.float64)
    y = 2.0 * train.Y.toarray()[rows] - 1
    gradient = settings.ridge * W + full.T @ (y * np.minimum(y * (full @ W) - 1, 0))
    # Of the features a label may have a weight on.
    assert np.abs(gradient[W != 0]).max() < 1e-3


@pytest.mark.parametrize("learners", [1, 2])
def test_a_row_is_scored_by_the_vote_and_the_head_of_its_cluster(learners):
    train, X = made(), made(40, seed=1).X
    settings = {"head": {"kind": "squared_hinge", "scope": "cluster", "weight": 2.0}}
    model = fitted(learners=learners, **settings)
    vote = fitted(learners=learners).predict(X, LABELS)
    found = model.predict(X, LABELS)
    cluster_of = nearest_cluster(X, model.learners[0].centroids)
    assert np.unique(cluster_of).size == 3
    augmented = np.column_stack([X.toarray(), np.ones(40)])
    for i in range(40):
        of_vote = np.zeros(LABELS + 1)
        of_vote[vote.labels[i]] = np.where(vote.labels[i] >= 0, vote.scores[i], 0)
        own = model.heads[cluster_of[i]]
        of_head = np.zeros(LABELS)
        margins = augmented[i] @ dense(own, train.n_features)
        of_head[own.labels] = np.maximum(0, (1 + margins[own.labels]) / 2)
        score = of_vote[:LABELS] / max(np.linalg.norm(of_vote[:LABELS]), 1e-30)
        score += 2 * of_head / max(np.linalg.norm(of_head), 1e-30)
        listed = found.labels[i] >= 0
        assert listed.sum() == np.count_nonzero(score > 1e-7)
        np.testing.assert_allclose(
            found.scores[i][listed], score[found.labels[i][listed]], atol=1e-5
        )


@pytest.mark.parametrize("scope", ["all", "cluster"])
def test_a_saved_models_heads_and_predictions_are_those_of_the_fitted(scope, tmp_path):
    model = fitted(learners=2, head={"kind": "squared_hinge", "scope": scope})
    model.save(tmp_path)
    again = load_model(tmp_path)
    assert len(again.heads) == (1 if scope == "all" else 3)
    for one, other in zip(model.heads, again.heads, strict=True):
        for mine, theirs in zip(one.arrays, other.arrays, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
    assert again.nbytes == model.nbytes > fitted(learners=2).nbytes
    X = made(50, seed=1).X
    whole = model.predict(X, 5)
    for rows in row_blocks(again, X):
        block = again.predict(X[rows], 5)
        np.testing.assert_array_equal(block.labels, whole.labels[rows])
        np.testing.assert_array_equal(block.scores, whole.scores[rows])

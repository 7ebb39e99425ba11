"""Regression and vote stages, and what the ensemble promises beyond the contract of every model."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.methods import LocalEmbeddingSettings, RegressionSettings, VoteSettings
from xcbench.data.dataset import Dataset
from xcbench.errors import TaskError
from xcbench.models.base import InlineExecutor
from xcbench.models.local_embedding import LocalEmbedding
from xcbench.models.local_embedding import cluster as cluster_module
from xcbench.models.local_embedding.cluster import restricted
from xcbench.models.local_embedding.partition import nearest_cluster
from xcbench.models.local_embedding.regression import active_features, embed, regress, zero_smallest
from xcbench.models.local_embedding.vote import database, nearest
from xcbench.optim.ridge import SparseOperator


@pytest.fixture
def made() -> Dataset:
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((120, 40)) * (rng.random((120, 40)) < 0.2)).astype(np.float32))
    Y = sparse.csr_array((rng.random((120, 15)) < 0.15).astype(np.float32))
    return Dataset(X, Y)


def test_active_features_keep_every_value(made):
    X = made.X[:3]
    active, local = active_features(X)
    np.testing.assert_array_equal(local.toarray(), X.toarray()[:, active])
    assert local.nnz == X.nnz
    assert local.shape[1] == active.size < made.n_features


def test_restriction_to_features_equals_column_indexing(made):
    for features in (np.array([], np.int32), np.array([0, 7, 39], np.int32), np.arange(40)):
        expected = made.X.toarray()[:, features]
        np.testing.assert_array_equal(restricted(made.X, features).toarray(), expected)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.75])
def test_sparsifying_zeroes_the_smallest_share_of_each_row(share):
    rows = np.random.default_rng(0).standard_normal((4, 100)).astype(np.float32)
    before = rows.copy()
    zero_smallest(rows, share)
    for old, new in zip(before, rows, strict=True):
        zeroed = new == 0
        assert zeroed.sum() == int(share * 100)
        if zeroed.any():
            assert np.abs(old[zeroed]).max() < np.abs(old[~zeroed]).min()


def test_ties_do_not_zero_more_than_the_share():
    rows = np.ones((2, 100), np.float32)  # a block of equal points has only ties
    zero_smallest(rows, 0.1)
    assert np.sum(rows == 0, axis=1).tolist() == [10, 10]


def test_weights_are_sparsified_over_all_and_embeddings_by_dimension(made):
    operator = SparseOperator(made.X)
    Z = np.random.default_rng(1).standard_normal((120, 6)).astype(np.float32)
    settings = RegressionSettings(weight_sparsity=0.5, embedding_sparsity=0.25)
    V = regress(operator, Z, settings)
    assert np.mean(V == 0) == pytest.approx(0.5, abs=0.01)
    E = embed(operator, V, settings)
    zeros = np.sum(E == 0, axis=0)
    assert np.all((zeros >= 30) & (zeros < 60))


def test_cosine_vote_weighs_by_powered_similarity_and_ignores_length():
    stored = database(np.array([[2, 0], [0, 3], [1, 1], [-1, 0]], np.float32), VoteSettings())
    ids, weights = nearest(
        np.array([[5, 0]], np.float32), stored, VoteSettings(neighbours=4, power=2.0)
    )
    assert ids[0].tolist() == [0, 2, 1, 3]
    np.testing.assert_allclose(weights[0], [1.0, 0.5, 0.0, 0.0], atol=1e-6)


def test_euclidean_vote_takes_the_nearest_with_one_vote_each():
    rng = np.random.default_rng(0)
    E, Z = rng.standard_normal((50, 4)).astype(np.float32), rng.standard_normal((7, 4))
    settings = VoteSettings(kind="euclidean", neighbours=6)
    ids, weights = nearest(Z.astype(np.float32), database(E, settings), settings)
    distance = np.linalg.norm(Z[:, None] - E[None], axis=2)
    np.testing.assert_array_equal(ids, np.argsort(distance, axis=1)[:, :6])
    np.testing.assert_array_equal(weights, 1.0)


def test_absent_neighbours_have_no_vote():
    settings = VoteSettings(kind="euclidean", neighbours=5)
    ids, weights = nearest(
        np.ones((2, 3), np.float32), database(np.ones((2, 3), np.float32), settings), settings
    )
    assert ids[0].tolist() == [0, 1, -1, -1, -1]
    assert weights[0].tolist() == [1, 1, 0, 0, 0]


def test_learners_pool_their_votes(made):
    settings = LocalEmbeddingSettings(learners=3, clusters=2, rank=5)
    model = LocalEmbedding(settings, seed=0).fit(made)
    pooled = model.predict(made.X[:10], 15)
    Y, scores = made.Y.toarray(), np.zeros((10, 15))
    for learner in model.learners:
        cluster_of = nearest_cluster(made.X[:10], learner.centroids)
        ids, weights = model._votes(learner, cluster_of, made.X[:10])
        scores += np.einsum("ij,ijl->il", weights, Y[ids] * (ids >= 0)[:, :, None])
    found = np.take_along_axis(scores, np.maximum(pooled.labels, 0), axis=1)
    listed = pooled.labels >= 0
    np.testing.assert_allclose(pooled.scores[listed], found[listed], rtol=1e-4)


def test_learners_differ_but_each_depends_only_on_its_own_number(made):
    few = LocalEmbedding(LocalEmbeddingSettings(learners=1, clusters=3, rank=5), 0).fit(made)
    many = LocalEmbedding(LocalEmbeddingSettings(learners=2, clusters=3, rank=5), 0).fit(made)
    same, other = many.learners
    first = few.learners[0].centroids.toarray()
    np.testing.assert_array_equal(first, same.centroids.toarray())
    assert not np.array_equal(first, other.centroids.toarray())


def test_a_failing_task_is_named_by_learner_and_cluster(made, monkeypatch):
    def broken(Y, settings):
        raise FloatingPointError("made to fail")

    monkeypatch.setattr(cluster_module, "find_neighbours", broken)
    model = LocalEmbedding(LocalEmbeddingSettings(learners=2, clusters=1, rank=5), 0)
    with pytest.raises(TaskError, match="learner 0, cluster 0: FloatingPointError: made to fail"):
        model.fit(made, InlineExecutor())


def test_auto_clusters_follow_the_number_of_points(made, monkeypatch):
    monkeypatch.setattr("xcbench.config.methods.POINTS_PER_CLUSTER", 50)
    model = LocalEmbedding(LocalEmbeddingSettings(clusters="auto", rank=5), 0).fit(made)
    assert len(model.learners[0].clusters) == 2

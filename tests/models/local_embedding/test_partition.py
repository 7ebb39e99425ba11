"""The partition stage, against dense brute force."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.config.methods import PartitionSettings
from xcbench.models.local_embedding.partition import nearest_cluster, partition

KINDS = ["kmeans", "spherical", "balanced"]


def planted(per_group: int, groups: int, seed: int = 0) -> tuple[sparse.csr_array, np.ndarray]:
    """Unit rows in groups with features of their own."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(groups), per_group)
    dense = np.zeros((truth.size, groups * 5))
    for row, group in enumerate(truth):
        dense[row, group * 5 : group * 5 + 5] = rng.random(5) + 0.1
    return sparse.csr_array(dense.astype(np.float32)), truth


def split(X, clusters, kind, seed=0):
    return partition(X, clusters, PartitionSettings(kind=kind), np.random.default_rng(seed))


@pytest.mark.parametrize("kind", KINDS)
def test_no_cluster_is_empty_and_none_is_lost(kind):
    X, _ = planted(30, 4)
    for seed in range(10):
        assignment, centroids = split(X, 6, kind, seed)
        assert np.array_equal(np.unique(assignment), np.arange(centroids.shape[1]))
        assert assignment.dtype == np.int32
        assert centroids.dtype == np.float32


def test_balanced_sizes_differ_by_at_most_one_a_halving():
    X, _ = planted(33, 3)
    for clusters in (2, 3, 5, 8):
        sizes = np.bincount(split(X, clusters, "balanced")[0])
        assert sizes.size == clusters
        assert sizes.max() - sizes.min() <= np.ceil(np.log2(clusters)) + 1


def test_balanced_separates_two_planted_groups():
    X, truth = planted(40, 2)
    agreed = [
        max(np.mean(a == truth), np.mean(a != truth))
        for a in (split(X, 2, "balanced", seed)[0] for seed in range(10))
    ]
    assert max(agreed) == 1.0
    assert np.median(agreed) > 0.9


@pytest.mark.parametrize("kind", ["kmeans", "spherical"])
def test_assignment_is_to_the_nearest_centroid_of_the_last_round(kind):
    X, truth = planted(25, 3)
    assignment, centroids = split(X, 3, kind, seed=2)
    # groups share no feature: no cluster may divide a group once the rounds have settled
    for group in range(3):
        assert np.unique(nearest_cluster(X, centroids)[truth == group]).size == 1
    assert np.array_equal(nearest_cluster(X, centroids), assignment)


def test_kmeans_means_are_plain_and_spherical_ones_unit():
    X, _ = planted(25, 3)
    plain, unit = (split(X, 3, kind)[1].toarray() for kind in ("kmeans", "spherical"))
    assert np.linalg.norm(plain, axis=0).max() < 0.999
    np.testing.assert_allclose(np.linalg.norm(unit, axis=0), 1.0, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_more_clusters_than_points_gives_at_most_one_a_point(kind):
    X, _ = planted(1, 3)
    assignment, centroids = split(X, 10, kind)
    assert 1 <= centroids.shape[1] <= 3
    assert assignment.size == 3


@pytest.mark.parametrize("kind", KINDS)
def test_scale_of_a_row_does_not_matter(kind):
    X, _ = planted(20, 3)
    scaled = sparse.csr_array(sparse.diags_array(np.linspace(0.1, 9, 60)) @ X).astype(np.float32)
    assert np.array_equal(split(X, 3, kind)[0], split(scaled, 3, kind)[0])


def zipf_rows(n: int, d: int, seed: int) -> sparse.csr_array:
    """Rows of positive and negative entries on features of very unequal frequency; some empty."""
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n, d)) * (rng.random((n, d)) < 3 / np.arange(1, d + 1))
    dense[:: n // 5] = 0
    return sparse.csr_array(dense.astype(np.float32))


def dense_kmeans(X, clusters: int, settings: PartitionSettings, rng) -> np.ndarray:
    rows = X.toarray().astype(np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(length > 0, length, 1)
    means = rows[np.sort(rng.choice(len(rows), clusters, replace=False))]
    for _ in range(settings.iterations):
        assignment = np.argmax(rows @ means.T, axis=1)
        member = assignment == np.arange(clusters)[:, None]
        means = member @ rows
        if settings.kind == "spherical":
            scale = np.linalg.norm(means, axis=1, keepdims=True)
        else:
            scale = member.sum(axis=1, keepdims=True)
        means /= np.where(scale > 0, scale, 1)
    used = np.unique(assignment)
    return np.searchsorted(used, assignment), means[used]


@pytest.mark.parametrize("kind", ["kmeans", "spherical"])
@pytest.mark.parametrize("seed", range(3))
def test_clusters_and_centroids_are_those_of_dense_kmeans(kind, seed):
    X, settings = zipf_rows(200, 60, seed), PartitionSettings(kind=kind, iterations=4)
    assignment, centroids = partition(X, 9, settings, np.random.default_rng(seed))
    expected, means = dense_kmeans(X, 9, settings, np.random.default_rng(seed))
    np.testing.assert_array_equal(assignment, expected)
    np.testing.assert_allclose(centroids.toarray().T, means, atol=1e-6)


def test_balanced_halving_is_that_of_dense_means():
    X = zipf_rows(101, 40, seed=4)
    rows = X.toarray().astype(np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(length > 0, length, 1)
    means = rows[np.sort(np.random.default_rng(7).choice(101, 2, replace=False))]
    for _ in range(3):
        order = np.argsort(rows @ (means[1] - means[0]), kind="stable")
        means = np.stack([rows[order[:50]].sum(axis=0), rows[order[50:]].sum(axis=0)])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
    settings = PartitionSettings(kind="balanced", iterations=3)
    assignment, centroids = partition(X, 2, settings, np.random.default_rng(7))
    np.testing.assert_array_equal(np.flatnonzero(assignment == 0), np.sort(order[:50]))
    np.testing.assert_allclose(centroids.toarray().T, means, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_chosen_rows_are_clustered_as_if_they_were_all(kind):
    X, chosen = zipf_rows(150, 50, seed=1), np.arange(3, 150, 2, dtype=np.int32)
    settings = PartitionSettings(kind=kind)
    among, centroids = partition(X, 5, settings, np.random.default_rng(0), rows=chosen)
    alone, same = partition(X[chosen], 5, settings, np.random.default_rng(0))
    np.testing.assert_array_equal(among, alone)
    np.testing.assert_array_equal(centroids.toarray(), same.toarray())


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_the_number_of_threads(kind, monkeypatch):
    monkeypatch.setattr("xcbench.models.local_embedding.partition.ROWS_AT_ONCE", 7)
    X, settings = zipf_rows(300, 80, seed=2), PartitionSettings(kind=kind)
    one = partition(X, 6, settings, np.random.default_rng(0))
    many = partition(X, 6, settings, np.random.default_rng(0), threads=4)
    np.testing.assert_array_equal(one[0], many[0])
    assert one[1].data.tobytes() == many[1].data.tobytes()
    np.testing.assert_array_equal(
        nearest_cluster(X, one[1], threads=3), np.argmax(X @ one[1].toarray(), axis=1)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_centroids_list_no_cluster_twice_and_no_feature_that_does_not_occur(kind):
    X = zipf_rows(120, 300, seed=3)
    centroids = split(X, 8, kind)[1]
    rebuilt = sparse.csr_array(centroids.toarray())
    assert centroids.nnz <= min(X.nnz, 8 * 300)
    np.testing.assert_array_equal(rebuilt.indptr, centroids.indptr)
    np.testing.assert_array_equal(rebuilt.indices, centroids.indices)
    assert centroids.indices.dtype == np.int32


def test_a_single_centroid_has_no_entries():
    X = zipf_rows(20, 10, seed=0)
    assignment, centroids = split(X, 1, "kmeans")
    assert (centroids.shape, centroids.nnz, assignment.max()) == ((10, 1), 0, 0)
    np.testing.assert_array_equal(nearest_cluster(X, centroids), 0)


def test_ties_go_to_the_smaller_cluster():
    X = sparse.csr_array(np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]], np.float32))
    centroids = sparse.csr_array(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.float32))
    assert nearest_cluster(X, centroids).tolist() == [1, 0, 0]

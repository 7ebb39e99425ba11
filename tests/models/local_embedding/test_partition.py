"""The partition stage."""

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
        assert np.array_equal(np.unique(assignment), np.arange(len(centroids)))
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
    assert np.linalg.norm(split(X, 3, "kmeans")[1], axis=1).max() < 0.999
    np.testing.assert_allclose(np.linalg.norm(split(X, 3, "spherical")[1], axis=1), 1.0, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_more_clusters_than_points_gives_at_most_one_a_point(kind):
    X, _ = planted(1, 3)
    assignment, centroids = split(X, 10, kind)
    assert 1 <= len(centroids) <= 3
    assert assignment.size == 3


@pytest.mark.parametrize("kind", KINDS)
def test_scale_of_a_row_does_not_matter(kind):
    X, _ = planted(20, 3)
    scaled = sparse.csr_array(sparse.diags_array(np.linspace(0.1, 9, 60)) @ X).astype(np.float32)
    assert np.array_equal(split(X, 3, kind)[0], split(scaled, 3, kind)[0])

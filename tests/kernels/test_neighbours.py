"""Neighbour lists and the pattern they make, against brute force."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.config.methods import NeighbourSettings
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.neighbours import kth_largest, label_neighbours
from xcbench.models.local_embedding.neighbours import find_neighbours, locality_order


def label_rows(n: int, n_labels: int, density: float, seed: int) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.random((n, n_labels)) < density
    dense[np.arange(n), rng.integers(0, n_labels, n)] = True  # no row without a label
    return sparse.csr_array(dense.astype(np.float32))


def similarity(Y: sparse.csr_array, kind: str) -> np.ndarray:
    common = (Y @ Y.T).toarray()
    sizes = Y.sum(axis=1)
    return common if kind == "inner" else common / np.sqrt(np.outer(sizes, sizes))


def brute_force(
    Y: sparse.csr_array, kind: str, count: int, keep: bool, most: int | None = None
) -> list[list[int]]:
    """Neighbours by exact rational comparison: common^2 / |y_j| orders row i as the cosine does."""
    common = (Y @ Y.T).toarray().astype(int)
    sizes = Y.sum(axis=1).astype(int) if kind == "cosine" else np.ones(len(common), int)
    lists = []
    for i, row in enumerate(common.tolist()):
        met = set(range(len(row))) if most is None else candidates(Y.toarray(), i, most)
        keys = [
            (-Fraction(c * c, int(size)), j)
            for j, (c, size) in enumerate(zip(row, sizes, strict=True))
            if j in met
        ]
        lists.append(sorted(j for key, j in sorted(keys)[:count] if keep or key < 0))
    return lists


def candidates(Y: np.ndarray, i: int, most: int) -> set[int]:
    """Of every label of row i the ``most`` rows around i in the list of its rows."""
    met = set()
    for label in np.flatnonzero(Y[i]):
        rows = np.flatnonzero(Y[:, label]).tolist()
        first = max(0, min(rows.index(i) - most // 2, len(rows) - most))
        met.update(rows[first : first + most])
    return met


@pytest.mark.parametrize("kind", ["cosine", "inner"])
@pytest.mark.parametrize("disjoint", ["keep", "drop"])
@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 90),
    st.integers(1, 12),
    st.floats(0.0, 0.6),
    st.integers(1, 100),
    st.integers(0, 10_000),
)
def test_lists_are_the_most_similar_rows_with_ties_to_the_smaller(
    kind, disjoint, n, n_labels, density, count, seed
):
    Y = label_rows(n, n_labels, density, seed)
    lists = find_neighbours(Y, NeighbourSettings(kind=kind, count=count, disjoint=disjoint))
    found = [sorted(lists.ids[i, : lists.sizes[i]].tolist()) for i in range(n)]
    assert found == brute_force(Y, kind, min(count, n), disjoint == "keep")


def test_many_rows_pass_the_candidate_buffer_more_than_once():
    Y = label_rows(500, 20, 0.3, seed=1)
    lists = find_neighbours(Y, NeighbourSettings(count=7))
    found = [sorted(lists.ids[i, : lists.sizes[i]].tolist()) for i in range(500)]
    assert found == brute_force(Y, "cosine", 7, keep=False)


@pytest.mark.parametrize("disjoint", ["keep", "drop"])
def test_symmetrised_pattern_holds_every_pair_once_with_its_count_and_similarity(disjoint):
    Y = label_rows(80, 15, 0.1, seed=3)
    lists = find_neighbours(Y, NeighbourSettings(count=9, disjoint=disjoint))
    position = np.random.default_rng(0).permutation(80).astype(np.int32)
    known = lists.symmetrised(position)
    chosen = np.zeros((80, 80))
    for i in range(80):
        chosen[position[i], position[lists.ids[i, : lists.sizes[i]]]] = 1
    weight = np.triu(chosen + chosen.T)
    np.fill_diagonal(weight, np.diag(chosen))
    rows = np.repeat(np.arange(80), np.diff(known.indptr))
    stored = np.zeros((80, 80))
    stored[rows, known.columns] = known.weights
    np.testing.assert_array_equal(stored, weight)
    assert known.columns.size == np.count_nonzero(weight)
    expected = np.zeros((80, 80))
    expected[np.ix_(position, position)] = similarity(Y, "cosine")
    np.testing.assert_allclose(known.targets, expected[rows, known.columns], rtol=1e-6)


def test_directed_matrix_keeps_the_lists_as_they_are():
    Y = label_rows(40, 8, 0.1, seed=4)
    lists = find_neighbours(Y, NeighbourSettings(count=6, disjoint="keep"))
    position = np.random.default_rng(0).permutation(40).astype(np.int32)
    matrix = lists.directed(position)
    assert np.diff(matrix.indptr).tolist() == [6] * 40  # zeros on Omega are stored
    for i in range(40):
        row = slice(matrix.indptr[position[i]], matrix.indptr[position[i] + 1])
        assert matrix.indices[row].tolist() == sorted(position[lists.ids[i]].tolist())


def test_locality_order_compares_the_most_frequent_labels_first():
    Y = sparse.csr_array(
        np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]], np.float32)
    )
    # label 1 is on three rows: those first, the row of that label alone before the longer one
    assert locality_order(Y).tolist() == [3, 4, 1, 0, 2]


def test_locality_order_reorders_every_row_once():
    Y = label_rows(200, 30, 0.5, seed=5)  # rows of more labels than are compared
    assert sorted(locality_order(Y).tolist()) == list(range(200))


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_kth_largest_equals_the_sorted_one(values, k):
    k = min(k, len(values))
    array = np.array(values, np.float32)
    assert kth_largest(array.copy(), array.size, k) == np.sort(array)[::-1][k - 1]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 90), st.integers(1, 12), st.floats(0.0, 0.6), st.integers(1, 40),
    st.integers(1, 30), st.integers(0, 10_000),
)  # fmt: skip
def test_a_frequent_label_brings_the_rows_around_and_all_common_labels_count(
    n, n_labels, density, count, most, seed
):
    Y = label_rows(n, n_labels, density, seed)
    lists = find_neighbours(Y, NeighbourSettings(count=count, per_label=most))
    found = [sorted(lists.ids[i, : lists.sizes[i]].tolist()) for i in range(n)]
    assert found == brute_force(Y, "cosine", min(count, n), keep=False, most=most)
    exact = similarity(Y, "cosine")
    for i in range(n):
        held = lists.sizes[i]
        assert i in candidates(Y.toarray(), i, most)
        np.testing.assert_allclose(
            lists.similarity[i, :held], exact[i, lists.ids[i, :held]], rtol=1e-6
        )


def test_a_limit_that_no_label_passes_changes_nothing():
    Y = label_rows(300, 20, 0.2, seed=5)
    largest = int(Y.sum(axis=0).max())
    exact, limited = (
        find_neighbours(Y, NeighbourSettings(count=9, per_label=most)) for most in (None, largest)
    )
    np.testing.assert_array_equal(exact.ids, limited.ids)
    np.testing.assert_array_equal(exact.similarity, limited.similarity)


def met(Y: sparse.csr_array, most: int) -> int:
    n = Y.shape[0]
    lists = np.empty((n, 5), np.int32), np.empty((n, 5), np.float32), np.empty(n, np.int32)
    rows, columns = csr_parts(Y)[:2], csr_parts(Y.T.tocsr())[:2]
    return label_neighbours(*rows, *columns, np.ones(n, np.float32), False, most, *lists)


def test_no_more_points_are_met_than_the_limit_for_each_label_of_each_point():
    Y = label_rows(400, 10, 0.1, seed=6)
    of_label = Y.sum(axis=0).astype(int)
    assert met(Y, 400) == np.sum(of_label**2)
    assert met(Y, 25) == np.sum(of_label * np.minimum(of_label, 25)) <= 25 * Y.nnz


@pytest.mark.parametrize("most", [None, 3])
def test_points_far_apart_in_number_find_one_another(most):
    """Few meetings in many points: whole stretches of them have none."""
    rng = np.random.default_rng(0)
    partner = rng.permutation(6000)
    Y = sparse.csr_array(
        (np.ones(6000, np.float32), (partner, np.repeat(np.arange(2000), 3))), shape=(6000, 2000)
    )
    lists = find_neighbours(Y, NeighbourSettings(count=4, per_label=most))
    for three in partner.reshape(2000, 3):
        for i in three:
            assert lists.ids[i, : lists.sizes[i]].tolist() == sorted(three)


def test_more_pairs_than_can_be_numbered_are_refused(monkeypatch):
    monkeypatch.setattr("xcbench.models.local_embedding.neighbours.MOST_PAIRS", 59)
    Y = label_rows(20, 4, 0.1, seed=0)
    assert find_neighbours(Y, NeighbourSettings(count=2)).ids.shape == (20, 2)
    with pytest.raises(ValueError, match=r"20 points with 3 neighbours .* more clusters"):
        find_neighbours(Y, NeighbourSettings(count=3))

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from xcbench.data.splits.rows import split_rows
from xcbench.errors import DataError


def labels(rows):
    dense = np.zeros((len(rows), 9), np.float32)
    for i, row in enumerate(rows):
        dense[i, list(row)] = 1
    return sparse.csr_array(dense)


ROWS = st.lists(st.sets(st.integers(0, 8), max_size=4), min_size=2, max_size=30)


@settings(max_examples=100, deadline=None)
@given(ROWS, st.floats(0.02, 0.98), st.integers(0, 99))
def test_every_row_is_in_one_part_and_the_sizes_are_exact(rows, share, seed):
    wanted = round(len(rows) * share)
    if not 0 < wanted < len(rows):
        with pytest.raises(DataError, match="without a row"):
            split_rows(labels(rows), share, seed, keep_labels=False)
        return
    train, test, passed_over = split_rows(labels(rows), share, seed, keep_labels=False)
    assert test.size == wanted
    assert passed_over is None
    assert train.dtype == test.dtype == np.int64
    assert sorted([*train, *test]) == list(range(len(rows)))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()


@settings(max_examples=150, deadline=None)
@given(ROWS, st.floats(0.1, 0.9), st.integers(0, 99))
def test_every_label_keeps_a_training_row_and_none_is_held_back_without_need(rows, share, seed):
    wanted = round(len(rows) * share)
    if not 0 < wanted < len(rows):
        return
    try:
        train, test, passed_over = split_rows(labels(rows), share, seed, keep_labels=True)
    except DataError as error:
        assert "a label that no other row has" in str(error)
        assert all(any(sum(x in other for other in rows) == 1 for x in row) for row in rows)
        return
    kept = [x for i in train for x in rows[i]]
    assert set(kept) == set().union(*rows)
    assert sorted([*train, *test]) == list(range(len(rows)))
    order = np.random.default_rng(seed).permutation(len(rows)).tolist()
    last = max(order.index(i) for i in test) if test.size == wanted else len(rows) - 1
    assert passed_over == len(set(order[: last + 1]) - set(test.tolist()))
    if test.size < wanted:  # then no training row is left that could be spared
        assert all(any(kept.count(x) == 1 for x in rows[i]) for i in train)


def test_only_rows_that_are_needed_change_places():
    """Of 40 rows one alone has label 8: with a seed that would test it, one other moves up."""
    rows = [{8} if i == 0 else {1} for i in range(40)]
    seed = next(s for s in range(99) if 0 in split_rows(labels(rows), 0.25, s, False)[1])
    plain = set(split_rows(labels(rows), 0.25, seed, False)[1])
    kept = set(split_rows(labels(rows), 0.25, seed, True)[1])
    assert plain - kept == {0}
    assert len(kept) == 10
    assert split_rows(labels(rows), 0.25, seed, True).n_passed_over == 1


def test_the_seed_decides_and_nothing_else():
    rows = [{i % 9} for i in range(50)]
    first, again, other = (split_rows(labels(rows), 0.3, seed, True)[1] for seed in (1, 1, 2))
    assert (first == again).all()
    assert not (first == other).all()


def test_a_header_of_two_billion_labels_costs_nothing():
    Y = sparse.csr_array(
        (np.ones(4, np.float32), np.array([5, 2**31 - 2, 5, 5], np.int32), np.arange(5)),
        shape=(4, 2**31 - 1),
    )
    train, _, _ = split_rows(Y, 0.5, 0, keep_labels=True)
    assert 1 in train

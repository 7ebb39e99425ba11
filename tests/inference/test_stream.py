"""Blocks are predicted in order, whoever does it, and no more of them are held than allowed."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.inference.conftest import METHODS
from tests.inference.posts import assert_close_rankings
from xcbench.data.dataset import TopK
from xcbench.data.matrix import slice_rows
from xcbench.data.xc_text import read_xc
from xcbench.errors import DataError
from xcbench.inference.stream import predict_blocks


@pytest.fixture
def X(posts):
    return read_xc(posts / "posts" / "test.txt").X


def cut(X, size):
    for first in range(0, X.shape[0], size):
        yield slice_rows(X, first, min(first + size, X.shape[0]))


def joined(predicted):
    found = list(predicted)
    return (
        np.concatenate([each.top.labels for each in found]),
        np.concatenate([each.top.scores for each in found]),
    )


@pytest.mark.parametrize("method", METHODS)
def test_any_blocks_give_what_all_rows_at_once_give(model_of, X, method):
    fitted = model_of(method)
    whole = fitted.predict(X, 4)
    for size in (1, 7):
        found = joined(predict_blocks(fitted, cut(X, size), 4))
        assert_close_rankings(TopK(*found), whole)


@pytest.mark.parametrize("method", METHODS)
def test_a_pool_gives_the_bits_of_the_same_blocks(model_of, X, method):
    fitted = model_of(method)
    alone = joined(predict_blocks(fitted, cut(X, 4), 4))
    with ThreadPoolExecutor(3) as pool:
        found = joined(predict_blocks(fitted, cut(X, 4), 4, pool, 3))
    np.testing.assert_array_equal(found[0], alone[0])
    np.testing.assert_array_equal(found[1], alone[1])


@pytest.mark.parametrize("ahead", [1, 3])
def test_no_more_blocks_are_held_than_allowed(model_of, X, ahead):
    taken = given = 0

    def counted():
        nonlocal taken
        for block in cut(X, 2):
            taken += 1
            yield block

    with ThreadPoolExecutor(2) as pool:
        for _ in predict_blocks(model_of("ridge"), counted(), 3, pool, ahead):
            given += 1
            assert taken - given < ahead
    assert given == taken == 13


def test_in_one_process_a_block_is_read_when_it_is_its_turn(model_of, X):
    taken = 0

    def counted():
        nonlocal taken
        for block in cut(X, 2):
            taken += 1
            yield block

    for given, _ in enumerate(predict_blocks(model_of("ridge"), counted(), 3), start=1):
        assert taken == given


@pytest.mark.parametrize("threads", [0, 2])
def test_blocks_before_a_defect_are_predicted(model_of, X, threads):
    def broken():
        yield from cut(slice_rows(X, 0, 20), 5)
        raise DataError("line 21")

    pool = ThreadPoolExecutor(threads) if threads else None
    found = predict_blocks(model_of("ridge"), broken(), 3, pool, 2)
    assert next(found).top.labels.shape == (5, 3)
    with pytest.raises(DataError, match="line 21"):
        list(found)


def test_rows_without_a_known_feature_are_counted_and_predicted(model_of):
    fitted = model_of("blend")
    X = fitted.text.transform(["how pythonword1", "zebra quagga", "", "sqlword2"])
    (found,) = predict_blocks(fitted, [X], 3)
    assert found.unknown == 2
    assert found.top.labels.shape == (4, 3)
    np.testing.assert_array_equal(found.top.labels[1], found.top.labels[2])

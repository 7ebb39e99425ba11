"""Processes that predict: gone with the block, and told of when one is killed."""

import os

import psutil
import pytest

from xcbench.errors import XCBenchError
from xcbench.runner.pool import process_pool


def workers() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if any("popen_loky" in word for word in child.cmdline())
    ]


def use_a_pool_that_is_killed() -> None:
    with process_pool(1) as pool:
        assert pool.submit(pow, 2, 5).result() == 32
        assert workers()
        pool.submit(os._exit, 1).result()


def test_a_killed_process_is_an_error_and_none_is_left():
    with pytest.raises(XCBenchError, match="a worker process was killed"):
        use_a_pool_that_is_killed()
    assert not workers()

"""Processes that predict, for a command that hands them one block of rows after another."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool

from xcbench.errors import XCBenchError
from xcbench.runner.executors.processes import broken, signals_kept_from_children, stop_workers
from xcbench.runner.orphans import end_with_parent


@contextmanager
def process_pool(jobs: int) -> Iterator[Executor]:
    """So many processes, which end with the block and with this process.

    Raises
    ------
    XCBenchError
        A process was killed.
    """
    try:
        with signals_kept_from_children():
            pool = get_reusable_executor(max_workers=jobs, initializer=end_with_parent)
            pool.submit(_begin)  # which starts them all
        yield pool
    except BrokenProcessPool as error:
        raise XCBenchError(broken(error)) from None
    finally:
        stop_workers()


def _begin() -> None:
    import_module("xcbench.inference.stream")

"""Tasks in threads of this process, which share its arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from xcbench.models.base import Task, attempt, values_or_raise

T = TypeVar("T")


class ThreadExecutor:
    """See models.base.Executor; kernels and BLAS let go of the interpreter while they work.

    Parameters
    ----------
    n_jobs : int or None
        Threads, as joblib counts them: None is 1 (or what a surrounding joblib.parallel_config
        says), -1 one a core.

    Notes
    -----
    BLAS has one thread in each, also where there is one thread only: its sums may otherwise differ
    in their last digits from those of ``xcbench run`` and of another number of threads.
    """

    threads = 1

    def __init__(self, n_jobs: int | None) -> None:
        self.jobs = int(effective_n_jobs(n_jobs))

    def map(self, function: Callable[..., T], tasks: Sequence[Task], stage: str) -> list[T]:
        """See Executor.map; the largest tasks begin first."""
        order = sorted(range(len(tasks)), key=lambda index: -tasks[index].cost)
        with threadpool_limits(1):
            outcomes = Parallel(self.jobs, require="sharedmem", batch_size=1)(
                delayed(attempt)(function, tasks[index]) for index in order
            )
        by_task = dict(zip(order, outcomes, strict=True))
        return values_or_raise([by_task[index] for index in range(len(tasks))])

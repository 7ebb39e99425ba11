"""Tasks in threads."""

import threading

import pytest
from joblib import parallel_config
from threadpoolctl import threadpool_info, threadpool_limits

from xcbench.api.threads import ThreadExecutor
from xcbench.errors import TaskError
from xcbench.models.base import Task


@pytest.mark.parametrize("n_jobs", [1, 2, -1, None])
def test_results_are_in_the_order_of_the_tasks(n_jobs):
    tasks = [Task(str(i), (i,), cost) for i, cost in enumerate([1.0, 3.0, 2.0])]
    assert ThreadExecutor(n_jobs).map(lambda i: 10 * i, tasks, "stage") == [0, 10, 20]


def test_the_largest_begins_first():
    begun = []
    tasks = [Task(str(i), (i,), cost) for i, cost in enumerate([1.0, 3.0, 2.0])]
    ThreadExecutor(1).map(begun.append, tasks, "stage")
    assert begun == [1, 2, 0]


def test_two_jobs_work_at_once_in_this_process():
    together = threading.Barrier(2, timeout=10)
    tasks = [Task("a", ()), Task("b", ())]
    assert len(ThreadExecutor(2).map(together.wait, tasks, "stage")) == 2


def test_every_failure_is_named_and_the_others_finish():
    done = []

    def work(i):
        done.append(i)
        if i != 1:
            raise ValueError(f"no {i}")

    tasks = [Task(f"part {i}", (i,)) for i in range(3)]
    with pytest.raises(TaskError, match="part 0: ValueError: no 0; part 2: ValueError: no 2"):
        ThreadExecutor(2).map(work, tasks, "stage")
    assert sorted(done) == [0, 1, 2]


def test_blas_has_one_thread_in_each():
    def threads():
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    with threadpool_limits(2):
        assert threads() == {2}
        assert ThreadExecutor(1).map(threads, [Task("", ())], "stage") == [{1}]


def test_none_is_what_joblib_is_told():
    assert ThreadExecutor(None).jobs == 1
    with parallel_config(n_jobs=3):
        assert ThreadExecutor(None).jobs == 3

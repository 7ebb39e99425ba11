"""Executors: results in the tasks' order, every failure named, the same whatever the processes."""

import logging
import os
import signal

import numpy as np
import psutil
import pytest
from threadpoolctl import threadpool_info

from xcbench.config.schema import ExecutorConfig
from xcbench.errors import TaskError
from xcbench.models.base import Task
from xcbench.runner.executors import InProcessExecutor, LokyExecutor, make_executor
from xcbench.runner.progress import LogProgress


def executor(jobs, threads=1):
    progress = LogProgress()
    return (
        InProcessExecutor(threads, progress) if jobs == 1 else LokyExecutor(jobs, threads, progress)
    )


def tasks(count, cost=lambda i: 1.0):
    return [Task(f"learner {i}, cluster 0", (i,), cost(i)) for i in range(count)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_tasks(jobs):
    def square(i):
        return i * i

    assert executor(jobs).map(square, tasks(7, cost=lambda i: i % 3), "fit") == [
        i * i for i in range(7)
    ]


def test_no_tasks_give_no_results():
    assert executor(1).map(abs, [], "fit") == executor(2).map(abs, [], "fit") == []


def test_the_largest_task_starts_first():
    started = []
    executor(1).map(started.append, tasks(4, cost=lambda i: [1, 5, 3, 5][i]), "fit")
    assert started == [1, 3, 2, 0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_failed_task_is_named_and_the_others_still_run(jobs, tmp_path, caplog):
    def work(i, folder=tmp_path):
        if i in (1, 3):
            raise ValueError(f"bad {i}")
        (folder / str(i)).touch()

    with caplog.at_level(logging.DEBUG, "xcbench"), pytest.raises(TaskError) as caught:
        executor(jobs).map(work, tasks(5), "fit")
    assert str(caught.value) == (
        "learner 1, cluster 0: ValueError: bad 1; learner 3, cluster 0: ValueError: bad 3"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"0", "2", "4"}
    assert "in work" in caplog.text  # The traceback, for the run's log.


def test_a_killed_worker_is_reported_as_such_and_the_next_map_works(tmp_path):
    def die(i):
        if i == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return i

    killed = r"^learner 1, cluster 0: a worker process was killed \(out of memory"
    with pytest.raises(TaskError, match=killed):
        executor(2).map(die, tasks(3), "fit")
    assert executor(2).map(int, tasks(3), "fit") == [0, 1, 2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_has_the_same_number_of_threads(jobs):
    def pools(i):
        import numpy
        from threadpoolctl import threadpool_info

        numpy.ones((2, 2)) @ numpy.ones((2, 2))
        return [pool["num_threads"] for pool in threadpool_info()]

    before = [pool["num_threads"] for pool in threadpool_info()]
    for counts in executor(jobs).map(pools, tasks(2), "fit"):
        assert counts
        assert set(counts) == {1}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_arrays_come_back_bit_equal_from_any_number_of_processes():
    def product(seed):
        import numpy

        matrix = numpy.random.default_rng(seed).standard_normal((60, 60))
        return numpy.linalg.inv(matrix @ matrix.T)

    alone = executor(1).map(product, tasks(4), "fit")
    for jobs in (2, 3):
        for one, many in zip(alone, executor(jobs).map(product, tasks(4), "fit"), strict=True):
            assert np.array_equal(one, many)


def test_one_process_is_this_one():
    pid = executor(1).map(lambda i: os.getpid(), tasks(2), "fit")
    assert set(pid) == {os.getpid()}
    made = make_executor(ExecutorConfig(jobs=1), LogProgress())
    assert (made.backend, made.jobs) == ("inline", 1)
    made = make_executor(ExecutorConfig(jobs=3, threads=2), LogProgress())
    assert (made.backend, made.jobs, made.threads) == ("loky", 3, 2)


def test_processes_started_beforehand_are_the_ones_that_work():
    made = executor(2)
    made.start()
    started = {child.pid for child in psutil.Process().children(recursive=True)}
    assert set(made.map(lambda i: os.getpid(), tasks(4), "fit")) <= started

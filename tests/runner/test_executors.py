"""Executors: results in the tasks' order, every failure named, the same whatever the processes."""

import ast
import logging
import os
import signal
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

import xcbench
from tests.runner.clusters import thread_counts
from xcbench.config.executor import ExecutorConfig
from xcbench.errors import TaskError
from xcbench.models.base import Task
from xcbench.models.memory import Limits
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.executors import InProcessExecutor, LokyExecutor, make_executor
from xcbench.runner.executors.base import largest_first
from xcbench.runner.progress import LogProgress


def executor(jobs, threads=1, checkpoints=None):
    progress = LogProgress()
    if jobs == 1:
        return InProcessExecutor(threads, progress, checkpoints)
    return LokyExecutor(jobs, threads, progress, checkpoints)


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


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_has_the_same_number_of_threads(jobs, threads):
    before = [pool["num_threads"] for pool in threadpool_info()]
    for counts in executor(jobs, threads).map(thread_counts, tasks(2), "fit"):
        assert counts
        assert set(counts) == {threads}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_no_kernel_starts_threads_of_its_own():
    """numba's threads are not among those that threadpoolctl limits."""
    for path in Path(xcbench.__file__).with_name("kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword):
                assert node.arg != "parallel", path
            assert not (isinstance(node, ast.Name) and node.id == "prange"), path
            assert not (isinstance(node, ast.Attribute) and node.attr == "prange"), path


@pytest.mark.parametrize("jobs", [1, 2])
def test_large_values_come_back_equal_by_file(jobs, tmp_path):
    def values(i):
        import numpy

        return {"large": numpy.full((1000, 200), i + 0.5), "small": numpy.arange(i), "text": "x"}

    checkpoints = Checkpoints(tmp_path / "tasks", 120.0, {})
    made = executor(jobs, checkpoints=checkpoints)
    for i, value in enumerate(made.map(values, tasks(4), "fit")):
        assert np.array_equal(value["large"], np.full((1000, 200), i + 0.5))
        assert np.array_equal(value["small"], np.arange(i))
        assert not value["large"].flags.writeable
    assert len(list((tmp_path / "tasks").glob("*/fit-*.task"))) == 4
    checkpoints.close()
    assert not (tmp_path / "tasks").exists()


def test_a_value_that_no_file_takes_comes_back_in_memory(tmp_path):
    (tmp_path / "file").touch()
    checkpoints = Checkpoints(tmp_path / "file" / "no" / "folder", 120.0, {})
    (value,) = executor(1, checkpoints=checkpoints).map(lambda i: np.zeros(10**6), tasks(1), "fit")
    assert value.flags.writeable
    assert value.size == 10**6


def most_at_once(folder):
    """How many tasks ran at the same time, from what each noted of its beginning and end."""
    moments = []
    for path in folder.iterdir():
        start, end = map(float, path.read_text().split())
        moments += [(start, 1), (end, -1)]
    running = np.cumsum([change for _, change in sorted(moments)])
    return int(running.max())


@pytest.mark.parametrize("most", [1, 2])
def test_a_limit_of_memory_bounds_what_runs_at_once(most, tmp_path):
    def work(i, folder=tmp_path):
        import time

        start = time.time()
        time.sleep(0.05)
        (folder / str(i)).write_text(f"{start} {time.time()}")
        return i

    made = executor(3)
    made.limit(Limits(3, {"fit": most}))
    assert made.map(work, tasks(8), "fit") == list(range(8))
    assert most_at_once(tmp_path) <= most


def test_a_limit_takes_no_more_processes_than_it_can_use():
    made = executor(8)
    made.limit(Limits(3, {"fit": 2}))
    assert made.jobs == made.workers == 3


def least_time(costs, processes):
    """No order takes less: the mean, the largest, and two of the largest in one process.

    What ends last is one of those, or begins before the mean and is at most half of the third.
    """
    by_size = sorted(costs, reverse=True)
    pair = sum(by_size[processes - 1 : processes + 1]) if len(costs) > processes else 0.0
    return max(sum(costs) / processes, by_size[0], pair)


@given(costs=st.lists(st.floats(0.1, 100), min_size=1, max_size=80), processes=st.integers(1, 16))
def test_the_order_of_the_tasks_keeps_all_processes_busy_to_the_end(costs, processes):
    """Whoever is free takes the next: the last one ends soon after the first one is idle."""
    order = largest_first([Task(str(i), (), cost) for i, cost in enumerate(costs)], {})
    busy_until = [0.0] * processes
    for index in order:
        first = busy_until.index(min(busy_until))
        busy_until[first] += costs[index]
    assert max(busy_until) <= 1.5 * least_time(costs, processes) * (1 + 1e-9)


def test_the_tail_of_learners_and_clusters_is_short():
    """Ten learners of 300 uneven clusters on 160 processes: under 2 % of the time is waited."""
    sizes = np.random.default_rng(0).lognormal(sigma=0.5, size=3000)
    order = largest_first([Task(str(i), (), cost) for i, cost in enumerate(sizes.tolist())], {})
    busy_until = np.zeros(160)
    for index in order:
        busy_until[np.argmin(busy_until)] += sizes[index]
    assert busy_until.max() < 1.02 * busy_until.mean()


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

"""The executor that notes what stages cost."""

import time

import numpy as np
import pytest

from xcbench.bench.scaling.recorder import RecordingExecutor
from xcbench.errors import TaskError
from xcbench.models.base import InlineExecutor, Task

MEBIBYTES_100 = 100 << 20


def _square(x):
    return x * x


def _sleep(seconds):
    time.sleep(seconds)


def _hold(size):
    held = np.ones(size, np.uint8)
    time.sleep(0.01)
    return int(held[0])


def _fail():
    raise ValueError("no")


def test_results_come_in_the_order_of_the_tasks():
    with RecordingExecutor(InlineExecutor()) as executor:
        found = executor.map(_square, [Task(str(x), (x,)) for x in (3, 1, 2)], "squares")
    assert found == [9, 1, 4]
    assert (executor.jobs, executor.threads) == (1, 1)


def test_times_of_tasks_are_summed_and_within_the_stages():
    with RecordingExecutor(InlineExecutor()) as executor:
        executor.map(_sleep, [Task("a", (0.02,)), Task("b", (0.03,))], "sleep")
    cost = executor.stages["sleep"]
    assert 0.05 <= cost.task_s <= cost.wall_s


def test_memory_is_counted_for_the_stage_that_holds_it():
    # Samples are taken at both ends of a stage and in between, at least one while it sleeps.
    with RecordingExecutor(InlineExecutor()) as executor:
        executor.map(_square, [Task("small", (1,))], "small")
        held = [Task("large", (MEBIBYTES_100,)) for _ in range(30)]
        executor.map(_hold, held, "large")
    small, large = executor.stages["small"], executor.stages["large"]
    assert large.peak_bytes - small.peak_bytes > 0.9 * MEBIBYTES_100
    assert executor.peak_bytes == large.peak_bytes


def test_memory_between_the_stages_counts_for_the_whole():
    with RecordingExecutor(InlineExecutor()) as executor:
        executor.map(_square, [Task("small", (1,))], "small")
        held = np.ones(MEBIBYTES_100, np.uint8)
    assert executor.peak_bytes - executor.stages["small"].peak_bytes > 0.9 * held.nbytes


def test_a_failed_task_stays_a_failure():
    with RecordingExecutor(InlineExecutor()) as executor, pytest.raises(TaskError, match="no"):
        executor.map(_fail, [Task("a", ())], "fail")

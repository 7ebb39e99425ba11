"""Tasks in Slurm jobs, run by submitit on this machine, and by a real Slurm where there is one."""

import shutil
import subprocess
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner.clusters import Dies, Marks, begun, executor_on, thread_counts
from tests.runner.test_executors import least_time
from xcbench.config.schema import ExecutorConfig
from xcbench.errors import TaskError
from xcbench.models.base import Task
from xcbench.runner import elsewhere
from xcbench.runner.elsewhere import ClusterError
from xcbench.runner.executors import slurm as module
from xcbench.runner.executors.slurm import shares

pytest.importorskip("submitit", reason="submitit is not installed (xcbench[cluster])")


@cache
def why_no_slurm():
    if shutil.which("sinfo") is None:
        return "sinfo is not installed"
    found = subprocess.run(["sinfo", "--noheader", "--states=idle,mixed"], capture_output=True)
    if found.returncode:
        return "no Slurm controller answers sinfo"
    return "" if found.stdout.strip() else "no Slurm node is free"


CLUSTERS = ["local", pytest.param("slurm", marks=pytest.mark.slurm)]


@pytest.fixture
def jobs(monkeypatch):
    """Gives the config of a cluster that is looked after closely, or skips the test."""
    monkeypatch.setattr(module, "_LOOK_S", 0.1)
    monkeypatch.setattr(module, "_ASK_S", 1.0)

    def config(cluster, **more):
        if cluster == "slurm" and (why := why_no_slurm()):
            pytest.skip(why)
        return ExecutorConfig(backend="slurm", cluster=cluster, time="10m", **more)

    return config


def tasks(count):
    return [Task(f"task {i}", (i,), cost=float(i)) for i in range(count)]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_job_that_dies_costs_one_attempt_and_its_results_are_the_same(cluster, jobs, tmp_path):
    made, _ = executor_on(jobs(cluster, jobs=1), tmp_path)
    try:
        values = made.map(Dies(tmp_path), tasks(3), "fit")
    finally:
        made.close()
    assert [index for index, _ in values] == [0, 1, 2]
    assert all(np.array_equal(array, np.full(1000, index)) for index, array in values)
    assert {index: len(pids) for index, pids in begun(tmp_path).items()} == {0: 2, 1: 1, 2: 1}
    assert made.workers == 1
    assert made.jobs == 1


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_what_dies_every_time_is_given_up_with_the_last_line_of_its_log(cluster, jobs, tmp_path):
    made, _ = executor_on(jobs(cluster, jobs=2), tmp_path)
    said = r"^task 0: Slurm job \S+ ended: " + ("about to die" if cluster == "local" else "")
    try:
        with pytest.raises(TaskError, match=said):
            made.map(Dies(tmp_path, times=9), tasks(2), "fit")
    finally:
        made.close()
    assert {index: len(pids) for index, pids in begun(tmp_path).items()} == {0: 3, 1: 1}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_failures_and_threads_are_as_anywhere(cluster, jobs, tmp_path):
    def work(index):
        if index == 1:
            raise ValueError("bad 1")
        return thread_counts(index)

    made, _ = executor_on(jobs(cluster, jobs=1, threads=2), tmp_path)
    try:
        with pytest.raises(TaskError, match=r"^task 1: ValueError: bad 1$"):
            made.map(work, tasks(2), "fit")
        for counts in made.map(thread_counts, tasks(1), "again"):
            assert set(counts) == {2}
    finally:
        made.close()
    assert list((tmp_path / "tasks").glob("*.failed")) == []


def test_a_machine_that_cannot_do_the_work_ends_the_job(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(elsewhere, "code_sha256", lambda: "0" * 64)
    made, _ = executor_on(jobs("local", jobs=1), tmp_path)
    try:
        with pytest.raises(ClusterError, match=r"^the code of xcbench on \S+ is not that of this"):
            made.map(Marks(tmp_path), tasks(2), "fit")
    finally:
        made.close()


def test_finished_tasks_are_taken_over_and_stale_failures_are_not(jobs, tmp_path):
    made, _ = executor_on(jobs("local", jobs=1), tmp_path)
    made.map(Marks(tmp_path), tasks(2), "fit")
    made.close()
    (tmp_path / "tasks" / "fit-000001.task").unlink()
    (tmp_path / "tasks" / "fit-000001.failed").write_text("of a killed run")
    made, checkpoints = executor_on(jobs("local", jobs=1), tmp_path)
    values = made.map(Marks(tmp_path), tasks(2), "fit")
    made.close()
    assert [index for index, _ in values] == [0, 1]
    assert checkpoints.resumed_tasks == 1
    assert {index: len(pids) for index, pids in begun(tmp_path).items()} == {0: 1, 1: 2}


def test_a_submission_that_sbatch_refuses_is_one_line(tmp_path, monkeypatch):
    made, _ = executor_on(ExecutorConfig(backend="slurm", jobs=1), tmp_path)

    class Refusing:
        def submit_array(self, calls):
            raise RuntimeError("more\nsbatch: error: invalid partition specified: nowhere")

    monkeypatch.setattr(made, "_submitit", lambda at_once: Refusing())
    with pytest.raises(ClusterError, match=r"^no Slurm job could be submitted: sbatch: error: inv"):
        made.map(Marks(tmp_path), tasks(1), "fit")


def test_a_job_unknown_to_slurm_twice_and_without_a_result_has_ended(tmp_path, monkeypatch):
    made, _ = executor_on(ExecutorConfig(backend="slurm", jobs=1), tmp_path)

    class Paths:
        result_pickle = tmp_path / "never"

    class Job:
        paths = Paths

        def __init__(self, number):
            self.job_id = f"7_{number}"

    made._elements = [module._Element(Job(number), []) for number in range(2)]
    answers = [None, {"7_0"}, None, {"7_0", "7_1"}, {"7_0"}, {"7_0", "8"}]
    monkeypatch.setattr(module, "_ASK_S", -1.0)
    monkeypatch.setattr(module, "_queued", lambda: answers.pop(0))
    ended = [[element.job.job_id for element in made._ended()] for _ in range(6)]
    assert ended == [[], [], [], [], [], ["7_1"]]


def test_closing_cancels_whole_arrays_in_one_call(tmp_path, monkeypatch):
    made, _ = executor_on(ExecutorConfig(backend="slurm", jobs=2), tmp_path)
    calls = []
    monkeypatch.setattr(module.subprocess, "run", lambda command, **options: calls.append(command))

    class Job:
        def __init__(self, job_id):
            self.job_id = job_id

    made._elements = [module._Element(Job(i), []) for i in ("7_0", "7_1", "12", "7_2")]
    made.close()
    made.close()
    assert calls == [["scancel", "12", "7"]]


costs = st.lists(st.floats(0.1, 1000), min_size=1, max_size=60)


@given(costs=costs, count=st.integers(1, 12))
def test_shares_hold_every_task_once_and_the_largest_is_close_to_the_best(costs, count):
    order = sorted(range(len(costs)), key=lambda i: -costs[i])
    dealt = shares(order, costs, count)
    assert sorted(index for share in dealt for index in share) == list(range(len(costs)))
    assert len(dealt) == min(count, len(costs))
    loads = [sum(costs[index] for index in share) for share in dealt]
    assert loads == sorted(loads, reverse=True)
    assert loads[0] <= 1.5 * least_time(costs, count) * (1 + 1e-9)
    for share in dealt:
        assert [costs[i] for i in share] == sorted((costs[i] for i in share), reverse=True)

"""Tasks in Slurm jobs, run by submitit on this machine, and by a real Slurm where there is one."""

import shutil
import subprocess
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runner.clusters import Dies, Marks, begun, executor_on, thread_counts
from tests.runner.test_executors import least_time
from xcbench.config.executor import ExecutorConfig
from xcbench.errors import TaskError
from xcbench.models.base import Task
from xcbench.runner import elsewhere, slurm_queue, task_files
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.elsewhere import ClusterError
from xcbench.runner.executors import slurm as module
from xcbench.runner.executors.slurm import shares
from xcbench.runner.work import do

pytest.importorskip("submitit", reason="submitit is not installed (xcbench[cluster])")


@cache
def why_no_slurm():
    if shutil.which("sinfo") is None:
        return "sinfo is not installed"
    found = None
    command = ["sinfo", "--noheader", "--states=idle,mixed"]
    with suppress(subprocess.TimeoutExpired):  # It would try for long.
        found = subprocess.run(command, capture_output=True, timeout=3)
    if found is None or found.returncode:
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
def test_what_dies_every_time_is_given_up_with_the_last_line_of_its_log(
    cluster, jobs, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "TRIES", 2)
    made, _ = executor_on(jobs(cluster, jobs=2), tmp_path)
    said = r"^task 0: Slurm job \S+ ended: " + ("about to die" if cluster == "local" else "")
    try:
        with pytest.raises(TaskError, match=said):
            made.map(Dies(tmp_path, times=9), tasks(2), "fit")
    finally:
        made.close()
    assert {index: len(pids) for index, pids in begun(tmp_path).items()} == {0: 2, 1: 1}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_failures_and_threads_are_as_anywhere(cluster, jobs, tmp_path):
    def work(index):
        if index == 1:
            raise ValueError("bad 1")
        return thread_counts(index)

    made, checkpoints = executor_on(jobs(cluster, jobs=1, threads=2), tmp_path)
    try:
        with pytest.raises(TaskError, match=r"^task 1: ValueError: bad 1$"):
            made.map(work, tasks(2), "fit")
    finally:
        made.close()
    _, counts = task_files.read(checkpoints.folder / "fit-000000.task")
    assert set(counts) == {2}
    assert list((tmp_path / "tasks").glob("*/*.failed")) == []


def test_a_machine_that_cannot_do_the_work_ends_the_job(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(elsewhere, "code_sha256", lambda: "0" * 64)
    made, _ = executor_on(jobs("local", jobs=1), tmp_path)
    try:
        with pytest.raises(ClusterError, match=r"^the code of xcbench on \S+ is not that of this"):
            made.map(Marks(tmp_path), tasks(2), "fit")
    finally:
        made.close()


def test_finished_tasks_are_taken_over_and_stale_failures_are_not(jobs, tmp_path):
    made, before = executor_on(jobs("local", jobs=1), tmp_path)
    do(made._work(Marks(tmp_path), tasks(2), 0, "fit"))
    (before.folder / "fit-000001.failed").write_text("of a killed run")
    made, checkpoints = executor_on(jobs("local", jobs=1), tmp_path)
    values = made.map(Marks(tmp_path), tasks(2), "fit")
    made.close()
    assert [index for index, _ in values] == [0, 1]
    assert checkpoints.resumed_tasks == 1
    assert {index: len(pids) for index, pids in begun(tmp_path).items()} == {0: 1, 1: 1}


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
    monkeypatch.setattr(module.slurm_queue, "queued", lambda: answers.pop(0))
    ended = [[element.job.job_id for element in made._ended()] for _ in range(6)]
    assert ended == [[], [], [], [], [], ["7_1"]]


def test_no_more_than_jobs_run_at_once_however_many_are_tried_again(tmp_path, monkeypatch):
    """Slurm holds each array to its own bound; here every first attempt at a task dies."""
    made, checkpoints = executor_on(ExecutorConfig(backend="slurm", jobs=3), tmp_path)
    running, arrays, bounds, seen = [], [], [], []

    class Job:
        def __init__(self, job_id, share):
            self.job_id, self.share = job_id, share
            self.paths = Paths(job_id)

    class Paths:
        def __init__(self, job_id):
            self.result_pickle = tmp_path / f"{job_id}.pkl"
            self.stderr = self.stdout = tmp_path / "none"

    class Submitting:
        def __init__(self, at_once):
            self.at_once = at_once

        def submit_array(self, calls):
            number = len(arrays)
            arrays.append([Job(f"{number}_{i}", call) for i, call in enumerate(calls)])
            bounds.append(self.at_once)
            return arrays[-1]

    tried = set()

    def queue():
        """One step of Slurm: those that ran end, each array starts what its bound allows."""
        for job in list(running):
            running.remove(job)
            arrays[int(job.job_id.split("_")[0])].remove(job)
            first = job.share.works[0]
            if first.index in tried:
                for each in job.share.works:
                    do(each)
            tried.add(first.index)
        for array, bound in zip(arrays, bounds, strict=True):
            running.extend(array[:bound])
        seen.append(len(running))
        return {job.job_id for array in arrays for job in array}

    monkeypatch.setattr(made, "_submitit", Submitting)
    monkeypatch.setattr(module, "_LOOK_S", 0)
    monkeypatch.setattr(module, "_ASK_S", -1.0)
    monkeypatch.setattr(module.slurm_queue, "queued", queue)
    made._has_worked = True
    values = made.map(Marks(tmp_path), tasks(12), "fit")
    assert [index for index, _ in values] == list(range(12))
    assert max(seen) == 3
    noted = (checkpoints.folder / "slurm-arrays").read_text().split()
    assert noted == [str(number) for number in range(len(arrays))]


def test_an_element_whose_run_was_replaced_ends_with_the_task_it_is_at(tmp_path):
    made, _ = executor_on(ExecutorConfig(backend="slurm", jobs=1), tmp_path)
    works = [made._work(Marks(tmp_path), tasks(2), index, "fit") for index in range(2)]
    share = module.Share(made._conditions, works)

    class TakesOver(Marks):
        def __call__(self, index):
            Checkpoints(tmp_path / "tasks", 0.0, {"numpy": "3"})
            return super().__call__(index)

    share.works[0] = replace(works[0], function=TakesOver(tmp_path))
    with pytest.raises(FileNotFoundError):
        share()
    assert set(begun(tmp_path)) == {0}
    with pytest.raises(ClusterError):
        share()
    assert set(begun(tmp_path)) == {0}


def test_closing_cancels_whole_arrays_in_one_call(tmp_path, monkeypatch):
    made, _ = executor_on(ExecutorConfig(backend="slurm", jobs=2), tmp_path)
    calls = []
    monkeypatch.setattr(
        slurm_queue.subprocess, "run", lambda command, **options: calls.append(command)
    )

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

"""Tasks on dask workers: the same results, whoever dies; real processes, which are killed."""

import threading

import numpy as np
import pytest

from tests.runner.clusters import (
    DaskCluster,
    Marks,
    begun,
    executor_on,
    free_port,
    thread_counts,
    when,
)
from xcbench.config.executor import ExecutorConfig
from xcbench.errors import TaskError
from xcbench.models.base import Task
from xcbench.runner import elsewhere
from xcbench.runner.checkpoints import NEVER
from xcbench.runner.elsewhere import ClusterError
from xcbench.runner.executors import dask as module

pytest.importorskip("distributed", reason="distributed is not installed (xcbench[cluster])")


@pytest.fixture(scope="module")
def cluster():
    """Two workers."""
    made = DaskCluster(2)
    try:
        made.await_workers()
        yield made
    finally:
        made.stop()


def config(cluster, **more):
    return ExecutorConfig(backend="dask", scheduler=f"tcp://{cluster.address}", **more)


def tasks(count):
    return [Task(f"task {i}", (i,), cost=float(i)) for i in range(count)]


def check(values, count):
    assert [index for index, _ in values] == list(range(count))
    for index, array in values:
        assert np.array_equal(array, np.full(1000, index))
        assert not array.flags.writeable


def test_tasks_run_on_the_workers_and_come_back_in_order_by_file(cluster, tmp_path):
    made, checkpoints = executor_on(config(cluster), tmp_path)
    try:
        check(made.map(Marks(tmp_path), tasks(6), "fit"), 6)
    finally:
        made.close()
    assert (made.backend, made.workers, made.jobs) == ("dask", 2, 1)
    pids = {worker.pid for worker in cluster.workers}
    assert {pid for at in begun(tmp_path).values() for pid in at} <= pids
    assert len(list((tmp_path / "tasks").glob("*/fit-*.task"))) == 6
    checkpoints.close()
    assert (tmp_path / "tasks").exists()


def test_every_task_has_the_same_number_of_threads(cluster, tmp_path):
    for threads in (1, 2):
        made, _ = executor_on(config(cluster, threads=threads), tmp_path)
        try:
            for counts in made.map(thread_counts, tasks(2), f"fit {threads}"):
                assert set(counts) == {threads}
        finally:
            made.close()


def test_a_failed_task_is_named_and_the_others_finish(cluster, tmp_path):
    def work(index):
        if index == 1:
            raise ValueError("bad 1")
        return index

    made, _ = executor_on(config(cluster), tmp_path)
    try:
        with pytest.raises(TaskError, match=r"^task 1: ValueError: bad 1$"):
            made.map(work, tasks(4), "fit")
    finally:
        made.close()
    assert len(list((tmp_path / "tasks").glob("*/fit-*.task"))) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"code_sha256": lambda: "0" * 64}, "the code of xcbench on .* is not that of this machi"),
        (
            {"installed": lambda name: "9.9"},
            "numpy on .* is not that of this machine: .*, 9.9 here",
        ),
        (
            {"_blas": lambda: "openblas 9.9"},
            "BLAS on .* is not that of this machine: .*, openblas 9.9 here",
        ),
    ],
)
def test_other_software_on_a_worker_is_refused(cluster, tmp_path, monkeypatch, change, said):
    for name, value in change.items():
        monkeypatch.setattr(elsewhere, name, value)
    with pytest.raises(ClusterError, match=said):
        executor_on(config(cluster), tmp_path)


def test_folders_that_a_worker_does_not_see_are_named(tmp_path):
    (tmp_path / "software.json").touch()
    (tmp_path / "meta.json").touch()
    elsewhere.Conditions.here(tmp_path, tmp_path).require()
    with pytest.raises(ClusterError, match="the results folder must be on a disk that all machi"):
        elsewhere.Conditions.here(tmp_path / "gone", tmp_path).require()
    with pytest.raises(ClusterError, match="set XCBENCH_CACHE to a folder on a disk that all mach"):
        elsewhere.Conditions.here(tmp_path, tmp_path / "gone").require()


@pytest.fixture
def doomed():
    """Two workers, for a test that kills."""
    made = DaskCluster(2)
    try:
        made.await_workers()
        yield made
    finally:
        made.stop()


def test_a_worker_that_dies_costs_its_task_a_second_attempt_elsewhere(doomed, tmp_path):
    victim = doomed.workers[0]
    made, _ = executor_on(config(doomed), tmp_path)

    def is_at_work():
        return any(victim.pid in pids for pids in begun(tmp_path).values())

    try:
        with when(is_at_work, victim.kill):
            check(made.map(Marks(tmp_path, hangs_in=victim.pid), tasks(6), "fit"), 6)
    finally:
        made.close()
    attempts = [len(pids) for pids in begun(tmp_path).values()]
    assert sorted(attempts) == [1] * 5 + [2]


def test_a_scheduler_that_dies_ends_the_job_and_the_next_one_goes_on(doomed, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LOOK_EVERY_S", 0.5)
    monkeypatch.setattr(module, "_CONNECT_S", 2)
    made, checkpoints = executor_on(config(doomed), tmp_path)
    expected = (
        f"^the dask scheduler at tcp://{doomed.address} no longer answers; 3 of 4 tasks of stage "
        "fit are kept; run this again to go on$"
    )

    def all_but_one_are_done():
        return len(list((tmp_path / "tasks").glob("*/*.task"))) == 3

    with (
        when(lambda: all_but_one_are_done() and 0 in begun(tmp_path), doomed.scheduler.kill),
        pytest.raises(ClusterError, match=expected),
    ):
        made.map(Marks(tmp_path, hangs_at=0), tasks(4), "fit")
    made.close()
    checkpoints.close()
    doomed.stop()
    before = begun(tmp_path)
    again = DaskCluster(1)
    try:
        again.await_workers()
        made, checkpoints = executor_on(config(again), tmp_path)
        check(made.map(Marks(tmp_path), tasks(4), "fit"), 4)
        made.close()
    finally:
        again.stop()
    assert checkpoints.resumed_tasks == 3
    assert {index for index, pids in begun(tmp_path).items() if pids != before[index]} == {0}


def test_a_scheduler_that_is_shut_down_is_noticed_too(doomed, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LOOK_EVERY_S", 0.5)
    monkeypatch.setattr(module, "_CONNECT_S", 2)
    made, _ = executor_on(config(doomed, checkpoint="never"), tmp_path, NEVER)
    with (
        when(lambda: 0 in begun(tmp_path), doomed.scheduler.terminate),
        pytest.raises(
            ClusterError, match=r"no longer answers; \d of 2 tasks .* \(checkpoint: never"
        ),
    ):
        made.map(Marks(tmp_path, hangs_at=0), tasks(2), "fit")
    made.close()


def test_a_task_that_cannot_be_sent_fails_alone_and_says_why(cluster, tmp_path):
    lock = threading.Lock()
    made, _ = executor_on(config(cluster), tmp_path)
    each = [*tasks(2), Task("locked", (lock,))]
    said = r"^locked: it cannot be sent to a dask worker \(TypeError: .*serialize"
    try:
        with pytest.raises(TaskError, match=said):
            made.map(Marks(tmp_path), each, "fit")
    finally:
        made.close()
    assert set(begun(tmp_path)) == {0, 1}


def test_a_task_that_dask_cancels_is_not_laid_to_the_scheduler(cluster, tmp_path):
    made, _ = executor_on(config(cluster), tmp_path)
    submit, futures = made._submit, []
    made._submit = lambda *a, **named: futures.append(submit(*a, **named)) or futures[-1]
    said = r"^dask no longer has task 0 \(.*cancelled.*\); 1 of 2 tasks of stage fit are kept"

    def is_alone():
        return 0 in begun(tmp_path) and len(list((tmp_path / "tasks").glob("*/*.task"))) == 1

    try:
        with (
            when(is_alone, lambda: made._client.cancel(futures, force=True)),
            pytest.raises(ClusterError, match=said),
        ):
            made.map(Marks(tmp_path, hangs_at=0, hangs_s=5), tasks(2), "fit")
    finally:
        made.close()


def test_no_scheduler_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CONNECT_S", 1)
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(ClusterError, match=f"^no dask scheduler answers at {address}"):
        executor_on(ExecutorConfig(backend="dask", scheduler=address), tmp_path)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_cluster_that_cannot_do_the_work_is_refused(tmp_path, workers):
    made = DaskCluster(workers, options=("--nthreads", "2"))
    said = (
        "has no workers" if workers == 0 else "runs 2 tasks at a time; start it with --nthreads 1"
    )
    try:
        made.await_workers()
        with pytest.raises(ClusterError, match=said):
            executor_on(config(made), tmp_path)
    finally:
        made.stop()

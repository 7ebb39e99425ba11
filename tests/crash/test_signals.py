"""Ended by a signal or killed: at once, workers included, and what was finished is not repeated."""

import ctypes
import os
import signal
import time

import psutil
import pytest

from tests.crash import runs
from tests.crash.checks import finish, litter, predictions, rows, wait_for
from xcbench.runner.signals import ended_by_signals

ALWAYS = ("--set", "executor.checkpoint=always")


def at_work(project, seconds, *arguments):
    """A run of two worker processes in the middle of its tasks, and the processes below it."""
    process = runs.start(runs.run_slow_tasks, seconds, project, "one.yaml", *arguments)
    wait_for(lambda: all(pid_of(project, i) for i in (0, 1, 2)))
    return process, psutil.Process(process.pid).children(recursive=True)


def pid_of(project, learner):
    """The process that began a task; 0 before."""
    mark = project / f"task-{learner}"
    words = mark.read_text().split("\n") if mark.exists() else [""]
    return int(words[0] or 0)


def all_gone(processes):
    return not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes)


def marks(project):
    """How often each task was begun."""
    return [len((project / f"task-{i}").read_text().splitlines()) for i in (0, 1, 2)]


@pytest.mark.parametrize(
    ("number", "code", "kill"),
    [
        (signal.SIGINT, 130, os.kill),
        (signal.SIGINT, 130, os.killpg),
        (signal.SIGTERM, 143, os.kill),
        (signal.SIGTERM, 143, os.killpg),
        (signal.SIGHUP, 129, os.killpg),
    ],
    ids=["INT", "INT to all", "TERM", "TERM to all", "HUP to all"],
)
def test_a_signal_ends_the_run_and_its_workers_and_is_recorded(project, number, code, kill):
    process, below = at_work(project, 60)
    kill(process.pid, number)
    process.join(20)
    assert process.exitcode == code
    wait_for(lambda: all_gone(below), 5)
    (row,) = rows(project)
    assert row["status"] == "interrupted"
    assert row["error"].startswith(number.name)
    assert "Traceback" not in (project / "output.txt").read_text()
    assert litter(project) == []


def test_workers_do_not_outlive_a_killed_runner(project):
    process, below = at_work(project, 60)
    assert len(below) >= 2
    os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: all_gone(below), 10)


def test_a_run_inside_one_long_call_of_compiled_code_ends_all_the_same(project):
    process = runs.start(runs.run_compiled_for_minutes, project, "one.yaml", "--jobs", "1")
    wait_for((project / "begun").exists)
    os.kill(process.pid, signal.SIGTERM)
    process.join(20)
    assert process.exitcode == 143
    assert finish(project, "one.yaml") == 0


def test_finished_tasks_of_a_killed_job_are_not_repeated_and_change_nothing(project):
    process, _ = at_work(project, 60, *ALWAYS)
    wait_for(lambda: list((project / "results").glob("runs/tiny/*/.checkpoint/*/*.task")))
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    again = runs.start(runs.run_slow_tasks, 0.0, project, "one.yaml", *ALWAYS)
    again.join(60)
    assert again.exitcode == 0
    assert marks(project) == [2, 2, 1]
    (row,) = rows(project)
    assert (row["status"], row["resumed_tasks"]) == ("done", "1")
    assert litter(project) == []
    fresh = runs.start(runs.run_slow_tasks, 0.0, project, "one.yaml", "--results", "fresh")
    fresh.join(60)
    assert predictions(project, "fresh") == predictions(project)
    assert rows(project, "fresh")[0]["resumed_tasks"] == "0"


def test_a_killed_worker_costs_its_task_a_second_attempt_and_no_more(project):
    process, _ = at_work(project, 4)
    os.kill(pid_of(project, 0), signal.SIGKILL)
    process.join(60)
    assert process.exitcode == 0
    assert (
        "a worker process was killed (out of memory is the usual cause"
        in (project / "output.txt").read_text()
    )
    assert marks(project)[2] == 1
    assert rows(project)[0]["status"] == "done"


@pytest.mark.parametrize(
    ("number", "ends"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)],
    ids=["INT", "TERM"],
)
def test_a_signal_that_a_callback_of_c_code_swallows_is_raised_again(number, ends):
    swallowing = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), number))
    started = time.monotonic()
    with ended_by_signals(lambda: None):
        swallowing()
        with pytest.raises(ends):
            time.sleep(4)
    assert time.monotonic() - started < 3

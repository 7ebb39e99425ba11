"""SIGKILL at any moment: finished jobs stay whole, the rest goes on, no litter stays behind."""

import os
import random
import shutil
import signal
import time
from contextlib import suppress

import yaml

from tests.crash import runs
from tests.crash.checks import (
    check_finished_runs_are_whole,
    finish,
    litter,
    predictions,
    rows,
)


def kill_after(project, seconds, *arguments):
    """Start a run and kill its process group; whether it was still at work."""
    process = runs.start(runs.run, project, *arguments)
    time.sleep(seconds)
    alive = process.is_alive()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    return alive


def times_done(project):
    """How often each run says in its log that it was done."""
    logs = (project / "results" / "runs").glob("*/*/log.txt")
    return {path.parent.name: path.read_text().count(" done in ") for path in logs}


def test_a_sweep_killed_at_30_random_moments_ends_as_one_left_alone(project):
    assert finish(project, "sweep.yaml", "--results", "undisturbed") == 0
    expected = predictions(project, "undisturbed")
    assert len(expected) == 21
    rng, kills, done, force = random.Random(0), 0, 0, []
    while kills < 30:
        kills += kill_after(project, rng.expovariate(1 / 0.2), "sweep.yaml", "--quiet", *force)
        check_finished_runs_are_whole(project)
        done_before, done = done, len(list((project / "results").glob("runs/*/*/result.json")))
        assert done >= done_before
        if done == 21 and not force:  # The rest of the kills meet jobs that are repeated.
            assert max(times_done(project).values()) == 1
            force = ["--force"]
    assert finish(project, "sweep.yaml") == 0
    assert sorted(row["run_id"] for row in rows(project)) == sorted(
        f"tiny/{name}" for name in expected
    )
    assert {row["status"] for row in rows(project)} == {"done"}
    assert predictions(project) == expected
    assert litter(project) == []


def threads_stated(project, name):
    """The threads that a file of the one run says it had."""
    (path,) = (project / "results").glob(f"runs/*/*/{name}")
    stated = yaml.safe_load(path.read_text())
    return stated.get("config", stated)["executor"]["threads"]


def test_a_kill_before_any_file_operation_of_a_repeated_job_loses_nothing(project):
    """Every moment between two operations, one after the other, of ``run --force``."""
    one = ("sweep.yaml", "--set", "sweep.rank=[3]", "--set", "methods=[global]", "--quiet")
    assert finish(project, *one) == 0
    expected = predictions(project)
    pristine, results = project / "pristine", project / "results"
    shutil.copytree(results, pristine)
    other = (
        "--force",
        "--set",
        "executor.threads=2",
    )  # tells this attempt's files from the first's
    for operation in range(1000):
        shutil.rmtree(results)
        shutil.copytree(pristine, results)
        process = runs.start(runs.run_and_die_at, operation, "results", project, *one, *other)
        process.join(60)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        check_finished_runs_are_whole(project)
        assert [row["status"] for row in rows(project)] == ["done"]
        assert finish(project, *one) == 0
        assert predictions(project) == expected
        assert [row["status"] for row in rows(project)] == ["done"]
        assert threads_stated(project, "config.yaml") == threads_stated(project, "result.json")
        assert litter(project) == []
    assert operation > 30

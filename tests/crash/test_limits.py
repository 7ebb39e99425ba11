"""A full disk and a full memory: a clear message, nothing lost, and the rest later."""

import os
import shutil

import pytest

from tests.crash import runs
from tests.crash.checks import finish, litter, predictions, rows, wait_for
from tests.crash.limits import memory_group, mount_small_disk

ALWAYS = ("--set", "executor.checkpoint=always")


def run_on_small_disk(kilobytes, project, *arguments):
    """A run whose results folder is a small disk; what lies there at the end is copied out."""
    results = project / "results"
    results.mkdir(exist_ok=True)
    try:
        mount_small_disk(results, kilobytes)
    except OSError:
        os._exit(77)
    shutil.copytree(project / "before", results, dirs_exist_ok=True)
    try:
        runs.run(project, *arguments)
    finally:
        shutil.copytree(results, project / "after")


def full_disk(project, kilobytes, *arguments):
    (project / "before").mkdir(exist_ok=True)
    process = runs.start(run_on_small_disk, kilobytes, project, *arguments)
    process.join(60)
    if process.exitcode == 77:
        pytest.skip("no small disk can be mounted here")
    return process.exitcode


def test_a_full_disk_stops_the_run_with_one_message_and_keeps_what_is_done(project):
    assert full_disk(project, 400, "sweep.yaml") == 1
    said = (project / "output.txt").read_text()
    assert said.count("error: the results folder results can no longer be written") == 1
    assert "Finished jobs are kept, the rest is still to do: make room and run this again" in said
    assert "Traceback" not in said
    assert "Logging error" not in said
    (project / "results").rmdir()
    (project / "after").rename(project / "results")
    kept = predictions(project)
    assert 0 < len(kept) < 21
    done = [row for row in rows(project) if row["status"] == "done"]
    assert len(done) >= len(kept) - 1
    assert finish(project, "sweep.yaml") == 0
    assert {row["status"] for row in rows(project)} == {"done"}
    assert len(rows(project)) == 21
    assert predictions(project).items() >= kept.items()
    assert litter(project) == []


def test_a_disk_that_is_full_from_the_start_is_refused_before_any_work(project):
    (project / "before").mkdir()
    (project / "before" / "filler").write_bytes(b"x" * 100 * 1024)
    assert full_disk(project, 100, "sweep.yaml") == 2
    assert (
        "the results folder results cannot be written: [Errno 28]"
        in (project / "output.txt").read_text()
    )


def allocate_much_in_learner_0(group, project, *arguments):
    """A run within a memory limit, one of whose tasks asks for far more."""
    with open(group, "w") as procs:
        procs.write(str(os.getpid()))

    def hungry(learner):
        if learner == 0:
            import numpy

            numpy.ones(2**28)  # 2 GiB, written to

    runs.run_model(hungry, project, *arguments)


def test_a_worker_out_of_memory_is_named_and_the_other_tasks_are_kept(project):
    try:
        with memory_group(f"xcbench-test-{os.getpid()}", 2**30) as group:
            process = runs.start(allocate_much_in_learner_0, group, project, "one.yaml", *ALWAYS)
            process.join(120)
            wait_for(lambda: not group.read_text().strip())
    except OSError:
        pytest.skip("no control group can be made here")
    assert process.exitcode == 1
    said = (project / "output.txt").read_text()
    assert "learner 0, cluster 0: a worker process was killed (out of memory is the usual" in said
    assert "Traceback" not in said
    assert [row["status"] for row in rows(project)] == ["failed"]
    kept = sorted(
        path.name for path in project.glob("results/runs/tiny/rxml-*/.checkpoint/*/*.task")
    )
    assert kept == ["completion-000001.task", "completion-000002.task"]
    assert finish(project, "one.yaml", "--retry-failed") == 0


def test_a_memory_error_inside_a_task_says_out_of_memory(project):
    process = runs.start(runs.run_model, allocate_absurdly, project, "one.yaml", "--jobs", "1")
    process.join(60)
    assert process.exitcode == 1
    (row,) = rows(project)
    assert "learner 0, cluster 0: out of memory (Unable to allocate" in row["error"]


def allocate_absurdly(learner):
    import numpy

    numpy.ones(2**50)

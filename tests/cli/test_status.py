"""``xcbench status``: what it says of jobs in every state, and that it only looks."""

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import asdict

import pytest

from xcbench.runner.locks import NOTE, Holder, hold

TWO = "methods: [{preset: rxml, rank: 13}, {preset: sleec, rank: 5}]"
ONE = "method: {preset: sleec, rank: 5}"


@pytest.fixture
def folder(tmp_path):
    """The folder of the one run whose label begins with a text."""

    def find(label):
        (found,) = tmp_path.glob(f"results/runs/tiny/{label}-*")
        return found

    return find


def tree(root):
    """Every path below a folder, and when it was last changed."""
    return {path: path.lstat().st_mtime_ns for path in [root, *root.rglob("*")]}


def leave_as_killed(folder):
    """Make a run's folder what a process that was killed half way leaves."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    note = Holder(ended.pid, socket.gethostname(), "xcbench run c.yaml", "2026-01-01", 0.0)
    for name in (".partial", ".checkpoint/0123456789ab"):
        (folder / name).mkdir(parents=True)
    (folder / NOTE).write_text(json.dumps(asdict(note)))
    for name in ("clusters-000000.task", "clusters-000001.task", "software.json"):
        (folder / ".checkpoint" / "0123456789ab" / name).touch()


def fails(learner):
    raise ValueError("[bold]the cluster\nis cursed")


def test_counts_come_first_and_a_line_for_each_job_that_is_not_done(
    tiny_data, fake_model, xcbench, config
):
    fake_model(fails)
    xcbench("run", config(TWO))
    first, line = xcbench("status").stdout.splitlines()
    assert first == "2 jobs: 1 done, 1 failed"
    assert line.startswith("failed       tiny/rxml-")
    assert "ValueError: [bold]the cluster is cursed" in line


def test_all_lists_the_done_ones_too(tiny_data, fake_model, xcbench, config):
    fake_model()
    xcbench("run", config(TWO))
    assert len(xcbench("status").stdout.splitlines()) == 1
    assert xcbench("status", "--all").stdout.count("done         tiny/") == 2


def test_jobs_not_begun_are_to_do_and_nothing_is_made(tiny_data, xcbench, config, tmp_path):
    asked = xcbench("status", config(TWO), "--set", "seed=3")
    assert asked.exit_code == 0
    assert asked.stdout.startswith("2 jobs: 2 to do\nto do        tiny/rxml-")
    assert not (tmp_path / "results").exists()


def test_with_a_config_only_its_jobs_count(tiny_data, fake_model, xcbench, config):
    fake_model()
    xcbench("run", config(TWO))
    assert xcbench("status", config(ONE, "one.yaml")).stdout == "1 job: 1 done\n"


def test_a_running_job_names_its_process_its_heartbeat_and_how_far_it_is(
    tiny_data, fake_model, xcbench, config, folder
):
    fake_model()
    xcbench("run", config(ONE))
    held = folder("sleec")
    with open(held / "log.txt", "a") as log:
        log.write("2026-01-01 00:00:00 INFO clusters: 3 of 20 tasks, about 5 s left\n")
    with hold(held):
        asked = xcbench("status")
    first, line = asked.stdout.splitlines()
    assert first == "1 job: 1 running"  # Done before, and repeated now.
    assert f"process {os.getpid()} on {socket.gethostname()}, running since " in line
    assert "heartbeat 0 s ago" in line
    assert line.endswith("INFO clusters: 3 of 20 tasks, about 5 s left")
    assert xcbench("status").stdout == "1 job: 1 done\n"


def test_a_killed_job_is_interrupted_and_says_what_is_kept(xcbench, tmp_path):
    leave_as_killed(tmp_path / "results" / "runs" / "tiny" / "rxml-00000000")
    first, line = xcbench("status").stdout.splitlines()
    assert first == "1 job: 1 interrupted"
    assert line.startswith("interrupted  tiny/rxml-00000000  killed, its last heartbeat 0.")
    assert line.endswith("; finished tasks kept: 2")


def test_a_killed_repeat_leaves_a_done_job_done(tiny_data, fake_model, xcbench, config, folder):
    fake_model()
    xcbench("run", config(ONE))
    leave_as_killed(folder("sleec"))
    assert xcbench("status").stdout == "1 job: 1 done\n"


def test_a_job_ended_by_a_signal_says_by_which(tiny_data, fake_model, xcbench, config):
    fake_model(lambda learner: os.kill(os.getpid(), signal.SIGTERM))
    xcbench("run", config(TWO))
    first, line, _ = xcbench("status", config(TWO)).stdout.splitlines()
    assert first == "2 jobs: 1 interrupted, 1 to do"
    assert "  SIGTERM after " in line


def test_missing_data_is_said_and_what_is_known_is_shown(
    tiny_data, fake_model, xcbench, config, tmp_path
):
    fake_model()
    xcbench("run", config(ONE))
    (tiny_data / "tiny").rename(tiny_data / "elsewhere")
    asked = xcbench("status", config(TWO), "--all")
    assert asked.exit_code == 0
    assert "unknown dataset 'tiny'" in asked.stderr
    first, to_do, done = asked.stdout.splitlines()
    assert first == "2 jobs: 1 done, 1 to do"
    assert to_do.split(maxsplit=3)[2:] == ["tiny/rxml", "its data is missing or malformed"]
    assert done.startswith("done         tiny/sleec-")


def test_json_holds_every_job(tiny_data, fake_model, xcbench, config, folder):
    fake_model()
    xcbench("run", config(ONE))
    with hold(folder("sleec")):
        told = json.loads(xcbench("status", config(TWO), "--json").stdout)
    assert told["counts"] == {
        "done": 0, "failed": 0, "interrupted": 0, "running": 1, "to do": 1,
    }  # fmt: skip
    assert [run["state"] for run in told["runs"]] == ["to do", "running"]
    assert told["runs"][1]["holder"]["pid"] == os.getpid()


def test_looking_changes_nothing(tiny_data, fake_model, xcbench, config, tmp_path):
    fake_model(fails)
    xcbench("run", config(TWO))
    leave_as_killed(tmp_path / "results" / "runs" / "tiny" / "x-00000000")
    before = tree(tmp_path / "results")
    xcbench("status")
    xcbench("status", config(TWO), "--set", "seed=1")
    assert tree(tmp_path / "results") == before


def test_a_folder_with_nothing_but_its_lock_is_no_job(xcbench, tmp_path):
    empty = tmp_path / "results" / "runs" / "tiny" / "rxml-00000000"
    empty.mkdir(parents=True)
    (empty / ".lock").touch()
    assert xcbench("status").stdout == "no jobs\n"


def test_2_without_a_results_folder_or_with_an_override_of_nothing(xcbench, tmp_path):
    asked = xcbench("status", "--results", "resutls")
    assert asked.exit_code == 2
    assert "resutls: no such results folder" in asked.stderr
    (tmp_path / "results").touch()
    assert xcbench("status").exit_code == 2
    assert xcbench("status", "--set", "seed=1").exit_code == 2

"""Removing what can be done without, and nothing else."""

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest

from xcbench.errors import LockedError
from xcbench.runner.cleanup import KINDS, find_leftovers, remove_leftover
from xcbench.runner.locks import NOTE, Holder, hold
from xcbench.runner.result import Result
from xcbench.runner.store import ResultStore

RUN = "tiny/rxml-00000000"
DONE = Result(
    run_id=RUN, utc="2026-01-01T00:00:00+00:00", status="done", error="", dataset="tiny",
    config={"method": {"label": "rxml"}, "seed": 0, "splits": [1]}, overrides={},
    config_sha256="c", data_sha256="d", metrics={}, seconds={}, sizes={}, execution={},
    provenance={},
)  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path)


@pytest.fixture(scope="session")
def ended():
    """The pid of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def committed(store, result=DONE):
    folder = store.folder(result.run_id)
    folder.mkdir(parents=True, exist_ok=True)
    partial = store.start(result.run_id)
    (partial / "model").mkdir()
    (partial / "model" / "a.npy").write_bytes(b"x" * 1000)
    (partial / "predictions.npz").write_bytes(b"predictions")
    store.commit(result)
    (folder / "log.txt").write_text("the log\n")
    return folder


def killed(folder, pid):
    """Leave in a run's folder what a killed attempt leaves."""
    for name in (".partial", ".checkpoint"):
        (folder / name).mkdir(parents=True)
    (folder / ".checkpoint" / "clusters-000000.task").write_bytes(b"x" * 100)
    (folder / ".config.yaml.new").touch()
    (folder / ".lock").touch()
    (folder / "log.txt").write_text("the log\n")
    note = Holder(pid, socket.gethostname(), "xcbench run", "2026-01-01", 0.0)
    (folder / NOTE).write_text(json.dumps(asdict(note)))


def names(folder):
    return {path.name for path in folder.iterdir()}


def removed(store, *kinds):
    """Remove all there is of some kinds; gives (kind, name) and the bytes freed."""
    return {
        (leftover.kind, leftover.name): remove_leftover(store, leftover)
        for leftover in list(find_leftovers(store, kinds))
    }


def test_a_finished_run_leaves_nothing_but_its_model(store):
    folder = committed(store)
    (found,) = find_leftovers(store, KINDS)
    assert (found.kind, found.name, found.bytes) == ("models", RUN, 1000)
    assert time.time() - found.changed < 60
    assert removed(store, "models") == {("models", RUN): 1000}
    assert names(folder) == {"config.yaml", "result.json", "predictions.npz", "log.txt", ".lock"}
    assert store.state(RUN) == "done"


def test_the_model_of_a_job_that_is_not_done_is_none_of_a_finished_run(store):
    (committed(store) / "predictions.npz").unlink()
    assert not list(find_leftovers(store, ["models"]))


def test_a_killed_first_attempt_is_cleared_to_its_lock(store, ended):
    folder = store.folder(RUN)
    killed(folder, ended)
    freed = removed(store, "interrupted")
    assert freed[("interrupted", RUN)] > 100
    assert names(folder) == {".lock"}
    assert not list(find_leftovers(store, KINDS))


def test_a_killed_repeat_is_cleared_and_the_result_stays(store, ended):
    folder = committed(store)
    before = names(folder) | {".lock"}
    killed(folder, ended)
    removed(store, "interrupted")
    assert names(folder) == before
    assert store.find(RUN) == DONE


def test_kept_tasks_of_an_interrupted_job_go_and_its_record_stays(store):
    interrupted = replace(DONE, status="interrupted", error="SIGTERM after 2 s")
    folder = committed(store, interrupted)
    (folder / ".checkpoint").mkdir()
    assert set(removed(store, "interrupted")) == {("interrupted", RUN)}
    assert not (folder / ".checkpoint").exists()
    assert store.find(RUN) == interrupted


def test_a_result_that_waits_to_be_put_into_place_is_kept(store):
    folder = committed(store)
    (folder / ".partial").mkdir()
    for name in ("result.json", "predictions.npz", "model"):
        (folder / name).rename(folder / ".partial" / name)
    removed(store, "interrupted")
    assert store.state(RUN) == "done"
    assert {"result.json", "predictions.npz", "model"} <= names(folder)


@pytest.mark.parametrize("outcome", ["result.json", "result.json.damaged", "predictions.npz"])
def test_a_folder_with_a_damaged_or_half_an_outcome_is_not_cleared(store, outcome):
    folder = store.folder(RUN)
    folder.mkdir(parents=True)
    for name in (outcome, "config.yaml", "log.txt", ".checkpoint"):
        (folder / name).write_text("{")
    removed(store, *KINDS)
    assert names(folder) == {outcome, "config.yaml", "log.txt", ".lock"}


def test_what_is_running_is_no_leftover_and_cannot_be_removed(store, ended):
    killed(store.folder(RUN), ended)
    (leftover,) = find_leftovers(store, ["interrupted"])
    with hold(store.folder(RUN)):
        assert not list(find_leftovers(store, ["interrupted"]))
        with pytest.raises(LockedError):
            remove_leftover(store, leftover)
    assert (store.folder(RUN) / ".checkpoint").exists()


def test_a_run_that_was_repeated_since_we_looked_keeps_its_log(store, ended):
    killed(store.folder(RUN), ended)
    (leftover,) = find_leftovers(store, ["interrupted"])
    (store.folder(RUN) / NOTE).unlink()
    folder = committed(store)
    remove_leftover(store, leftover)
    assert {"log.txt", "result.json", "model"} <= names(folder)


def test_logs_of_ended_calls_go_and_those_of_live_ones_stay(store, ended):
    store.logs.mkdir()
    held = store.folder(RUN)
    held.mkdir(parents=True)
    other = Holder(ended + 1, "another host", "xcbench run", "2026-01-01", 0.0)
    (held / NOTE).write_text(json.dumps(asdict(other)))
    now, old = time.time(), time.time() - 7200
    written = {
        f"2026-01-01T000000-{ended}.log": old,
        f"2026-01-02T000000-{ended}.log": now,  # silent for too short a time
        f"2026-01-01T000000-{ended + 1}.log": old,  # of the live holder
        f"2026-01-01T000000-{os.getpid()}.log": now - 1,
        "notes.log": old,
    }
    for name, when in written.items():
        (store.logs / name).write_text("line\n")
        os.utime(store.logs / name, (when, when))
    assert removed(store, "logs") == {("logs", f"2026-01-01T000000-{ended}.log"): 5}
    assert names(store.logs) == set(written) - {f"2026-01-01T000000-{ended}.log"}


def test_a_log_older_than_the_process_of_its_pid_is_of_another(store):
    store.logs.mkdir()
    log = store.logs / f"2020-01-01T000000-{os.getpid()}.log"
    log.touch()
    os.utime(log, (1e9, 1e9))
    assert set(removed(store, "logs")) == {("logs", log.name)}

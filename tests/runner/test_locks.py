"""Locks: one holder at a time, named to whoever comes second, freed however it ends."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from xcbench.errors import LockedError
from xcbench.runner import locks
from xcbench.runner.locks import heartbeat_age, hold, holder_of

HOLDER = """
import sys, time
from pathlib import Path
from xcbench.runner.locks import hold
with hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_holder_is_refused_and_told_who_holds(tmp_path):
    with hold(tmp_path), pytest.raises(LockedError) as caught, hold(tmp_path):
        pass
    text = str(caught.value)
    assert text.startswith(f"{tmp_path.name} is locked by process {os.getpid()} on ")
    assert caught.value.exit_code == 4


def test_the_lock_is_free_after_use_and_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), hold(tmp_path):
        raise RuntimeError
    with hold(tmp_path):
        pass


def test_another_process_is_named_and_its_lock_dies_with_it(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LockedError, match=rf"process {holder.pid} on "), hold(tmp_path):
            pass
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    assert holder_of(tmp_path) is None
    with hold(tmp_path):
        pass
    assert not (tmp_path / ".holder.json").exists()


def note_of_another_host(folder, age):
    about = {"pid": 1, "host": "elsewhere", "command": "xcbench run", "since": "", "started": 0.0}
    note = folder / ".holder.json"
    note.write_text(json.dumps(about))
    os.utime(note, (time.time() - age,) * 2)


def test_a_fresh_note_of_another_host_is_respected_where_its_lock_does_not_reach(tmp_path):
    note_of_another_host(tmp_path, age=30)
    with pytest.raises(LockedError, match=r"process 1 on elsewhere.* \(heartbeat 30 s ago\)"):
        hold(tmp_path).__enter__()
    assert (tmp_path / ".holder.json").exists()


def test_an_old_note_of_another_host_is_taken_over(tmp_path):
    note_of_another_host(tmp_path, age=3600)
    with hold(tmp_path):
        assert holder_of(tmp_path).pid == os.getpid()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', "null"])
def test_a_torn_note_does_not_keep_anybody_out(tmp_path, text):
    (tmp_path / ".holder.json").write_text(text)
    with hold(tmp_path):
        pass


def test_a_later_process_of_the_same_pid_is_not_the_holder(tmp_path):
    with hold(tmp_path):
        note = tmp_path / ".holder.json"
        holder = json.loads(note.read_text())
        assert holder_of(tmp_path).command == holder["command"]
        note.write_text(json.dumps(holder | {"started": holder["started"] - 60}))
        assert holder_of(tmp_path) is None


def test_the_heart_beats_while_the_run_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "HEARTBEAT_S", 0.01)
    assert heartbeat_age(tmp_path) == float("inf")
    with hold(tmp_path):
        os.utime(tmp_path / ".holder.json", (0, 0))
        end = time.monotonic() + 10
        while heartbeat_age(tmp_path) > 5:
            assert time.monotonic() < end
            time.sleep(0.01)

"""Locks: one holder at a time, named to whoever comes second, freed however it ends."""

import os
import signal
import subprocess
import sys

import pytest

from xcbench.errors import LockedError
from xcbench.runner.locks import hold

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
    with hold(tmp_path):
        pass

    assert not (tmp_path / ".holder.json").exists()

"""Processes that predict: gone with the block, and told of when one is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from xcbench.errors import XCBenchError
from xcbench.runner.pool import process_pool


def workers() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if any("popen_loky" in word for word in child.cmdline())
    ]


def use_a_pool_that_is_killed() -> None:
    with process_pool(1) as pool:
        assert pool.submit(pow, 2, 5).result() == 32
        assert workers()
        pool.submit(os._exit, 1).result()


def test_a_killed_process_is_an_error_and_none_is_left():
    with pytest.raises(XCBenchError, match="a worker process was killed"):
        use_a_pool_that_is_killed()
    assert not workers()


BLOCKED = """
import psutil
from pathlib import Path
from xcbench.runner.pool import process_pool
if __name__ == "__main__":
    with process_pool(2):
        for child in psutil.Process().children(recursive=True):
            lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
            print(next(line.split()[1] for line in lines if line.startswith("SigBlk")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_no_process_takes_the_signals_of_the_terminal_from_its_very_start(tmp_path):
    """In a new process, where the trackers of Python and of loky are still to be started."""
    (tmp_path / "a.py").write_text(BLOCKED)
    done = subprocess.run([sys.executable, tmp_path / "a.py"], capture_output=True, text=True)
    masks = [int(line, 16) for line in done.stdout.split()]
    assert len(masks) >= 2, done.stderr
    kept = 1 << (signal.SIGINT - 1) | 1 << (signal.SIGHUP - 1)
    assert all(mask & kept == kept for mask in masks)

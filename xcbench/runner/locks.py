"""One writer a run: a lock file in its folder, and a note of who holds it.

The lock is flock's: the system frees it when its holder ends, however it ends.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from xcbench.errors import LockedError
from xcbench.runner.files import write_atomic


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the run's folder, or say at once who does.

    Raises
    ------
    LockedError
        Names the holder's pid, host, command and since when.
    """
    note = folder / ".holder.json"
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise LockedError(f"{folder.name} is locked by {_described(note)}") from None
    try:
        holder = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "command": shlex.join(sys.argv),
            "since": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        write_atomic(note, json.dumps(holder))
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _described(note: Path) -> str:
    try:
        holder = json.loads(note.read_text(encoding="utf-8"))
        return (
            f"process {holder['pid']} on {holder['host']}, running since {holder['since']}: "
            f"{holder['command']}"
        )
    except (OSError, ValueError, KeyError):
        return "another process (it has not yet said which)"

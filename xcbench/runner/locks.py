"""One writer a run: a lock file in its folder, and a note of who holds it.

The lock is flock's: the system frees it when its holder ends, however it ends. The note beside it
(``.holder.json``) names the holder, and its time of change is the holder's heartbeat. It tells who
is running without touching the lock, and guards folders shared by hosts whose flock does not reach
each other (NFS mounted without locks): a fresh note of another host is respected.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from xcbench.errors import LockedError
from xcbench.runner.files import write_atomic

NOTE = ".holder.json"
HEARTBEAT_S = 10.0
# A holder on another host is believed for this long after its last heartbeat.
STALE_S = 90.0


@dataclass(frozen=True)
class Holder:
    """Who holds a run.

    Attributes
    ----------
    pid, host, command : of the process.
    since : str
        When it took the run, ISO 8601.
    started : float
        When the process began (seconds since 1970), to tell it from a later one of the same pid.
    """

    pid: int
    host: str
    command: str
    since: str
    started: float

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, running since {self.since}: {self.command}"


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the run's folder, or say at once who does; a dead holder's lock is free.

    Raises
    ------
    LockedError
        Names the holder's pid, host, command and since when.
    """
    note = folder / NOTE
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise LockedError(f"{folder.name} is locked by {_named(note)}") from None
    try:
        _respect_other_hosts(folder)
        with _noted(note):
            yield
    finally:
        lock.release()


def _respect_other_hosts(folder: Path) -> None:
    other = holder_of(folder)
    if other is not None and other.host != socket.gethostname():
        beat = f"heartbeat {heartbeat_age(folder):.0f} s ago"
        raise LockedError(f"{folder.name} is locked by {other} ({beat})")


@contextmanager
def _noted(note: Path) -> Iterator[None]:
    """Say who holds, with a heartbeat, for as long as it does."""
    stop = threading.Event()
    write_atomic(note, json.dumps(asdict(_this_process())))
    threading.Thread(target=_beat, args=(note, stop), name="heartbeat", daemon=True).start()
    try:
        yield
    finally:
        stop.set()
        note.unlink(missing_ok=True)


def holder_of(folder: Path) -> Holder | None:
    """The live holder of a run's folder; None when there is none, or it died."""
    holder = _read(folder / NOTE)
    if holder is None:
        return None
    if holder.host == socket.gethostname():
        return holder if _is_alive(holder) else None
    return holder if heartbeat_age(folder) < STALE_S else None


def heartbeat_age(folder: Path) -> float:
    """Seconds since the holder's last heartbeat; infinite without one."""
    try:
        return max(0.0, time.time() - (folder / NOTE).stat().st_mtime)
    except OSError:
        return float("inf")


def _this_process() -> Holder:
    return Holder(
        os.getpid(),
        socket.gethostname(),
        shlex.join(sys.argv),
        datetime.now().astimezone().isoformat(timespec="seconds"),
        psutil.Process().create_time(),
    )


def _is_alive(holder: Holder) -> bool:
    try:
        return abs(psutil.Process(holder.pid).create_time() - holder.started) < 1
    except psutil.Error:
        return False


def _beat(note: Path, stop: threading.Event) -> None:
    while not stop.wait(HEARTBEAT_S):
        with suppress(OSError):
            os.utime(note)


def _read(note: Path) -> Holder | None:
    try:
        return Holder(**json.loads(note.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _named(note: Path) -> str:
    return str(_read(note) or "another process (it has not yet said which)")

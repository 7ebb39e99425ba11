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
from functools import cache
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from xcbench.errors import LockedError

NOTE = ".holder.json"
HEARTBEAT_S = 10.0
# A holder on another host is believed for this long after its last heartbeat.
STALE_S = 90.0
_SAME_START_S = 30.0  # the start of a process is stated by a clock that is put right now and then


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
    machine : str
        Where the pid means something: this boot of this kernel, this container.
    """

    pid: int
    host: str
    command: str
    since: str
    started: float
    machine: str = ""

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
        with _noted(folder):
            yield
    finally:
        lock.release()


@contextmanager
def _noted(folder: Path) -> Iterator[None]:
    """Say who holds, with a heartbeat, for as long as it does; respect one who holds elsewhere."""
    note, stop = folder / NOTE, threading.Event()
    other = holder_of(folder)
    if other is not None and not _is_of_this_machine(other):
        beat = f"heartbeat {heartbeat_age(folder):.0f} s ago"
        raise LockedError(f"{folder.name} is locked by {other} ({beat})")
    note.unlink(missing_ok=True)
    try:
        # Of two hosts that get here at once, one finds the file made by the other.
        with open(note, "x", encoding="utf-8") as file:
            file.write(json.dumps(asdict(_this_process())))
    except FileExistsError:
        raise LockedError(f"{folder.name} is locked by {_named(note)}") from None
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
    if _is_of_this_machine(holder):
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
        _machine(),
    )


@cache
def _machine() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()} {boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def _is_of_this_machine(holder: Holder) -> bool:
    # Notes of an earlier xcbench do not state the machine.
    return holder.machine in ("", _machine()) and holder.host == socket.gethostname()


def _is_alive(holder: Holder) -> bool:
    try:
        found: bool = abs(psutil.Process(holder.pid).create_time() - holder.started) < _SAME_START_S
        return found
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

"""The cache folder from outside: what it holds, who uses it, and what may be thrown away.

A prepared split is built in a work folder under a lock, so whoever gets the lock knows that a work
folder found there was left by a killed process. A process that has a split open shares a lock on
its ``meta.json``; what no process has open can be removed and is built again when it is needed.
All of these locks are flock's: the system frees them however their holder ends.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from xcbench.errors import ConfigError

# What another host left: our lock may not reach it, and a live build is never that slow.
_ABANDONED_AFTER_S = 24 * 3600
# .NAME@HOST, NAME that of the folder it becomes; versions before wrote no host.
_WORK = re.compile(r"\.([^@]+)(@.+)?")


@dataclass(frozen=True)
class CacheItem:
    """Something in the cache.

    Attributes
    ----------
    kind : str
        prepared: a split, built again when needed. leftover: what a killed process left.
        digests: the remembered SHA-256 of source files, as a whole.
    path : Path
    n_bytes : int
    in_use : bool
        Whether a process has it open or is building it.
    """

    kind: Literal["prepared", "leftover", "digests"]
    path: Path
    n_bytes: int
    in_use: bool


def default_cache_root() -> Path:
    """$XCBENCH_CACHE, else $XDG_CACHE_HOME/xcbench, else ~/.cache/xcbench."""
    if own := os.environ.get("XCBENCH_CACHE"):
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "xcbench"


def cache_contents(root: Path) -> list[CacheItem]:
    """Everything in the cache, by path; nothing is changed."""
    prepared = root / "prepared"
    items = []
    for folder in sorted(prepared.iterdir()) if prepared.is_dir() else ():
        if folder.is_dir():
            left = _WORK.fullmatch(folder.name)
            in_use = _is_built_in(folder) if left else _is_open(folder)
            items.append(
                CacheItem("leftover" if left else "prepared", folder, _size(folder), in_use)
            )
    if (digests := root / "digests").is_dir():
        items.append(CacheItem("digests", digests, _size(digests), False))
    return items


def clear_cache(root: Path) -> list[CacheItem]:
    """Remove everything no process uses; what was removed.

    Raises
    ------
    ConfigError
        Something cannot be removed.
    """
    remove = {"prepared": _remove_prepared, "leftover": _remove_leftover, "digests": _remove_notes}
    removed = []
    for item in cache_contents(root):
        try:
            if not item.in_use and remove[item.kind](item.path):
                removed.append(item)
        except OSError as error:
            raise ConfigError(f"{item.path}: cannot be removed ({error.strerror})") from None
    return removed


def remove_leftovers(root: Path) -> None:
    """Remove what killed processes left of prepared data; quick, and quiet where it may not."""
    with suppress(OSError):
        for folder in (root / "prepared").iterdir():
            if folder.is_dir() and _WORK.fullmatch(folder.name):
                _remove_leftover(folder)


def lock_of(folder: Path) -> Path:
    """The lock file under which a prepared split is built or removed.

    It is empty and stays: were it removed, two processes could hold two files of that name.
    """
    return folder.with_name(f".{folder.name}.lock")


def work_folder(folder: Path) -> Path:
    """Where a prepared split is built; the same for every process of this host."""
    return folder.with_name(f".{folder.name}@{_host()}")


def share(path: Path) -> int:
    """Open a file of a prepared split and say that it is in use, until the descriptor is closed.

    Raises
    ------
    OSError
        It is not there, or is being removed.
    """
    descriptor = os.open(path, os.O_RDONLY)
    with suppress(OSError):  # without locks nobody can ask whether it is in use either
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # waits, but only for a removal to end
    if os.fstat(descriptor).st_nlink == 0:
        os.close(descriptor)
        raise FileNotFoundError(path)
    return descriptor


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname())


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Whether nobody builds or removes a prepared split; nobody can meanwhile."""
    lock = FileLock(lock_of(folder), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _is_abandoned(work: Path) -> bool:
    """Whether a work folder no lock protects has no builder."""
    is_ours = work.name.endswith(f"@{_host()}")
    return is_ours or time.time() - work.stat().st_mtime > _ABANDONED_AFTER_S


def _built(work: Path) -> Path:
    """The prepared split a work folder was to become."""
    return work.with_name(str(_WORK.fullmatch(work.name)[1]))  # type: ignore[index]


def _is_built_in(work: Path) -> bool:
    with suppress(OSError), _locked(_built(work)) as free:
        return not (free and _is_abandoned(work))
    return True


def _remove_leftover(work: Path) -> bool:
    with _locked(_built(work)) as free:
        removable = free and _is_abandoned(work)
        if removable:
            shutil.rmtree(work)
        return removable


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Whether no process has a prepared split open; none can open it meanwhile."""
    try:
        descriptor = os.open(folder / "meta.json", os.O_RDWR)
    except FileNotFoundError:
        yield True  # damaged: nobody can open it
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(descriptor)


def _is_open(folder: Path) -> bool:
    with suppress(OSError), _alone(folder) as alone:
        return not alone
    return True


def _remove_prepared(folder: Path) -> bool:
    with _locked(folder) as free, _alone(folder) as alone:
        if free and alone:
            shutil.rmtree(folder)
        return free and alone


def _remove_notes(folder: Path) -> bool:
    shutil.rmtree(folder)
    return True


def _size(folder: Path) -> int:
    size = 0
    with suppress(OSError):  # It may vanish while we look.
        for path in folder.rglob("*"):
            with suppress(OSError):
                size += path.stat().st_size if path.is_file() else 0
    return size

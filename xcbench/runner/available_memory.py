"""How much memory a job may still take: what the machine has free, and what the cgroup allows.

A container or a batch job (Slurm, systemd) is held to its cgroup's limit whatever the machine has,
and is killed beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import psutil


class _Files(NamedTuple):
    """Names in a cgroup's folder; ``cached`` are the entries of memory.stat that can be dropped."""

    limit: str
    usage: str
    cached: tuple[str, str]


_V2 = _Files("memory.max", "memory.current", ("inactive_file", "active_file"))
_V1 = _Files(
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    ("total_inactive_file", "total_active_file"),
)


def available_memory(root: Path = Path("/")) -> int:
    """Bytes that can be taken without swapping or exceeding a limit.

    The smaller of what psutil calls available and what is left below the memory limit of this
    process's cgroup and of every cgroup above it, version 1 or 2. Files in the page cache count as
    available, as they do for psutil. A limit that cannot be read is taken as none.

    Parameters
    ----------
    root : Path
        Folder with ``proc`` and ``sys``.
    """
    found: int = min([psutil.virtual_memory().available, *_left_in_cgroups(root)])
    return found


def _left_in_cgroups(root: Path) -> Iterator[int]:
    for folder, files in _cgroups(root):
        limit, usage = _number(folder / files.limit), _number(folder / files.usage)
        if limit is not None and usage is not None:
            yield max(0, limit - max(0, usage - _cached(folder, files)))


def _cgroups(root: Path) -> Iterator[tuple[Path, _Files]]:
    """This process's memory cgroups, each with those above it up to the mount.

    In a container the path that ``/proc`` states may be the host's and not be there; the mount
    itself is then the container's own.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            mount, files = root / "sys/fs/cgroup", _V2
        elif "memory" in controllers.split(","):
            mount, files = root / "sys/fs/cgroup/memory", _V1
        else:
            continue
        below = PurePosixPath(path.lstrip("/"))
        if ".." in below.parts:  # outside the container's own tree
            below = PurePosixPath()
        for group in (below, *below.parents):
            yield mount / group, files


def _number(path: Path) -> int | None:
    """The number in a file; None for "max" (no limit) and for what cannot be read."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _cached(folder: Path, files: _Files) -> int:
    try:
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return 0
    entries = (line.split() for line in lines)
    return sum(int(entry[1]) for entry in entries if len(entry) == 2 and entry[0] in files.cached)

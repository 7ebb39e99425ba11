"""A small disk and a small memory, where the system lets a test have them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLONE_NEWNS, _MS_REC, _MS_PRIVATE = 0x00020000, 0x4000, 0x40000


def mount_small_disk(folder: Path, kilobytes: int) -> None:
    """Mount a tmpfs of this size on a folder, for this process and its children only.

    Raises
    ------
    OSError
        Not allowed here.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"size={kilobytes}k".encode()
    if (
        libc.unshare(_CLONE_NEWNS)
        or libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
        or libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, options)
    ):
        raise OSError(ctypes.get_errno(), "no mount")


@contextmanager
def memory_group(name: str, limit: int) -> Iterator[Path]:
    """A control group (v1 or v2) whose processes together may hold ``limit`` bytes.

    Yields
    ------
    Path
        The file to write a process id to.

    Raises
    ------
    OSError
        Not allowed here.
    """
    v1 = Path("/sys/fs/cgroup/memory")
    root, files = (
        (v1, {"memory.limit_in_bytes": limit, "memory.memsw.limit_in_bytes": limit})
        if v1.is_dir()
        else (Path("/sys/fs/cgroup"), {"memory.max": limit, "memory.swap.max": 0})
    )
    group = root / name
    group.mkdir()
    try:
        for file, value in files.items():
            if (group / file).exists():
                (group / file).write_text(str(value))
        yield group / "cgroup.procs"
    finally:
        group.rmdir()

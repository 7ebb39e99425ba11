"""Unpacking an archive from a stranger: into one folder, within limits, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path, PurePosixPath

from xcbench.data.fetch.members import (
    LARGEST_READ,
    Limits,
    Member,
    UnsafeArchiveError,
    members,
    reading,
    require_archive,
)
from xcbench.data.fetch.progress import shown_bytes
from xcbench.errors import DataError


def extract(archive: Path, folder: Path, limits: Limits | None = None) -> None:
    """Unpack a zip or tar archive (plain, gzip, bzip2, xz; told by its bytes) into an empty folder.

    Only plain files and folders are made, with the modes of the umask. The caller removes the
    folder if this raises.

    Raises
    ------
    UnsafeArchiveError
        A member leaves the folder, is a link or a device, comes twice, or the archive is a bomb.
    DataError
        It is no archive, damaged or encrypted.
    OSError
        The folder cannot be written, or the disk is too small.
    """
    require_archive(archive)
    budget = _Budget(archive, folder, limits or Limits())
    names = _Names(archive)
    for member in members(archive, budget.limits):
        budget.require(member)
        if member.is_junk or member.path == PurePosixPath("."):
            continue
        names.require(member)
        target = folder / member.path
        if member.is_folder:
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(archive, member, target)


class _Budget:
    """Counts members and bytes before a byte of them is written."""

    def __init__(self, archive: Path, folder: Path, limits: Limits) -> None:
        self.limits = limits
        self._archive = archive
        self._packed = archive.stat().st_size
        self._free = shutil.disk_usage(folder).free
        self._count = self._total = 0

    def require(self, member: Member) -> None:
        limits, name = self.limits, member.name
        self._count += 1
        self._total += member.size
        if self._count > limits.members:
            self._refuse(f"more than {limits.members} members")
        if member.size > limits.member:
            self._refuse(
                f"member {name!r} of {member.size} bytes, at most {limits.member} expected"
            )
        if self._total > limits.total:
            self._refuse(f"unpacks to more than {limits.total} bytes")
        packed = self._packed if member.packed is None else member.packed
        # Beside the member's own ratio the archive's: members of a zip can share their bytes.
        for unpacked, size in ((member.size, packed), (self._total, self._packed)):
            if unpacked > max(limits.ratio * size, limits.ratio_floor):
                self._refuse(
                    f"member {name!r} unpacks more than {limits.ratio}-fold, as a bomb does"
                )
        if self._total > self._free:
            need = f"needs {shown_bytes(self._total)} or more, {shown_bytes(self._free)} are free"
            raise OSError(errno.ENOSPC, f"the disk is too small: unpacking {need}")

    def _refuse(self, reason: str) -> None:
        raise UnsafeArchiveError(f"{self._archive}: {reason}; nothing of the archive is kept")


class _Names:
    """Sees that no member takes the place of another, on a disk that ignores case either."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def require(self, member: Member) -> None:
        own = str(member.path).lower()
        above = {str(parent).lower() for parent in member.path.parents}
        if own in self._files or self._files & above:
            self._refuse(member)
        if member.is_folder:
            above.add(own)
        else:
            if own in self._folders:
                self._refuse(member)
            self._files.add(own)
        self._folders |= above

    def _refuse(self, member: Member) -> None:
        raise UnsafeArchiveError(
            f"{self._archive}: member {member.name!r} takes the place of another; nothing of the "
            "archive is kept"
        )


def _write(archive: Path, member: Member, target: Path) -> None:
    left = member.size
    with reading(archive):
        source = member.open()
    with source, target.open("xb") as sink:
        while True:
            with reading(archive):
                chunk = source.read(LARGEST_READ)
            if not chunk:
                break
            left -= len(chunk)
            sink.write(chunk)
        sink.flush()
        os.fsync(sink.fileno())  # the rename must not reach the disk before the bytes
    if left:
        raise DataError(f"{archive}: member {member.name!r} is {left} bytes short; get it again")

"""Writing files so that no kill leaves half of one behind."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import TypeGuard

from xcbench.errors import ConfigError, XCBenchError

# The disk's fault, not the job's: what comes after would meet it too.
_STORAGE = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.EFBIG, errno.ENODEV,
}  # fmt: skip


class StorageError(XCBenchError):
    """The results folder can no longer be written; the text says why and what is kept."""


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file (text as UTF-8) under a temporary name beside it, then rename it into place.

    The caller holds the lock of the folder. The temporary name is always the same one on a host, so
    what a killed process left of it is overwritten by the next.
    """
    _write_by_way_of(path.with_name(f".{path.name}@{socket.gethostname()}.new"), path, content)


def write_unlocked(path: Path, content: str | bytes) -> None:
    """Write a file where no lock is held: whole, whoever writes it too; the last one's stays.

    The temporary name is this process's own; a failure removes it, a kill may leave it behind.
    """
    name = f".{path.name}@{socket.gethostname()}-{os.getpid()}.new"
    _write_by_way_of(path.with_name(name), path, content)


def _write_by_way_of(temporary: Path, path: Path, content: str | bytes) -> None:
    try:
        with open(temporary, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync(folder: Path) -> None:
    """Have every file below a folder reach the disk, so that a rename cannot overtake its bytes."""
    for parent, _, names in os.walk(folder):
        for path in [Path(parent), *(Path(parent, name) for name in names)]:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file or a whole folder, there or not."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def require_writable(folder: Path) -> None:
    """Make the folder and prove that files can be made in it, before hours of work.

    Raises
    ------
    ConfigError
        When the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as error:
        raise ConfigError(f"the results folder {folder} cannot be written: {error}") from None


def storage_reason(error: OSError) -> str:
    """Why a disk did not take what was written, in words."""
    if error.errno is None:
        return f"{os.strerror(errno.ENOSPC)}: {error}"
    return str(error)


def is_storage_failure(error: BaseException) -> TypeGuard[OSError]:
    """Whether an error is the disk's: full, over quota, read-only, failing.

    numpy's own writing (``ndarray.tofile``) sets no errno when the disk is full; it states how much
    it wrote.
    """
    if not isinstance(error, OSError):
        return False
    return error.errno in _STORAGE or (error.errno is None and " written" in str(error))

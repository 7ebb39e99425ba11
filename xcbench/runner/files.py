"""Writing files so that no kill leaves half of one behind."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from xcbench.errors import ConfigError


def write_atomic(path: Path, text: str) -> None:
    """Write a text file under a temporary name beside it, then rename it into place."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def require_writable(folder: Path) -> None:
    """Make the folder and prove that files can be made in it, before hours of work.

    Raises
    ------
    ConfigError
        When the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ConfigError(f"the results folder {folder} cannot be written: {error}") from None


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask

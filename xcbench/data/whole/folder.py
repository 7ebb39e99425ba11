"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from xcbench.errors import ConfigError, DataError

Check = Callable[[Path], None]


@contextmanager
def whole_folder(folder: Path, force: bool, require_ours: Check) -> Iterator[Path]:
    """A folder to fill, which gets its name when the block ends well.

    It is filled as ``new`` in a hidden folder beside, ``.NAME-`` and some letters, which is gone
    afterwards; only a process that is killed (SIGKILL, power) leaves that behind, to be removed by
    hand. If it was killed at the very end the folder that was replaced lies there, as ``old``.

    Parameters
    ----------
    folder : Path
        Made, and so are those above it.
    force : bool
        Replace a folder that is there.
    require_ours : callable
        Given a folder that is there: raises ConfigError if it may not be replaced.

    Raises
    ------
    ConfigError
        It is there, and is not to be or cannot be replaced.
    DataError
        It cannot be written.
    """
    require_free(folder, force, require_ours)
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent))
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    fresh, old = work / "new", work / "old"
    try:
        fresh.mkdir()
        yield fresh
        require_free(folder, force, require_ours)  # someone may have come between
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror or error})") from None
    finally:
        if old.exists() and not folder.exists():  # interrupted between the two
            old.rename(folder)
        shutil.rmtree(work, ignore_errors=True)


def require_free(folder: Path, force: bool, require_ours: Check) -> None:
    """Refuse a folder that is there and may not be replaced (see ``whole_folder``)."""
    if not os.path.lexists(folder):
        return
    if not force:
        raise ConfigError(
            f"{folder} is there already; take another name, or replace it with --force"
        )
    if folder.is_symlink() or not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; remove it, or take another name")
    if any(folder.iterdir()):
        require_ours(folder)

"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from xcbench.errors import ConfigError, DataError


@contextmanager
def whole_folder(folder: Path, force: bool, replaceable: Set[str]) -> Iterator[Path]:
    """A folder to fill, which gets its name when the block ends well.

    Parameters
    ----------
    folder : Path
        Made, and so are those above it.
    force : bool
        Replace a folder that is there.
    replaceable : set of str
        The names of files such a folder may hold; another file is somebody else's.

    Raises
    ------
    ConfigError
        It is there, and is not to be or cannot be replaced.
    DataError
        It cannot be written.
    """
    require_free(folder, force, replaceable)
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent))
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    try:
        fresh = work / "new"
        fresh.mkdir()
        yield fresh
        require_free(folder, force, replaceable)  # it took a while: someone may have come between
        if folder.exists():
            folder.rename(work / "old")
        fresh.rename(folder)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def require_free(folder: Path, force: bool, replaceable: Set[str]) -> None:
    """Refuse a folder that is there and may not be replaced (see ``whole_folder``)."""
    if not os.path.lexists(folder):
        return
    if not force:
        raise ConfigError(
            f"{folder} is there already; take another name, or replace it with --force"
        )
    if folder.is_symlink() or not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; remove it, or take another name")
    others = sorted(path.name for path in folder.iterdir() if path.name not in replaceable)
    if others:
        raise ConfigError(
            f"{folder} holds what no conversion made ({others[0]}); remove it, or take another name"
        )

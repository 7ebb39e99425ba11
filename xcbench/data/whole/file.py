"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file that gets its name when the block ends, and is removed if it fails.

    A device or a pipe that has the name is written to, not replaced.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def whole_files(folder: Path) -> Iterator[Path]:
    """A folder to write files into, which are moved to ``folder`` when the block ends.

    It is made if it is not there, and so are those above it; of its files only those of the same
    names are replaced. If the block fails nothing is made or replaced.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as name:
            work = Path(name)
            yield work
            for path in sorted(work.iterdir()):
                os.replace(path, folder / path.name)
    except BaseException:
        for path in made:
            with suppress(OSError):  # it holds something by now, or was not made
                path.rmdir()
        raise

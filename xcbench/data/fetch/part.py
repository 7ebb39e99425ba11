"""The part of a file that has arrived, and the note of which file it is a part of."""

from __future__ import annotations

import errno
import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from xcbench.data.fetch.progress import shown_bytes


@dataclass(frozen=True)
class Version:
    """Which file of the server's.

    Attributes
    ----------
    url : str
        As in the catalogue.
    validator : str or None
        Its strong ETag, else its time of change; None where the server states neither.
    total : int or None
        Its bytes, where the server states them.
    """

    url: str
    validator: str | None
    total: int | None


class Part:
    """``NAME.part`` and ``NAME.part.json`` beside the place the whole file will have.

    Attributes
    ----------
    target : Path
    version : Version or None
        Which file it is a part of; None when there is no part.
    """

    def __init__(self, target: Path, url: str) -> None:
        self.target = target
        self._path = target.with_name(f"{target.name}.part")
        self._note = target.with_name(f"{target.name}.part.json")
        self._url = url
        self._farthest = 0
        self.version = self._known()
        if self.version is None:
            self.discard()

    def _known(self) -> Version | None:
        try:
            version = Version(**json.loads(self._note.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None  # nothing there, or what a killed process wrote half
        return version if version.url == self._url else None

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self._path.stat().st_size if self._path.exists() else 0

    @property
    def farthest(self) -> int:
        """The most bytes there have been since this object was made."""
        self._farthest = max(self._farthest, self.size)
        return self._farthest

    @property
    def is_whole(self) -> bool:
        """Whether no byte is missing, as far as is known."""
        return self.version is not None and self.size == self.version.total

    def discard(self) -> None:
        """Begin again with nothing."""
        self._farthest = self.farthest
        self._path.unlink(missing_ok=True)  # first: a note without a part does no harm
        self._note.unlink(missing_ok=True)
        self.version = None

    def begin(self, version: Version) -> None:
        """Begin a file.

        Raises
        ------
        OSError
            It does not fit on the disk, or the folder cannot be written.
        """
        self.discard()
        free = shutil.disk_usage(self._path.parent).free
        if version.total is not None and version.total > free:
            need = f"needs {shown_bytes(version.total)}, {shown_bytes(free)} are free"
            raise OSError(errno.ENOSPC, f"the disk is too small: the download {need}")
        fresh = self._note.with_name(f"{self._note.name}.new")
        fresh.write_text(json.dumps(asdict(version)), encoding="utf-8")
        os.replace(fresh, self._note)
        self.version = version

    def open(self) -> IO[bytes]:
        """A stream that adds at the end."""
        return self._path.open("ab")

    def finish(self) -> None:
        """Give the whole file its name."""
        with self._path.open("rb") as stream:
            os.fsync(stream.fileno())
        os.replace(self._path, self.target)
        self._note.unlink(missing_ok=True)

"""SHA-256 of files, remembered so that big sources are hashed once and not on every run."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path

from xcbench.errors import DataError

# A file changed twice within one tick of the clock keeps its time; what is younger than this is
# hashed again next time.
_SETTLED_NS = 2_000_000_000


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def remembered_sha256(path: Path, cache_root: Path) -> str:
    """As ``file_sha256``, but a file whose size and time of change are as before is not read.

    Raises
    ------
    DataError
        The file cannot be read.
    """
    path = path.resolve()
    try:
        status = path.stat()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    state = {
        "path": str(path),
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }
    note = cache_root / "digests" / (hashlib.sha256(os.fsencode(path)).hexdigest()[:32] + ".json")
    try:
        known = json.loads(note.read_text())
        if {key: known[key] for key in state} == state:
            return str(known["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no note, or one a killed process or another version left: hash and note again
    digest = file_sha256(path)
    if time.time_ns() - status.st_mtime_ns > _SETTLED_NS:
        with suppress(OSError):  # a cache that cannot be written costs the time, no more
            note.parent.mkdir(parents=True, exist_ok=True)
            # Written in place: a note that a kill cuts short is no JSON, and is written anew.
            note.write_text(json.dumps({**state, "sha256": digest}))
    return digest

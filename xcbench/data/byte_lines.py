"""Plain and gzipped files as blocks of whole lines, in constant memory."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from xcbench.errors import DataError

BLOCK_BYTES = 1 << 20  # a block and what is parsed from it stay in the second-level cache
# A file of NUL bytes, as a full disk leaves, must not fill the memory: what a block is parsed into
# takes up to 38 times its size. So long a row holds two million features.
LONGEST_LINE = 1 << 25
STDIN = Path("-")
READ_ERRORS = (EOFError, OSError, zlib.error)  # of a damaged gzip stream, too

_GZIP = b"\x1f\x8b"
_PACKED = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"(\xb5/\xfd": "a zstd file",
}


class BrokenStream(Exception):
    """The bytes end or turn wrong before the file does; the text is the reason."""


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading; gzip is told by its first bytes, not by its name.

    ``-`` is the standard input.

    Raises
    ------
    DataError
        The file is missing, unreadable, or packed in another way.
    """
    try:
        stream = cast(io.BufferedReader, sys.stdin.buffer if path == STDIN else path.open("rb"))
        start = stream.peek(6)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    if start.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb"))
    for magic, kind in _PACKED.items():
        if start.startswith(magic):
            stream.close()
            raise DataError(
                f"{path}: found {kind}; expected plain or gzipped text, unpack it first"
            )
    return stream


def _fill(stream: BinaryIO, room: memoryview) -> int:
    """Read once; of a gzip stream this gives what is good before the place where it breaks."""
    try:
        found: int = stream.readinto1(room)  # type: ignore[attr-defined]
        return found
    except EOFError:
        raise BrokenStream(
            "the gzip stream ends early; the file is cut short, get it again"
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BrokenStream(_gzip_defect(str(error))) from None
    except OSError as error:
        raise BrokenStream(f"cannot be read further ({error.strerror})") from None


def same_text(first: Path, second: Path) -> bool:
    """Whether two files, plain or gzipped, hold the same bytes; a damaged one holds none."""
    with open_bytes(first) as ours, open_bytes(second) as theirs:
        try:
            while True:
                block = ours.read(BLOCK_BYTES)
                if block != theirs.read(BLOCK_BYTES):
                    return False
                if not block:
                    return True
        except READ_ERRORS:
            return False


def _gzip_defect(reason: str) -> str:
    if reason.startswith("Not a gzipped file"):
        return "the gzip stream is followed by other bytes; the file is damaged, get it again"
    if reason.startswith(("CRC check failed", "Incorrect length")):
        reason = "its checksum is wrong"
    return f"the gzip stream is corrupt ({reason}); get the file again"


def place_after(n_lines: int) -> str:
    """Where a stream breaks, for a message: after so many whole lines."""
    return f"after line {n_lines}" if n_lines else "line 1"


def whole_lines(path: Path, block_bytes: int = BLOCK_BYTES) -> Iterator[np.ndarray]:
    """Yield the file as uint8 arrays that end in a newline, the last one added if missing.

    An array is valid until the next one is asked for. Memory: one block, or twice the longest
    line if that is more.

    Raises
    ------
    DataError
        The file cannot be opened.
    BrokenStream
        It cannot be read to its end.
    """
    with open_bytes(path) as stream:
        buffer = bytearray(block_bytes)
        held = 0
        while True:
            if held == len(buffer) - 1:
                if len(buffer) >= LONGEST_LINE:
                    raise BrokenStream(f"found {held} bytes without a newline; the file is damaged")
                buffer = buffer + bytearray(len(buffer))
            # The last byte stays free for a missing final newline.
            n_read = _fill(stream, memoryview(buffer)[held:-1])
            if n_read == 0:
                break
            end = buffer.rfind(b"\n", held, held + n_read) + 1
            held += n_read
            if end:
                yield np.frombuffer(buffer, np.uint8, count=end)
                buffer[: held - end] = buffer[end:held]
                held -= end
        if held:
            buffer[held] = ord("\n")
            yield np.frombuffer(buffer, np.uint8, count=held + 1)

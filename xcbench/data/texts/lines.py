"""The lines of a UTF-8 text, plain or gzipped or on standard input, with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from xcbench.data.byte_lines import LONGEST_LINE, READ_ERRORS, STDIN, open_bytes
from xcbench.errors import DataError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class TextLines:
    """The lines of a file as text, with their ends; ``number`` is that of the last one given."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self._ahead: list[str] = []
        self._source = self._decoded()

    def __str__(self) -> str:
        return "standard input" if self.path == STDIN else str(self.path)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._ahead:
            return self._ahead.pop()
        return next(self._source)

    def peek(self) -> str:
        """The next line, which stays the next; empty at the end."""
        line = next(self, "")
        if line:
            self._ahead.append(line)
        return line

    def fail(self, reason: str) -> DataError:
        return DataError(f"{self}, line {max(self.number, 1)}: {reason}")

    def _decoded(self) -> Iterator[str]:
        for raw in self._raw():
            self.number += 1
            if self.number == 1:
                if raw.startswith(_UTF16):
                    raise self.fail("found UTF-16 text; expected UTF-8, save the file as that")
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if b"\0" in raw:
                raise self.fail("found a NUL byte; expected text, the file is damaged")
            try:
                yield raw.decode()
            except UnicodeDecodeError as error:
                raise self.fail(
                    f"found the byte 0x{raw[error.start]:02x} (byte {error.start + 1} of the "
                    "line), which is not UTF-8 text; save the file as UTF-8"
                ) from None

    def _raw(self) -> Iterator[bytes]:
        with open_bytes(self.path) as stream:
            yield from self._from(stream)

    def _from(self, stream: BinaryIO) -> Iterator[bytes]:
        try:
            while raw := stream.readline(LONGEST_LINE):
                if len(raw) == LONGEST_LINE:
                    raise self.fail(f"more than {LONGEST_LINE} bytes without a line break")
                yield raw
        except READ_ERRORS as error:
            raise DataError(
                f"{self}, after line {self.number}: cannot be read further ({error})"
            ) from None

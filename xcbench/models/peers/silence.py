"""Keeps compiled libraries from writing to the terminal and into piped output."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def silenced() -> Iterator[None]:
    """Send what is written to the descriptors 1 and 2 nowhere.

    Compiled code writes there past Python. What Python has buffered is written out first; a stream
    that was closed is closed again afterwards.
    """
    _flush()
    kept = {descriptor: _copy(descriptor) for descriptor in (1, 2)}
    sink = os.open(os.devnull, os.O_WRONLY)
    for descriptor in kept:
        if descriptor != sink:
            os.dup2(sink, descriptor)
    if sink not in kept:
        os.close(sink)
    try:
        yield
    finally:
        _flush()
        for descriptor, copy in kept.items():
            if copy is None:
                os.close(descriptor)
            else:
                os.dup2(copy, descriptor)
                os.close(copy)


def _copy(descriptor: int) -> int | None:
    """A copy above the standard descriptors; None of one that is closed."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError:
        return None


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # Closed, or none at all.
            stream.flush()

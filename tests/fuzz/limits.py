"""A hang or a memory that fills up is a failure with a name, not a stuck machine."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooSlow(Exception):
    """One input took longer than it may."""


def _ring(*_: object) -> None:
    raise TooSlow


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the middle of whatever takes longer; for the main thread only.

    Seconds are those of the processor, so that a busy machine is no failure; what waits without
    using it gets ten times as long.
    """
    clocks = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, 10 * seconds),
    )
    before = [signal.signal(number, _ring) for number, _, _ in clocks]
    for _, clock, limit in clocks:
        signal.setitimer(clock, limit)
    try:
        yield
    finally:
        for _, clock, _ in clocks:
            signal.setitimer(clock, 0)
        for (number, _, _), handler in zip(clocks, before, strict=True):
            signal.signal(number, handler)


def limit_memory(extra_bytes: int) -> None:
    """Let this process map so much more than it does now; beyond it is a MemoryError."""
    with open("/proc/self/statm") as stream:
        pages = int(stream.read().split()[0])
    mapped = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + extra_bytes, resource.RLIM_INFINITY))

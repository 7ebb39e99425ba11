"""How far a download is: a bar at a terminal, a dated log line every half minute without one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tqdm import tqdm

logger = logging.getLogger(__name__)

Advance = Callable[[int], None]
# From the file's name, the bytes that are there already, and all bytes (None where the server does
# not say): what to call with the number of new bytes.
Meter = Callable[[str, int, int | None], AbstractContextManager[Advance]]


@contextmanager
def bar_meter(name: str, done: int, total: int | None) -> Iterator[Advance]:
    """A bar on stderr."""
    options = {"unit": "B", "unit_scale": True, "dynamic_ncols": True}
    with tqdm(total=total, initial=done, desc=name, **options) as bar:
        yield lambda count: bar.update(count) and None


class LogMeter:
    """A log line every ``every`` seconds."""

    def __init__(self, every: float = 30.0) -> None:
        self._every = every

    @contextmanager
    def __call__(self, name: str, done: int, total: int | None) -> Iterator[Advance]:
        start = last = time.monotonic()
        new = 0

        def advance(count: int) -> None:
            nonlocal new, last
            new += count
            now = time.monotonic()
            if now - last >= self._every:
                last = now
                of = f" of {shown_bytes(total)}" if total else ""
                speed = shown_bytes(int(new / (now - start)))
                logger.info("%s: %s%s, %s/s", name, shown_bytes(done + new), of, speed)

        yield advance


def shown_bytes(count: int) -> str:
    """A number of bytes as people read it: 12 bytes, 3.4 kB, 560.1 MB, 1.2 GB."""
    if count < 1000:
        return f"{count} bytes"
    units = iter(("kB", "MB", "GB"))
    unit = next(units)
    size = count / 1000
    while size >= 1000 and (larger := next(units, None)):
        unit, size = larger, size / 1000
    return f"{size:.1f} {unit}"

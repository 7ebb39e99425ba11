"""The peak memory of a job."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

import psutil


class PeakMemory:
    """Samples the resident memory of this process and all its children, as a context.

    ``bytes`` is the largest sum of resident set sizes seen in samples ``every`` seconds apart.
    A page that several processes map counts once for each; a peak between samples is missed.
    """

    def __init__(self, every: float = 0.2) -> None:
        self.bytes = 0
        self._every = every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="peak-memory", daemon=True)

    def __enter__(self) -> Self:
        self._sample()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._sample()

    def _watch(self) -> None:
        while not self._stop.wait(self._every):
            self._sample()

    def _sample(self) -> None:
        parent = psutil.Process()
        total = 0
        for process in (parent, *parent.children(recursive=True)):
            try:
                total += process.memory_info().rss
            except psutil.Error:
                continue
        self.bytes = max(self.bytes, total)

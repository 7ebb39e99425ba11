"""Log lines: on stderr for whoever watches, in the run's ``log.txt`` for whoever comes later."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

_FORMAT = "%(asctime)s %(levelname)s %(message)s"
_PACKAGE = logging.getLogger("xcbench")


class _AboveBars(logging.Handler):
    """Writes lines above the progress bars instead of through them."""

    def emit(self, record: logging.LogRecord) -> None:
        tqdm.write(self.format(record), file=sys.stderr)


class _File(logging.FileHandler):
    """Waits until its folder is made, and loses lines rather than the run on a full disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", delay=True)
        self._waiting: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._waiting.append(record)
        if self.stream is not None or Path(self.baseFilename).parent.is_dir():
            for each in self._waiting:
                super().emit(each)
            self._waiting.clear()

    def handleError(self, record: logging.LogRecord) -> None:
        pass


@contextmanager
def console(level: int, bars: bool) -> Iterator[None]:
    """Show the package's log lines of at least ``level`` on stderr."""
    handler = _AboveBars() if bars else logging.StreamHandler(sys.stderr)
    handler.setLevel(level)
    with _attached(handler):
        yield


@contextmanager
def run_log(path: Path) -> Iterator[None]:
    """Append every log line, tracebacks included, to a run's log; its folder may be made later."""
    handler = _File(path)
    try:
        with _attached(handler):
            yield
    finally:
        handler.close()


@contextmanager
def _attached(handler: logging.Handler) -> Iterator[None]:
    handler.setFormatter(logging.Formatter(_FORMAT, datefmt="%Y-%m-%d %H:%M:%S"))
    before = _PACKAGE.level
    _PACKAGE.setLevel(logging.DEBUG)
    _PACKAGE.addHandler(handler)
    try:
        yield
    finally:
        _PACKAGE.removeHandler(handler)
        _PACKAGE.setLevel(before)

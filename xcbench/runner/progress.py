"""How far a run is: bars at a terminal, dated log lines without one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from tqdm import tqdm

logger = logging.getLogger(__name__)

Advance = Callable[[], None]


class Progress(Protocol):
    """Told what the run does; shows it or writes it down."""

    def jobs(self, total: int) -> AbstractContextManager[Advance]:
        """Around the whole run; call what it gives after every job."""
        ...

    def stage(self, name: str, total: int, done: int = 0) -> AbstractContextManager[Advance]:
        """Around one stage of a job, ``done`` tasks of it done before; call it after every task."""
        ...


class BarProgress:
    """Two bars: the jobs of the run, and below it the tasks of the stage at work.

    When a stage ends, the run's log says so, and the terminal does not.
    """

    def jobs(self, total: int) -> AbstractContextManager[Advance]:
        return self._bar("jobs", total, unit=" jobs", position=0, leave=True)

    @contextmanager
    def stage(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        start = time.monotonic()
        bar = self._bar(f"  {name}", total, initial=done, unit=" tasks", position=1, leave=False)
        with bar as advance:
            yield advance
        logger.debug("%s: %s in %s", name, _tasks(total), spoken(time.monotonic() - start))

    @contextmanager
    def _bar(self, name: str, total: int, **options: Any) -> Iterator[Advance]:
        with tqdm(total=total, desc=name, dynamic_ncols=True, **options) as bar:
            yield lambda: bar.update() and None


class LogProgress:
    """Log lines: one when a stage ends, and one every ``every`` seconds of a long stage."""

    def __init__(self, every: float = 30.0) -> None:
        self._every = every

    @contextmanager
    def jobs(self, total: int) -> Iterator[Advance]:
        yield lambda: None

    @contextmanager
    def stage(self, name: str, total: int, done: int = 0) -> Iterator[Advance]:
        start = last = time.monotonic()
        before = done

        def advance() -> None:
            nonlocal done, last
            done += 1
            now = time.monotonic()
            if now - last >= self._every and done < total:
                last = now
                left = (now - start) / (done - before) * (total - done)
                logger.info("%s: %d of %d tasks, about %s left", name, done, total, spoken(left))

        yield advance
        logger.info("%s: %s in %s", name, _tasks(total), spoken(time.monotonic() - start))


def spoken(seconds: float) -> str:
    """A duration as people say it: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 1:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"

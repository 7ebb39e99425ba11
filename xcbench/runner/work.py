"""One task as it is sent to whoever does it, and what comes back."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from threadpoolctl import threadpool_limits

from xcbench.models.base import Outcome, Task, attempt
from xcbench.models.memory.stages import BY_FILE
from xcbench.runner import task_files


@dataclass(frozen=True)
class InFile:
    """Stands for a value that is in the task's file."""


@dataclass(frozen=True)
class Place:
    """Where the value of a task goes.

    Attributes
    ----------
    path : Path
        Its file, in the job's task folder.
    began : float
        When the stage began, seconds since 1970: the file states how long it was after that.
    always : bool
        Whatever its size: the folder is there, common to all machines.
    """

    path: Path
    began: float
    always: bool = False


@dataclass(frozen=True)
class Work:
    """A task with its position in the stage, its threads, and where its value goes."""

    index: int
    function: Callable[..., Any]
    task: Task
    threads: int
    place: Place | None = None


def limited_threads(threads: int) -> AbstractContextManager[object]:
    """Hold the BLAS and OpenMP pools of this process to ``threads`` threads."""
    return cast(AbstractContextManager[object], threadpool_limits(limits=threads))


def do(work: Work) -> tuple[int, Outcome]:
    """Do the work; a value that is in its file is replaced by InFile.

    Raises
    ------
    OSError
        A value that must go by file cannot be written.
    """
    with limited_threads(work.threads):
        outcome = attempt(work.function, work.task)
    place, value = work.place, outcome.value
    if place is None or outcome.error:
        return work.index, outcome
    if not place.always and task_files.nbytes(value) < BY_FILE:
        return work.index, outcome
    try:
        if not place.always:
            place.path.parent.mkdir(parents=True, exist_ok=True)
        about = {"label": outcome.label, "seconds": time.time() - place.began}
        task_files.write(place.path, about, value)
    except OSError:
        if place.always:
            raise
        return work.index, outcome  # It was no more than a saving of memory.
    return work.index, Outcome(outcome.label, value=InFile())

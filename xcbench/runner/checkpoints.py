"""What the tasks of a job came to: on disk, not in memory, and for a next attempt.

One file a task (see task_files), written whole or not at all, in a folder that the job's store
keeps until the job is done. What is large a worker writes itself, and the runner maps it; the rest
is written once the job has run for a while.
"""

from __future__ import annotations

import logging
import math
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xcbench.models.base import Outcome, Task
from xcbench.runner import task_files
from xcbench.runner.files import remove
from xcbench.runner.store import TASK
from xcbench.runner.task_folder import TaskFolder, names
from xcbench.runner.work import InFile, Place

logger = logging.getLogger(__name__)

# Under this, doing a job again costs less than looking after its pieces.
AFTER_S = 120.0
NEVER = math.inf
_LATE_S = (0.1, 0.4, 1.5, 3.0, 10.0, 20.0, 30.0)


class Checkpoints:
    """The finished tasks of one job.

    Parameters
    ----------
    root : Path or None
        Where they lie, each attempt in a folder of its own; None keeps all in memory.
    after_s : float
        Seconds of the job from which on the folder outlives an attempt that does not end well; what
        was finished until then is written too. NEVER keeps and finds nothing.
    software : dict
        Code and versions; see TaskFolder.

    Attributes
    ----------
    resumed_tasks : int
        Tasks taken from an earlier attempt.
    resumed_seconds : dict of str to float
        Wall seconds that earlier attempts spent on each stage up to their last kept task.
    """

    def __init__(self, root: Path | None, after_s: float, software: dict[str, Any]) -> None:
        self.resumed_tasks = 0
        self.resumed_seconds: dict[str, float] = {}
        self._folder = TaskFolder(root, software, after_s != NEVER) if root else None
        self._due = time.monotonic() + after_s
        self._stage_start = 0.0
        self._begun: list[str] = []
        self._held: list[tuple[Path, Outcome, float]] = []

    @property
    def folder(self) -> Path | None:
        """That of this attempt; it need not be there."""
        return None if self._folder is None else self._folder.path

    def resume(self, stage: str, tasks: Sequence[Task]) -> dict[int, Outcome]:
        """Begin a stage: the outcomes kept of its tasks, by position.

        What follows from a stage that is not all there is removed: it was made from another.
        """
        self._begun.append(_stem(stage))
        found: dict[int, Outcome] = {}
        spent = 0.0
        # Listed, not tried one by one: NFS remembers for a while that a file was not there.
        there = self._names()
        for index, task in enumerate(tasks):
            if (name := _name(stage, index)) not in there:
                continue
            path = self._path(name)
            kept = _load(path, task.label)
            if kept is None:
                remove(path)
            else:
                found[index], seconds = kept
                spent = max(spent, seconds)
        if len(found) < len(tasks):
            self._remove_later_stages()
        if found:
            self.resumed_tasks += len(found)
            self.resumed_seconds[stage] = spent
            logger.info("%s: %d of %d tasks finished earlier", stage, len(found), len(tasks))
        self._stage_start = time.monotonic() - spent
        return found

    def place(self, stage: str, index: int, always: bool = False) -> Place | None:
        """Where a task of the stage begun last leaves its value; None without a folder."""
        if self._folder is None:
            return None
        began = time.time() - (time.monotonic() - self._stage_start)
        return Place(self._path(_name(stage, index)), began, always)

    def keep(self, stage: str, index: int, outcome: Outcome) -> Outcome:
        """Keep a task that has just finished, and give its outcome with the value opened.

        One that failed is done again next time.

        Raises
        ------
        OSError, ValueError
            The file of the value cannot be opened.
        """
        if self._folder is None or outcome.error:
            return outcome
        path = self._path(_name(stage, index))
        if isinstance(outcome.value, InFile):
            _, value = _read_late(path)
            outcome = Outcome(outcome.label, value=value)
        elif self._due != NEVER:
            seconds = time.monotonic() - self._stage_start
            self._held.append((path, outcome, seconds))
        self._write(time.monotonic() >= self._due)
        return outcome

    @property
    def is_keeping(self) -> bool:
        """Whether the folder outlives an attempt that ends now."""
        return self._folder is not None and self._folder.outlives

    def finished(self, stage: str) -> int:
        """Tasks of a stage whose files are there, kept or not, told of or not."""
        return sum(_stage_of(name) == _stem(stage) for name in self._names())

    def keep_now(self) -> None:
        """Have the finished tasks outlive this attempt from now on, unless none are kept."""
        if self._due != NEVER:
            self._due = time.monotonic()
            self._write(True)

    def make_folder(self) -> None:
        """Have the folder, for other machines to write to; what they write is kept at once.

        Raises
        ------
        OSError
        """
        assert self._folder is not None
        self._folder.make()
        self.keep_now()

    def close(self) -> None:
        """The attempt has ended: remove a folder that is not to outlive it."""
        self._held = []
        if self._folder is not None:
            self._folder.close()

    def _write(self, is_due: bool) -> None:
        """Write what is held, if it is time; and say what the files are of that workers wrote."""
        folder = self._folder
        if folder is None or self._due == NEVER or not (is_due or folder.path.is_dir()):
            return
        try:
            folder.make()
            if is_due:
                for path, outcome, seconds in self._held:
                    about = {"label": outcome.label, "seconds": seconds}
                    task_files.write(path, about, outcome.value)
                folder.outlives, self._held = True, []
        except OSError as error:
            # The folder stays to the end of the attempt: workers may be writing to it.
            logger.warning("finished tasks are no longer kept (%s)", error)
            self._due, self._held = NEVER, []

    def _remove_later_stages(self) -> None:
        for name in self._names():
            if (stage := _stage_of(name)) is not None and stage not in self._begun:
                remove(self._path(name))

    def _names(self) -> set[str]:
        return names(self._folder.path) if self._folder else set()

    def _path(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder.path / name


def _stem(stage: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", stage.lower())


def _name(stage: str, index: int) -> str:
    return f"{_stem(stage)}-{index:06d}{TASK}"


def _stage_of(name: str) -> str | None:
    """The stage that a file is of; None where it is no task's."""
    return name.rpartition("-")[0] if name.endswith(TASK) else None


def _load(path: Path, label: str) -> tuple[Outcome, float] | None:
    """The outcome in a file and the seconds of its stage; None for no, a torn or another's file."""
    try:
        about, value = task_files.read(path, check=True)
        if about["label"] != label:
            return None
        return Outcome(label, value=value), float(about["seconds"])
    except Exception:  # A damaged file makes json and numpy raise a dozen kinds.
        return None


def _read_late(path: Path) -> tuple[dict[str, Any], Any]:
    """Read a file that is there; NFS may show what another machine wrote a little later."""
    for pause in _LATE_S:
        try:
            return task_files.read(path)
        except FileNotFoundError:
            time.sleep(pause)
            names(path.parent)
    return task_files.read(path)

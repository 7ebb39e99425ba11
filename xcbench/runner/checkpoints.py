"""The task folder of a job: what its tasks came to, on disk, not in memory, and for a next attempt.

One file a task (see task_files), written whole or not at all, in a folder that the job's store
keeps until the job is done. What is large a worker writes itself, and the runner maps it; the rest
is written once the job has run for a while.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xcbench.models.base import Outcome, Task
from xcbench.runner import task_files
from xcbench.runner.files import remove, write_atomic
from xcbench.runner.store import TASK
from xcbench.runner.work import InFile, Place

logger = logging.getLogger(__name__)

# Under this, doing a job again costs less than looking after its pieces.
AFTER_S = 120.0
NEVER = math.inf
_OTHER_FILES = 512  # open beside the mapped ones
_LATE_S = (0.1, 0.4, 1.5, 3.0, 10.0, 20.0, 30.0)


class Checkpoints:
    """The finished tasks of one job.

    Parameters
    ----------
    folder : Path or None
        Where they lie; None keeps all in memory.
    after_s : float
        Seconds of the job from which on the folder outlives an attempt that does not end well; what
        was finished until then is written too. NEVER keeps and finds nothing.
    software : dict
        Code and versions. What was kept under other ones is removed: it could differ.

    Attributes
    ----------
    resumed_tasks : int
        Tasks taken from an earlier attempt.
    resumed_seconds : dict of str to float
        Wall seconds that earlier attempts spent on each stage up to their last kept task.
    """

    def __init__(self, folder: Path | None, after_s: float, software: dict[str, Any]) -> None:
        self.resumed_tasks = 0
        self.resumed_seconds: dict[str, float] = {}
        self.folder = folder
        self._due = time.monotonic() + after_s
        self._software = software
        self._stage_start = 0.0
        self._begun: list[str] = []
        self._held: list[tuple[Path, Outcome, float]] = []
        self._is_noted = self._outlives = False
        if folder is not None and folder.is_dir():
            if after_s == NEVER:
                remove(folder)
            elif self._kept_software() != software:
                logger.info("finished tasks of an earlier attempt are of other versions; not used")
                remove(folder)

    def resume(self, stage: str, tasks: Sequence[Task]) -> dict[int, Outcome]:
        """Begin a stage: the outcomes kept of its tasks, by position.

        What follows from a stage that is not all there is removed: it was made from another.
        """
        self._begun.append(_stem(stage))
        found: dict[int, Outcome] = {}
        spent = 0.0
        if self.folder is not None:
            _allow_open_files(len(tasks) + _OTHER_FILES)
            # Listed, not tried one by one: NFS remembers for a while that a file was not there.
            names = _names(self.folder)
            for index, task in enumerate(tasks):
                path = self._path(stage, index)
                if path.name not in names:
                    continue
                kept = _load(path, task.label)
                if kept is None:
                    remove(path)
                else:
                    found[index], seconds = kept
                    spent = max(spent, seconds)
        if len(found) < len(tasks):
            self._remove_later_stages()
        if found:
            self._outlives = True
            self.resumed_tasks += len(found)
            self.resumed_seconds[stage] = spent
            logger.info("%s: %d of %d tasks finished earlier", stage, len(found), len(tasks))
        self._stage_start = time.monotonic() - spent
        return found

    def place(self, stage: str, index: int, always: bool = False) -> Place | None:
        """Where a task of the stage begun last leaves its value; None without a folder."""
        if self.folder is None:
            return None
        began = time.time() - (time.monotonic() - self._stage_start)
        return Place(self._path(stage, index), began, always)

    def keep(self, stage: str, index: int, outcome: Outcome) -> Outcome:
        """Keep a task that has just finished, and give its outcome with the value opened.

        One that failed is done again next time.

        Raises
        ------
        OSError, ValueError
            The file of the value cannot be opened.
        """
        if self.folder is None or outcome.error:
            return outcome
        seconds = time.monotonic() - self._stage_start
        if isinstance(outcome.value, InFile):
            _, value = _read_late(self._path(stage, index))
            outcome = Outcome(outcome.label, value=value)
            self._note()
        elif self._due != NEVER:
            self._held.append((self._path(stage, index), outcome, seconds))
        if time.monotonic() >= self._due:
            self._write_held()
        return outcome

    @property
    def is_keeping(self) -> bool:
        """Whether the folder outlives an attempt that ends now."""
        return self._outlives

    def finished(self, stage: str) -> int:
        """Tasks of a stage whose files are there, kept or not, told of or not."""
        names = _names(self.folder) if self.folder else set()
        stem = _stem(stage)
        return sum(n.endswith(TASK) and n.rpartition("-")[0] == stem for n in names)

    def keep_now(self) -> None:
        """Have the finished tasks outlive this attempt from now on, unless none are kept."""
        if self._due != NEVER:
            self._due = time.monotonic()
            self._write_held()

    def make_folder(self) -> Path:
        """Have the folder, for other machines to write to; what they write is kept at once."""
        assert self.folder is not None
        self._note()
        self.keep_now()
        return self.folder

    def close(self) -> None:
        """The attempt has ended: remove a folder that is not to outlive it."""
        self._held = []
        if self.folder is not None and not self._outlives:
            remove(self.folder)

    def _note(self) -> None:
        """Make the folder, and note in it what its files are of."""
        if not self._is_noted and self.folder is not None:
            self.folder.mkdir(exist_ok=True)
            write_atomic(self.folder / "software.json", json.dumps(self._software))
            self._is_noted = True

    def _write_held(self) -> None:
        assert self.folder is not None
        try:
            self._note()
            for path, outcome, seconds in self._held:
                about = {"label": outcome.label, "seconds": seconds}
                task_files.write(path, about, outcome.value)
            self._outlives = True
        except OSError as error:
            logger.warning("finished tasks are no longer kept (%s)", error)
            remove(self.folder)
            self._due, self._is_noted, self._outlives = NEVER, False, False
        self._held = []

    def _remove_later_stages(self) -> None:
        for name in _names(self.folder) if self.folder else ():
            stem, _, rest = name.rpartition("-")
            if rest.endswith(TASK) and stem not in self._begun:
                remove(self._path_of(name))

    def _path(self, stage: str, index: int) -> Path:
        return self._path_of(f"{_stem(stage)}-{index:06d}{TASK}")

    def _path_of(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / name

    def _kept_software(self) -> Any:
        try:
            return json.loads(self._path_of("software.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


def _stem(stage: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", stage.lower())


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


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
            _names(path.parent)
    return task_files.read(path)


def _allow_open_files(count: int) -> None:
    """Raise this process's limit where it can be: every mapped file holds a descriptor."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

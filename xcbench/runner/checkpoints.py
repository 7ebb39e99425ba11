"""Finished tasks of a long job on disk, so that a killed job goes on where it was.

One file a task, written whole or not at all, in a folder that the job's store keeps until the job
is done. A value is made of arrays, numbers, texts, None, tuples, lists and dicts with text keys;
it is kept as an .npz of the arrays and a JSON text that says how they hang together. No pickle.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.models.base import Outcome, Task
from xcbench.runner.files import remove, write_atomic

logger = logging.getLogger(__name__)

# Under this, doing a job again costs less than looking after its pieces.
AFTER_S = 120.0


class Checkpoints:
    """The finished tasks of one job.

    Parameters
    ----------
    folder : Path or None
        Where they are kept; None keeps nothing.
    after_s : float
        Seconds of the job before the first is written; those finished until then are written too.
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
        self._folder = folder
        self._due = time.monotonic() + after_s
        self._software = software
        self._stage_start = 0.0
        self._begun: list[str] = []
        self._held: list[tuple[Path, Outcome, float]] = []
        if folder is not None and folder.is_dir() and self._kept_software() != software:
            logger.info("finished tasks of an earlier attempt are of other versions; not used")
            remove(folder)

    def resume(self, stage: str, tasks: Sequence[Task]) -> dict[int, Outcome]:
        """Begin a stage: the outcomes kept of its tasks, by position.

        What follows from a stage that is not all there is removed: it was made from another.
        """
        self._begun.append(_stem(stage))
        found: dict[int, Outcome] = {}
        spent = 0.0
        for index, task in enumerate(tasks) if self._folder and self._folder.is_dir() else ():
            kept = _load(self._path(stage, index), task.label)
            if kept is not None:
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

    def keep(self, stage: str, index: int, outcome: Outcome) -> None:
        """Keep a task that has just finished; one that failed is done again next time."""
        if self._folder is None or outcome.error:
            return
        seconds = time.monotonic() - self._stage_start
        self._held.append((self._path(stage, index), outcome, seconds))
        if time.monotonic() < self._due:
            return
        try:
            self._write(self._folder)
        except OSError as error:
            logger.warning("finished tasks are no longer kept (%s)", error)
            remove(self._folder)
            self._folder = None
        self._held = []

    def _write(self, folder: Path) -> None:
        if not folder.is_dir():
            folder.mkdir()
            write_atomic(folder / "software.json", json.dumps(self._software))
        for path, outcome, seconds in self._held:
            _save(path, outcome, seconds)

    def _remove_later_stages(self) -> None:
        for path in self._folder.glob("*.npz") if self._folder else ():
            if path.stem.rpartition("-")[0] not in self._begun:
                remove(path)

    def _path(self, stage: str, index: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{_stem(stage)}-{index:06d}.npz"

    def _kept_software(self) -> Any:
        assert self._folder is not None
        try:
            return json.loads((self._folder / "software.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


def _stem(stage: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", stage.lower())


def _save(path: Path, outcome: Outcome, seconds: float) -> None:
    arrays: list[np.ndarray] = []
    about = {
        "label": outcome.label,
        "seconds": seconds,
        "value": _taken_apart(outcome.value, arrays),
    }
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    temporary = path.with_suffix(".new")
    with open(temporary, "wb") as file:
        np.savez(file, *arrays, about=text)
    os.replace(temporary, path)


def _load(path: Path, label: str) -> tuple[Outcome, float] | None:
    """The outcome in a file and the seconds of its stage; None for no, a torn or another's file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
            if about["label"] != label:
                return None
            value = _put_together(about["value"], file)
            return Outcome(label, value=value), float(about["seconds"])
    except Exception:  # A damaged file makes numpy and zipfile raise a dozen kinds.
        return None


def _taken_apart(value: Any, arrays: list[np.ndarray]) -> Any:
    """A value as JSON, its arrays moved to the list and named by their place in it."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_taken_apart(item, arrays) for item in value]}
    if isinstance(value, dict):
        return {"dict": {key: _taken_apart(item, arrays) for key, item in value.items()}}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"a task's value holds a {type(value).__name__}, which cannot be kept")


def _put_together(value: Any, file: Any) -> Any:
    """Undo ``_taken_apart``."""
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return file[f"arr_{content}"]
    if kind == "dict":
        return {key: _put_together(item, file) for key, item in content.items()}
    items = [_put_together(item, file) for item in content]
    return tuple(items) if kind == "tuple" else items

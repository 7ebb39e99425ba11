"""The folder that the tasks of one attempt at a job write to."""

from __future__ import annotations

import json
import logging
import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from xcbench.runner import slurm_queue
from xcbench.runner.files import remove, write_atomic
from xcbench.runner.store import TASK

logger = logging.getLogger(__name__)

SOFTWARE = "software.json"


class TaskFolder:
    """The folder of one attempt, below the job's; the files of the attempts before move into it.

    Its name is one of its own. A Slurm job or a dask task of an attempt that was killed may still
    be at work, with other code or on a model that is about to be replaced: it finds the folder it
    was told of gone, and nothing of it is taken for this attempt's.

    Parameters
    ----------
    root : Path
        The job's.
    software : dict
        Code and versions. What was kept under other ones is removed: it could differ.
    takes_over : bool
        Without, all of the earlier attempts is removed.

    Attributes
    ----------
    path : Path
    outlives : bool
        Whether it is there for a next attempt when this one ends.
    """

    def __init__(self, root: Path, software: dict[str, Any], takes_over: bool) -> None:
        self.path = root / uuid.uuid4().hex[:12]
        self.outlives = False
        self._software = software
        self._is_made = False
        for name in names(root):
            self._replace(root / name, takes_over)
        self._remove_empty_root()

    def make(self) -> None:
        """Have the folder, and note in it what its files are of."""
        if not self._is_made:
            self.path.mkdir(parents=True, exist_ok=True)
            write_atomic(self.path / SOFTWARE, json.dumps(self._software))
            self._is_made = True

    def close(self) -> None:
        """The attempt has ended: remove a folder that is not to outlive it."""
        if not self.outlives:
            remove(self.path)
            self._remove_empty_root()

    def _replace(self, earlier: Path, takes_over: bool) -> None:
        slurm_queue.cancel_noted(earlier)
        kept = sorted(name for name in names(earlier) if name.endswith(TASK))
        if kept and takes_over and _software(earlier) == self._software:
            self.make()
            self.outlives = True
            # One by one: other machines may reach a folder that was renamed by its old name.
            for name in kept:
                with suppress(FileNotFoundError):
                    os.replace(earlier / name, self.path / name)
        elif kept and takes_over:
            logger.info("finished tasks of an earlier attempt are of other versions; not used")
        # First: whatever is written to what cannot be removed is not taken over another time.
        remove(earlier / SOFTWARE)
        remove(earlier)

    def _remove_empty_root(self) -> None:
        with suppress(OSError):
            self.path.parent.rmdir()


def names(folder: Path) -> set[str]:
    """What a folder holds; nothing where it is none."""
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def _software(folder: Path) -> Any:
    try:
        return json.loads((folder / SOFTWARE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None

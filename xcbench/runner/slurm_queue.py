"""Slurm's queue: what of this user is in it, and the end of what a run has put there."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterable
from pathlib import Path

logger = logging.getLogger(__name__)

NAME = "xcbench"  # of every job
_ARRAYS = "slurm-arrays"
_ANSWERS_S = 60


def queued() -> set[str] | None:
    """The ids of this user's jobs that Slurm has yet to finish; None where it does not answer."""
    command = ["squeue", "--me", "--array", "--noheader", "--format=%i"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_ANSWERS_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        logger.debug("squeue: %s", error)
        return None
    return set(done.stdout.split())


def cancel(arrays: Iterable[str]) -> None:
    """Cancel job arrays, whole and in one call: a signal leaves a run no more than seconds."""
    if ids := sorted(set(arrays)):
        _scancel(ids)


def note(folder: Path, arrays: Iterable[str]) -> None:
    """Note in a task folder which job arrays write to it."""
    with open(folder / _ARRAYS, "a", encoding="ascii") as file:
        file.writelines(f"{array}\n" for array in arrays)


def cancel_noted(folder: Path) -> None:
    """Cancel the job arrays that are noted in a task folder, where any is still there."""
    try:
        ids = (folder / _ARRAYS).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return
    # By name too: the numbers begin again when a cluster is set up anew.
    _scancel([f"--name={NAME}", *(each for each in ids if each.isdecimal())])


def _scancel(arguments: list[str]) -> None:
    try:
        subprocess.run(["scancel", *arguments], capture_output=True, timeout=_ANSWERS_S)
    except (OSError, subprocess.SubprocessError) as error:
        logger.debug("scancel: %s", error)

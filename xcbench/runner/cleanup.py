"""What a results folder holds that can be done without, and removing it, piece by piece.

A piece is removed under the lock of its run, and looked at again there: what is running, or was
finished meanwhile, is left alone. Results, predictions and configs stay, and the log of every run
that has a result; so do lock files, for another process may be about to take one.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import psutil

from xcbench.errors import XCBenchError
from xcbench.runner.files import remove
from xcbench.runner.locks import NOTE, STALE_S, hold, holder_of
from xcbench.runner.store import ResultStore

Kind = Literal["models", "interrupted", "logs"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A run's folder without any of these is what a killed first attempt left.
_OUTCOMES = {"result.json", "result.json.damaged", "predictions.npz", "model"}
_UNFINISHED = {".partial", ".checkpoint", NOTE}
_TEMPORARY = re.compile(r"\..*\.new")
_CALL_LOG = re.compile(r".*-(\d+)\.log")


@dataclass(frozen=True)
class Leftover:
    """Something that can be removed.

    Attributes
    ----------
    kind : str
        "models": the model of a finished run. "interrupted": what runs that were not brought to
        their end left, and the kept tasks they would go on from. "logs": the log of a call of
        ``xcbench run`` that has ended.
    name : str
        The run's id, or the name of the log.
    bytes : int
    changed : float
        When any of it was last written, seconds since 1970.
    """

    kind: Kind
    name: str
    bytes: int
    changed: float


def find_leftovers(store: ResultStore, kinds: Iterable[Kind]) -> Iterator[Leftover]:
    """What can be removed; nothing is locked or changed by looking."""
    for kind in kinds:
        names = _ended_calls(store) if kind == "logs" else store.run_ids()
        for name in names:
            if paths := _PATHS[kind](store, name):
                yield Leftover(kind, name, *_bytes_and_change(paths))


def remove_leftover(store: ResultStore, leftover: Leftover) -> int:
    """Remove it, and give the bytes that this freed.

    Raises
    ------
    LockedError
        Its run is held; nothing was removed.
    XCBenchError
        The system does not let it be removed.
    """
    place = store.logs if leftover.kind == "logs" else store.folder(leftover.name)
    before = _bytes_and_change([place])[0]
    try:
        _REMOVERS[leftover.kind](store, leftover.name)
    except OSError as error:
        what = f"{leftover.name}: {leftover.kind} cannot be removed"
        raise XCBenchError(f"{what} ({error})") from None
    return max(0, before - _bytes_and_change([place])[0])


def _model(store: ResultStore, run_id: str) -> list[Path]:
    model = store.folder(run_id) / "model"
    return [model] if model.exists() and store.state(run_id) == "done" else []


def _remove_model(store: ResultStore, run_id: str) -> None:
    folder = store.folder(run_id)
    with hold(folder):
        for model in _model(store, run_id):
            # Renamed first: a kill half way leaves no half of a model, but litter for ``settle``.
            doomed = folder / ".model.new"
            _remove(doomed)
            os.replace(model, doomed)
            _remove(doomed)


def _abandoned(store: ResultStore, run_id: str) -> list[Path]:
    is_held = holder_of(store.folder(run_id)) is not None
    return [] if is_held else _unfinished(store, run_id)


def _remove_abandoned(store: ResultStore, run_id: str) -> None:
    with hold(store.folder(run_id)):
        store.settle(run_id)  # A result that only waits to be put into place is none of these.
        for path in _unfinished(store, run_id):
            if path.name != NOTE:  # Ours, while we hold.
                _remove(path)


def _unfinished(store: ResultStore, run_id: str) -> list[Path]:
    """All a run's folder holds if it has no result, else what is not part of that."""
    folder = store.folder(run_id)
    names: set[str] = set()
    with suppress(OSError):
        names = set(os.listdir(folder)) - {".lock"}
    if names & _OUTCOMES or store.find(run_id) is not None:
        names = {name for name in names if name in _UNFINISHED or _TEMPORARY.fullmatch(name)}
    return [folder / name for name in sorted(names)]


def _ended_calls(store: ResultStore) -> list[str]:
    """Logs of calls that have ended; of one on another host, its silence is all that tells."""
    holders = (holder_of(store.folder(run_id)) for run_id in store.run_ids())
    live = {holder.pid for holder in holders if holder is not None}
    return [
        log.name
        for log in sorted(store.logs.glob("*.log"))
        if (found := _CALL_LOG.fullmatch(log.name))
        and int(found[1]) not in live
        and not _may_write(int(found[1]), log)
    ]


def _may_write(pid: int, log: Path) -> bool:
    """Whether the process of this pid could be the one that last wrote the log."""
    try:
        written = log.stat().st_mtime
        return time.time() - written < STALE_S or psutil.Process(pid).create_time() <= written
    except (OSError, psutil.NoSuchProcess):
        return False


def _log(store: ResultStore, name: str) -> list[Path]:
    return [store.logs / name]


def _remove_log(store: ResultStore, name: str) -> None:
    _remove(store.logs / name)


def _remove(path: Path) -> None:
    remove(path)
    if path.exists():
        raise PermissionError(f"{path.name} is still there")


def _bytes_and_change(paths: Iterable[Path]) -> tuple[int, float]:
    """The bytes of files and folders, and the last change of anything in them."""
    size, changed = 0, 0.0
    for path in paths:
        below = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
        for part in (path, *below):
            with suppress(OSError):  # It may vanish while we look.
                status = part.lstat()
                size += 0 if stat.S_ISDIR(status.st_mode) else status.st_size
                changed = max(changed, status.st_mtime)
    return size, changed


_PATHS: dict[Kind, Callable[[ResultStore, str], list[Path]]] = {
    "models": _model,
    "interrupted": _abandoned,
    "logs": _log,
}
_REMOVERS: dict[Kind, Callable[[ResultStore, str], None]] = {
    "models": _remove_model,
    "interrupted": _remove_abandoned,
    "logs": _remove_log,
}

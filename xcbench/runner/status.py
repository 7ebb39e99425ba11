"""What state runs are in, for whoever looks on: everything is read, no lock taken, nothing written.

Runs begin, end and vanish while they are looked at, so a file that is gone is no error, and what
looks abandoned is looked at again before it is called so.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from xcbench.runner.locks import NOTE, Holder, heartbeat_age, holder_of
from xcbench.runner.progress import spoken
from xcbench.runner.result import one_line
from xcbench.runner.store import TASK, ResultStore

if TYPE_CHECKING:  # A plan needs the models and their compiled kernels; a look at folders does not.
    from xcbench.config.schema import Config
    from xcbench.runner.plan import Plan

RunState = Literal["done", "failed", "interrupted", "running", "to do"]
RUN_STATES: tuple[RunState, ...] = get_args(RunState)

_TAIL_BYTES = 4096
_NO_DATA = "its data is missing or malformed"


@dataclass(frozen=True)
class RunStatus:
    """One run as it stands.

    Attributes
    ----------
    run_id : str
        A job that cannot be planned because its data is missing, and has no result either, has no
        hash: ``<dataset>/<label>``.
    state : RunState
    detail : str
        One line: what went wrong, or what else is to know; "" for nothing.
    kept_tasks : int
        Finished tasks that the next attempt takes over.
    holder, heartbeat_s, log_line :
        Of a running one: who runs it, seconds since its last sign of life, and how far it is.
    """

    run_id: str
    state: RunState
    detail: str = ""
    kept_tasks: int = 0
    holder: Holder | None = None
    heartbeat_s: float | None = None
    log_line: str = ""


def stored_runs(store: ResultStore) -> list[RunStatus]:
    """Every run that has anything in its folder, in the order of the alphabet."""
    used = (run_id for run_id in store.run_ids() if _names(store.folder(run_id)) - {".lock"})
    return [run_status(store, run_id) for run_id in used]


def planned_runs(store: ResultStore, configs: Iterable[Config], plan: Plan) -> list[RunStatus]:
    """Every job of the configs, in the order of the plan; those without data come last.

    A job without data cannot be told from the same job on other data; of the results of its config
    the newest is taken.
    """
    runs = [run_status(store, job.run_id) for job in plan.jobs]
    planned = {_identity(job.config.mapping()) for job in plan.jobs}
    others = [job for config in configs for job in config.jobs()]
    unplanned = {
        _identity(job.mapping()): job for job in others if _identity(job.mapping()) not in planned
    }
    known = {}
    if unplanned:
        known = {_identity(result.config): result.run_id for result in store.results()}
    for identity, job in unplanned.items():
        if identity in known:
            run = run_status(store, known[identity])
            detail = f"{run.detail}; {_NO_DATA}" if run.detail else _NO_DATA
            runs.append(replace(run, detail=detail))
        else:
            runs.append(RunStatus(f"{job.dataset.title}/{job.method.label}", "to do", _NO_DATA))
    return runs


def run_status(store: ResultStore, run_id: str) -> RunStatus:
    """One run; a done one that is being repeated is running."""
    folder = store.folder(run_id)
    holder = holder_of(folder)
    if holder is None:
        at_rest = _at_rest(store, run_id)
        holder = holder_of(folder)
        if holder is None:
            return at_rest
    return RunStatus(
        run_id,
        "running",
        kept_tasks=_kept_tasks(store, run_id),
        holder=holder,
        heartbeat_s=_heartbeat_s(folder),
        log_line=last_line(folder / "log.txt"),
    )


def last_line(log: Path) -> str:
    """The last line of a log that says anything; "" without one."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    lines = [one_line(line) for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _at_rest(store: ResultStore, run_id: str) -> RunStatus:
    """A run that nobody holds."""
    state = store.state(run_id)
    if state == "done":
        return RunStatus(run_id, "done")
    result = store.find(run_id)
    error = one_line(result.error) if result is not None else ""
    if state == "failed":
        return RunStatus(run_id, "failed", error)
    kept = _kept_tasks(store, run_id)
    folder = store.folder(run_id)
    if _names(folder) & {NOTE, ".partial"}:
        return RunStatus(run_id, "interrupted", _killed(folder), kept)
    return RunStatus(run_id, "interrupted" if state == "interrupted" else "to do", error, kept)


def _killed(folder: Path) -> str:
    age = _heartbeat_s(folder)
    return "killed" if age is None else f"killed, its last heartbeat {spoken(age)} ago"


def _heartbeat_s(folder: Path) -> float | None:
    age = heartbeat_age(folder)
    return age if math.isfinite(age) else None


def _kept_tasks(store: ResultStore, run_id: str) -> int:
    attempts = store.checkpoint(run_id)
    return sum(
        name.endswith(TASK) for attempt in _names(attempts) for name in _names(attempts / attempt)
    )


def _names(folder: Path) -> set[str]:
    """What a folder holds; nothing if it is gone."""
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def _identity(config: Mapping[str, Any]) -> str:
    """A job's config without where it executes, as text."""
    return json.dumps({k: v for k, v in config.items() if k != "executor"}, sort_keys=True)

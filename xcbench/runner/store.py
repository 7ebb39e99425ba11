"""Results on disk: one folder a run, and ``results.csv``, the join of them all.

    results/runs/<dataset>/<label>-<hash8>/
        config.yaml  predictions.npz  model/  log.txt  result.json
    results/results.csv
    results/logs/            one file for each call of ``xcbench run``

What a run makes is gathered in ``.partial/`` inside its folder. Its result, written there last,
says that all of it is there; only then is each part renamed into place, the result last. A process
killed between two renames leaves the rest to the next one that holds the run, so a finished run is
never half of one attempt and half of another. ``log.txt`` alone is written as the run goes, so that
it can be followed, and keeps the lines of earlier attempts. Finished tasks of a long job wait below
``.checkpoint/`` until it is done, in a folder of the attempt at work (see task_folder).
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from xcbench.config.yaml import dump
from xcbench.errors import LockedError
from xcbench.runner.files import remove, require_writable, sync, write_atomic
from xcbench.runner.locks import NOTE
from xcbench.runner.result import COLUMNS, Result
from xcbench.runner.slurm_queue import cancel_noted

logger = logging.getLogger(__name__)

State = Literal["new", "done", "failed", "interrupted"]

OUTPUTS = ("model", "predictions.npz", "config.yaml")
TASK = ".task"  # how the names of finished tasks end, below ``.checkpoint/``
# A spreadsheet takes a cell that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ResultStore:
    """The results folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runs = root / "runs"
        self.logs = root / "logs"
        self._reported: set[Path] = set()
        self._parsed: dict[Path, tuple[tuple[int, ...], Result]] = {}

    def require_writable(self) -> None:
        """See files.require_writable."""
        require_writable(self.root)
        require_writable(self.runs)
        require_writable(self.logs)

    def folder(self, run_id: str) -> Path:
        """The run's folder; it need not exist."""
        return self.runs / run_id

    def checkpoint(self, run_id: str) -> Path:
        """Where finished tasks of the run are kept; it need not exist."""
        return self.folder(run_id) / ".checkpoint"

    def find(self, run_id: str) -> Result | None:
        """The run's result, or None when it has none that can be read."""
        folder = self.folder(run_id)
        found = self._read(folder / ".partial" / "result.json")
        return found or self._read(folder / "result.json")

    def state(self, run_id: str) -> State:
        """Whether the run is still to do, done, failed, or was interrupted.

        A result whose predictions are gone is no result: the run is still to do.
        """
        result = self.find(run_id)
        if result is None:
            return "new"
        folder = self.folder(run_id)
        # In this order: a reader without the lock may meet the rename from the one to the other.
        places = (folder / ".partial" / "predictions.npz", folder / "predictions.npz")
        if result.status == "done" and not any(place.exists() for place in places):
            self._report(places[-1], "is missing; the job is to do again")
            return "new"
        return result.status

    def start(self, run_id: str) -> Path:
        """Make ready for a run (its lock is held) and give the folder its files are gathered in."""
        folder = self.folder(run_id)
        self.settle(run_id)
        result = folder / "result.json"
        if result.exists() and self._read(result) is None:
            os.replace(result, folder / "result.json.damaged")
        partial = folder / ".partial"
        partial.mkdir()
        return partial

    def commit(self, result: Result) -> None:
        """Rename what the run gathered into place, its result last, and join it to the table."""
        partial = self.folder(result.run_id) / ".partial"
        if result.status != "done":  # What a job left that did not end well is of no use.
            remove(partial)
            partial.mkdir()
        write_atomic(partial / "config.yaml", dump(result.config))
        sync(partial)
        write_atomic(partial / "result.json", json.dumps(result.mapping(), indent=1))
        self.settle(result.run_id)
        self.write_table()

    def discard(self, run_id: str) -> None:
        """Drop what an attempt gathered, for the sake of the result before (the lock is held)."""
        remove(self.folder(run_id) / ".partial")
        self.settle(run_id)

    def forget_tasks(self, run_id: str) -> None:
        """Drop the finished tasks of earlier attempts, and their Slurm jobs (the lock is held)."""
        for attempt in self.checkpoint(run_id).glob("*"):
            cancel_noted(attempt)
        remove(self.checkpoint(run_id))

    def settle(self, run_id: str) -> None:
        """Finish what an earlier process began (the run's lock is held), and clear its litter."""
        folder = self.folder(run_id)
        partial = folder / ".partial"
        committed = self._read(partial / "result.json")
        if committed is not None:
            for name in OUTPUTS:
                if committed.status != "done" and name != "config.yaml":
                    remove(folder / name)
                elif (partial / name).exists():
                    if (folder / name).is_dir():  # A rename replaces a file, but no folder.
                        os.replace(folder / name, partial / f"old-{name}")
                    os.replace(partial / name, folder / name)
            os.replace(partial / "result.json", folder / "result.json")
        remove(partial)
        if self.state(run_id) == "done":
            remove(self.checkpoint(run_id))
        for temporary in folder.glob(".*.new"):
            remove(temporary)

    def is_settled(self, run_id: str) -> bool:
        """Whether no killed process left anything in the run's folder."""
        folder = self.folder(run_id)
        leftovers = [".partial", NOTE]
        if self.state(run_id) == "done":
            leftovers.append(".checkpoint")
        return not any((folder / name).exists() for name in leftovers) and not any(
            folder.glob(".*.new")
        )

    def results(self) -> Iterator[Result]:
        """Every result in the store, oldest first."""
        found = [result for run_id in self.run_ids() if (result := self._own(run_id)) is not None]
        yield from sorted(found, key=lambda result: (result.utc, result.run_id))

    def _own(self, run_id: str) -> Result | None:
        result = self.find(run_id)
        if result is not None and result.run_id != run_id:
            self._report(self.folder(run_id), f"is a copy of {result.run_id} and is left out")
            return None
        return result

    def run_ids(self) -> list[str]:
        """Every run that has a folder, in the order of the alphabet."""
        return sorted(f"{path.parent.name}/{path.name}" for path in self.runs.glob("*/*/"))

    def write_table(self) -> None:
        """Rewrite ``results.csv`` from all results; whoever comes second writes both rows.

        Raises
        ------
        LockedError
            Another process has had the table for five minutes.
        """
        with self._table_lock():
            rows = [result.row() for result in self.results()]
            extra = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
            text = io.StringIO(newline="")
            writer = csv.DictWriter(text, [*COLUMNS, *sorted(extra)], lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)
            write_atomic(self.root / "results.csv", text.getvalue())

    @contextmanager
    def _table_lock(self) -> Iterator[None]:
        lock = FileLock(self.root / ".results.csv.lock", timeout=300)
        try:
            lock.acquire()
        except Timeout:
            what = f"{self.root / 'results.csv'} has been locked by another process for 5 minutes"
            raise LockedError(f"{what}; the results are kept, the next run writes it") from None
        try:
            yield
        finally:
            lock.release()

    def _read(self, path: Path) -> Result | None:
        """A result that can be read; parsed once for as long as its file stays the same one."""
        try:
            status = path.stat()
            version = (status.st_ino, status.st_mtime_ns, status.st_size)
            known = self._parsed.get(path)
            if known is None or known[0] != version:
                known = version, Result.from_json(path.read_text(encoding="utf-8"))
                self._parsed[path] = known
            return known[1]
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self._report(path, f"is damaged ({error}); its job counts as not done")
            return None

    def _report(self, path: Path, what: str) -> None:
        """Warn about a file once, however often it is looked at."""
        if path not in self._reported:
            self._reported.add(path)
            logger.warning("%s %s", path, what)


def cell(value: Any) -> Any:
    """A value for a CSV cell; a text that a spreadsheet would compute is quoted ('=1+1)."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value

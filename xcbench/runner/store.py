"""Results on disk: one folder a run, and ``results.csv``, the join of them all.

    results/runs/<dataset>/<label>-<hash8>/
        config.yaml  predictions.npz  model/  log.txt  result.json
    results/results.csv

What a run makes is gathered in ``.partial/`` inside its folder and renamed into place when all of
it is there; ``result.json`` comes last and marks the run done (or failed). ``log.txt`` alone is
written as the run goes, so that it can be followed, and keeps the lines of earlier attempts.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from xcbench.config.yaml import dump
from xcbench.runner.files import require_writable, write_atomic
from xcbench.runner.result import COLUMNS, Result

logger = logging.getLogger(__name__)

State = Literal["new", "done", "failed"]


class ResultStore:
    """The results folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runs = root / "runs"

    def require_writable(self) -> None:
        """See files.require_writable."""
        require_writable(self.root)
        require_writable(self._runs)

    def folder(self, run_id: str) -> Path:
        """The run's folder; it need not exist."""
        return self._runs / run_id

    def find(self, run_id: str) -> Result | None:
        """The run's result, or None when it has none that can be read."""
        return _read(self.folder(run_id) / "result.json")

    def state(self, run_id: str) -> State:
        """Whether the run is still to do, done, or failed."""
        result = self.find(run_id)
        return "new" if result is None else result.status

    def start(self, run_id: str, config: dict[str, Any]) -> Path:
        """Make ready for a run (its lock is held) and give the folder its files are gathered in."""
        folder = self.folder(run_id)
        partial = folder / ".partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        write_atomic(folder / "config.yaml", dump(config))
        return partial

    def commit(self, result: Result) -> None:
        """Rename what the run gathered into place, its result last, and join it to the table."""
        folder = self.folder(result.run_id)
        partial = folder / ".partial"
        for name in ("model", "predictions.npz"):
            _remove(folder / name)
            if result.status == "done":
                os.replace(partial / name, folder / name)
        shutil.rmtree(partial, ignore_errors=True)
        write_atomic(folder / "result.json", json.dumps(result.mapping(), indent=1))
        self.write_table()

    def results(self) -> Iterator[Result]:
        """Every result in the store, oldest first."""
        found = (_read(path) for path in self._runs.glob("*/*/result.json"))
        yield from sorted(
            (result for result in found if result is not None),
            key=lambda result: (result.utc, result.run_id),
        )

    def write_table(self) -> None:
        """Rewrite ``results.csv`` from all results; whoever comes second writes both rows."""
        with FileLock(self.root / ".results.csv.lock", timeout=300):
            rows = [result.row() for result in self.results()]
            extra = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
            text = io.StringIO(newline="")
            writer = csv.DictWriter(text, [*COLUMNS, *sorted(extra)], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            write_atomic(self.root / "results.csv", text.getvalue())


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _read(path: Path) -> Result | None:
    try:
        return Result.from_mapping(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        logger.warning("%s cannot be read and is left out (%s)", path, error)
        return None

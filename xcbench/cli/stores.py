"""Opening a results folder that ought to be there, and its results as rows."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from xcbench.errors import ConfigError, XCBenchError

if TYPE_CHECKING:
    import numpy as np

    from xcbench.report.rows import Row
    from xcbench.runner.result import Result
    from xcbench.runner.store import ResultStore


def open_results(root: Path) -> ResultStore:
    """The store in a folder.

    Raises
    ------
    ConfigError
        There is no such folder: more likely a wrong path than a run that never began.
    """
    from xcbench.runner.store import ResultStore

    if not root.is_dir():
        raise ConfigError(
            f"{root}: no such results folder; `xcbench run` makes it, --results names another"
        )
    return ResultStore(root)


class StoredArrays:
    """What runs left in their predictions.npz, by run id; read once each.

    Attributes
    ----------
    missing : dict of str to str
        Runs that were asked for and have none, or others than their result, and why.
    """

    def __init__(self, store: ResultStore, results: Iterable[Result]) -> None:
        self.missing: dict[str, str] = {}
        self._store = store
        self._results = {result.run_id: result for result in results}
        self._read: dict[str, Mapping[str, np.ndarray] | None] = {}

    def __call__(self, run_id: str) -> Mapping[str, np.ndarray] | None:
        """Of a run; None when they are gone or no longer what they were."""
        if run_id not in self._read:
            self._read[run_id] = self._arrays(run_id)
        return self._read[run_id]

    def _arrays(self, run_id: str) -> Mapping[str, np.ndarray] | None:
        from xcbench.runner.rerun import stored_arrays

        try:
            return stored_arrays(self._store, self._results[run_id])
        except XCBenchError as error:
            self.missing[run_id] = str(error)
            return None


def rows_of(results: Iterable[Result]) -> list[Row]:
    """Results as rows: the columns of results.csv, and the config's dotted keys."""
    from xcbench.config.changes import flat

    return [flat(result.config) | result.row() for result in results]


def near(rows: Iterable[Row], datasets: Iterable[str], methods: Iterable[str]) -> str:
    """``; did you mean 'bibtex'?``: the names of runs nearest to those asked for that none has."""
    known_rows, close = list(rows), list[str]()
    for wanted, column in ((datasets, "dataset"), (methods, "method")):
        known = {str(row[column]) for row in known_rows}
        for word in sorted(set(wanted) - known):
            close += difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {' and '.join(map(repr, close))}?" if close else ""

"""Opening a results folder that ought to be there, and its results as rows."""

from __future__ import annotations

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

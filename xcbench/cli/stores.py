"""Opening a results folder that ought to be there, and its results as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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


def arrays_of(store: ResultStore) -> Callable[[str], Mapping[str, np.ndarray] | None]:
    """How to read what a run left in its predictions.npz; it gives None when that is gone."""
    from functools import cache

    from xcbench.runner.rerun import load_arrays

    @cache
    def arrays(run_id: str) -> Mapping[str, np.ndarray] | None:
        try:
            return load_arrays(store.folder(run_id) / "predictions.npz")
        except XCBenchError:
            return None

    return arrays


def rows_of(results: Iterable[Result]) -> list[Row]:
    """Results as rows: the columns of results.csv, and the config's dotted keys."""
    from xcbench.config.changes import flat

    return [flat(result.config) | result.row() for result in results]

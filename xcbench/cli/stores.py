"""Opening a results folder that ought to be there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from xcbench.errors import ConfigError

if TYPE_CHECKING:
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

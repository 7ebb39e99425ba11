"""What the shell completes: names that are quick to find. An error completes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from xcbench.cli.options import DEFAULT_DATA, DEFAULT_RESULTS
from xcbench.errors import XCBenchError


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def dataset_names(incomplete: str) -> list[str]:
    """The catalogue's names, and folders of the data folder ($XCBENCH_DATA, else data)."""
    from xcbench.data.catalogue import catalogue
    from xcbench.data.sources import other_folders

    root = Path(os.environ.get("XCBENCH_DATA") or DEFAULT_DATA)
    try:
        return _beginning([*catalogue(), *other_folders(root)], incomplete)
    except (OSError, XCBenchError):
        return []


def method_names(incomplete: str) -> list[str]:
    """The presets of extreme classification."""
    from xcbench.config.presets import PRESETS

    return _beginning(PRESETS, incomplete)


def run_ids(incomplete: str) -> list[str]:
    """The runs of the folder results."""
    try:
        folders = sorted((DEFAULT_RESULTS / "runs").glob("*/*/"))
    except OSError:
        return []
    return _beginning((f"{path.parent.name}/{path.name}" for path in folders), incomplete)

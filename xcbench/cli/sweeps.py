"""Which runs belong to the project's figures and sweeps, and to no table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.report.tables.methods import Row

_SWEEPS = ("figures", "sweeps")
_TABLES = ("", "peers", "splits")


def of_sweeps(rows: Sequence[Row], configs: Path) -> set[str]:
    """Ids of the runs that configs of figures and sweeps told, and none of the tables' did."""
    from xcbench.report.tables.methods import told

    swept = set(_told(configs, _SWEEPS))
    suspects = {str(row["run_id"]): told(row) for row in rows} if swept else {}
    suspects = {run_id: settings for run_id, settings in suspects.items() if settings in swept}
    if not suspects:
        return set()
    ours = set(_told(configs, _TABLES))
    return {run_id for run_id, settings in suspects.items() if settings not in ours}


def _told(configs: Path, folders: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    from xcbench.config.changes import flat
    from xcbench.config.loader import load_config
    from xcbench.report.tables.methods import told

    for folder in folders:
        for path in sorted((configs / folder).glob("*.yaml")):
            try:
                jobs = load_config(path).jobs()
            except ConfigError:  # `xcbench run` says what is wrong with it.
                continue
            for job in jobs:
                yield told(flat(json.loads(json.dumps(job.mapping()))))

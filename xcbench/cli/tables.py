"""What the commands that show tables share: the table, and what it could have had besides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xcbench.cli.missing import Places, missing_runs, where_to_get
from xcbench.cli.options import DEFAULT_DATA
from xcbench.cli.stores import open_results, rows_of
from xcbench.errors import DataError

if TYPE_CHECKING:
    from xcbench.data.catalogue import CatalogueEntry
    from xcbench.data.statistics import Statistics
    from xcbench.report.document import Table
    from xcbench.report.rows import Row
    from xcbench.runner.store import ResultStore

_CONFIGS = Path("configs")


@dataclass(frozen=True)
class Asked:
    """What a table is asked to hold, and where that lies.

    Attributes
    ----------
    results : Path
    data : Path or None
        Where the datasets lie; None for the usual place, and for where each run found its own.
    datasets, methods : tuple of str
        Names; labels or patterns of them. Empty for all.
    """

    results: Path
    data: Path | None = None
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()

    @property
    def data_root(self) -> Path:
        return self.data or Path(os.environ.get("XCBENCH_DATA") or DEFAULT_DATA)


def build_table(number: int, asked: Asked) -> tuple[Table, list[str]]:
    """Table 1, 2 or 3, and a line for each thing that is missing from it.

    Raises
    ------
    ConfigError
        There is no results folder (Tables 2 and 3).
    """
    if number == 1:
        return _data_table(asked)
    store = open_results(asked.results)
    rows, left_out = finished_rows(store, asked)
    places = Places(_CONFIGS, asked.data_root, asked.results)
    missing = [*left_out, *missing_runs(rows, places, asked.datasets, asked.methods)]
    from xcbench.report.tables import table2, table3
    from xcbench.runner.row_scores import StoredScores

    if number == 3:
        return table3(rows), missing
    scores = StoredScores(store, asked.data)
    table = table2(rows, scores)
    reasons = [f"{run_id}: no rows to compare: {why}" for run_id, why in scores.missing.items()]
    return table, [*reasons, *missing]


def finished_rows(store: ResultStore, asked: Asked) -> tuple[list[Row], list[str]]:
    """The finished runs asked for.

    Runs of sweeps are left out, unless methods are asked for by name; the lines say so.
    """
    from xcbench.report.query import Filter
    from xcbench.report.rows import is_swept, is_xc

    wanted = Filter(asked.datasets, asked.methods, "done")
    rows = [
        row
        for row in rows_of(store.results())
        # Runs with damaged labels, or on held-out training rows, are no results on their dataset.
        if wanted(row)
        and is_xc(row)
        and not row.keys() & {"dataset.corrupted.rows", "dataset.held_out.share"}
    ]
    if asked.methods:
        return rows, []
    kept = [row for row in rows if not is_swept(row)]
    swept = len(rows) - len(kept)
    if not swept:
        return rows, []
    runs = "1 run of a sweep is" if swept == 1 else f"{swept} runs of sweeps are"
    return kept, [f"{runs} not in the table; --method names some"]


def _data_table(asked: Asked) -> tuple[Table, list[str]]:
    from xcbench.data.catalogue import catalogue
    from xcbench.data.sources import is_present
    from xcbench.report.tables import table1

    root, entries = asked.data_root, catalogue()
    names = asked.datasets or [
        name for name, entry in entries.items() if entry.table1 or is_present(entry, root)
    ]
    found: dict[str, Statistics] = {}
    missing = []
    for name in names:
        entry = entries.get(name)
        if entry is not None and not is_present(entry, root):
            missing.append(f"{name}: not in {root}; {where_to_get(entry)}")
            continue
        try:
            found[name] = _statistics(name, entry, root)
        except DataError as error:
            missing.append(str(error))
    return table1(found), missing


def _statistics(name: str, entry: CatalogueEntry | None, data_root: Path) -> Statistics:
    from xcbench.config.dataset import DatasetConfig
    from xcbench.data.sources import locate
    from xcbench.data.statistics import statistics
    from xcbench.data.store import prepare

    features = entry.features if entry else "unit"
    dataset = DatasetConfig(name=name, features=features)
    return statistics(prepare(locate(dataset, data_root), features))

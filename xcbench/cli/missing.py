"""What a table could have had: the jobs of the project's configs that have no result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from xcbench.cli.commands import command
from xcbench.errors import ConfigError

if TYPE_CHECKING:
    from xcbench.config.schema import Config
    from xcbench.data.catalogue import CatalogueEntry
    from xcbench.report.rows import Row

_MOST_NAMED = 4
# Beside CONFIGS/<dataset>.yaml: the methods of peers, and ours over more splits and seeds.
_FOLDERS = ("", "peers", "splits", "seeds")


@dataclass(frozen=True)
class Places:
    """Where configs, data and results lie, for the commands that are advised."""

    configs: Path
    data: Path
    results: Path


def missing_runs(
    rows: Sequence[Row], places: Places, datasets: Sequence[str], methods: Sequence[str]
) -> list[str]:
    """A line for each dataset with jobs that have no finished run, and what to do about them.

    A job counts as run when a run of its dataset, label, split and seed is there; whether its
    config is still the same is for ``xcbench run`` to tell.

    Parameters
    ----------
    rows : sequence of Row
        Of the finished runs.
    places : Places
    datasets, methods : sequences of str
        Those that are asked for, methods by label or pattern; empty for all.
    """
    from xcbench.config.loader import load_config
    from xcbench.data.catalogue import catalogue

    have = {(row["dataset"], row["method"], row["split"], row["seed"]) for row in rows}
    lines = []
    for name, entry in catalogue().items():
        labels: dict[str, None] = {}
        paths: list[Path] = []
        for path in _configs(name, places.configs) if not datasets or name in datasets else ():
            try:
                missing = _labels_without(load_config(path), have, methods)
            except ConfigError as error:
                lines.append(str(error))
                continue
            labels |= dict.fromkeys(missing)
            paths += [path] if missing else []
        if labels:
            lines.append(
                f"{name}: no results of {_named(list(labels))}; {_advice(entry, paths, places)}"
            )
    return lines


def where_to_get(entry: CatalogueEntry) -> str:
    """What to do for a dataset that is not in place."""
    fetch = f"`xcbench data fetch {entry.name}`" if entry.downloads else ""
    page = f"by hand from {entry.page}" if entry.page else ""
    ways = [way for way in (fetch, page) if way]
    return f"get it with {', or '.join(ways)}" if ways else f"it is of {entry.source}"


def _configs(name: str, root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        path = root / folder / f"{name}.yaml"
        if path.is_file():
            yield path


def _labels_without(
    config: Config, have: set[tuple[str, str, int, int]], methods: Sequence[str]
) -> list[str]:
    return [
        job.method.label
        for job in config.jobs()
        if (job.dataset.title, job.method.label, job.split, job.seed) not in have
        and (not methods or any(fnmatchcase(job.method.label, pattern) for pattern in methods))
    ]


def _named(labels: Sequence[str]) -> str:
    more = len(labels) - _MOST_NAMED
    return ", ".join(labels[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _advice(entry: CatalogueEntry, paths: Sequence[Path], places: Places) -> str:
    from xcbench.data.sources import is_present

    run = f"`{command(['xcbench', 'run', *paths], places.data, places.results)}`"
    if is_present(entry, places.data):
        return run
    return f"its data is not in {places.data}: {where_to_get(entry)}; then {run}"

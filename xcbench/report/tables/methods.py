"""From rows of results to methods: the runs of one config over seeds and splits belong together."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xcbench.data.catalogue import catalogue
from xcbench.report.document import GROUPS, Group, Line
from xcbench.report.rows import Row, are_of_catalogue

_PAPER = ("rxml-paper", "sleec", "global", "maxide")
_PEERS = ("omikuji", "napkinxc", "pecos")
_BASELINES = ("one_vs_rest", "feature_neighbours")
_CONFIG = ("dataset.", "method.", "metrics.")
_MACHINE = ("host", "cpu", "jobs", "threads_per_job")

# Host, processor, processes, and threads of each.
Machine = tuple[Any, ...]


@dataclass(frozen=True)
class Method:
    """A method on a dataset, and its runs by split and seed."""

    label: str
    group: Group
    runs: tuple[Row, ...]

    @property
    def splits(self) -> tuple[int, ...]:
        return tuple(sorted({int(run["split"]) for run in self.runs}))

    @property
    def source(self) -> str:
        return ", ".join(str(run["run_id"]) for run in self.runs)

    @property
    def runs_text(self) -> str:
        """How many runs are behind its numbers: "10 splits", "3 seeds", "1"."""
        splits, seeds = len(self.splits), len({run["seed"] for run in self.runs})
        if len(self.runs) == 1:
            return "1"
        if len(self.runs) != splits * seeds:
            return f"{len(self.runs)} runs, {splits} splits"
        parts = [f"{n} {what}" for n, what in ((splits, "splits"), (seeds, "seeds")) if n > 1]
        return " x ".join(parts)

    def on(self, splits: Iterable[int]) -> Method:
        """The same with its runs on some splits only."""
        wanted = set(splits)
        return Method(self.label, self.group, tuple(r for r in self.runs if r["split"] in wanted))

    def numbers(self, column: str) -> list[float]:
        """A column's numbers: of each split, the mean over its seeds; of one split, each seed's."""
        values = [run.get(column) for run in self.runs]
        found = [
            (int(run["split"]), float(value))
            for run, value in zip(self.runs, values, strict=True)
            if value is not None and value != ""
        ]
        if len(found) < len(values):
            return []
        if len(self.splits) == 1:
            return [value for _, value in found]
        return [statistics.fmean(v for at, v in found if at == split) for split in self.splits]


def by_dataset(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Finished runs by dataset: in the catalogue's order, then others by the alphabet."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["status"] == "done":
            found.setdefault(str(row["dataset"]), []).append(row)
    known = [name for name in catalogue() if name in found]
    return {name: found[name] for name in [*known, *sorted(found.keys() - set(known))]}


def methods_of(rows: Sequence[Row]) -> tuple[list[Method], list[str]]:
    """The methods among the runs of one dataset, and notes on the runs that are left out.

    Of runs on other data of the same name, of several configs under one label, and of repeats, the
    newest are taken.
    """
    newest_first = sorted(rows, key=lambda row: str(row["utc"]), reverse=True)
    kept, left_out = _on_newest_data(newest_first)
    notes = [_left_out(left_out, "on other data of this name")] if left_out else []
    configs: dict[str, tuple[Any, ...]] = {}
    runs: dict[str, dict[tuple[int, int], Row]] = {}
    others: list[Row] = []
    for row in kept:
        label, config = str(row["method"]), told(row)
        if configs.setdefault(label, config) != config:
            others.append(row)
        else:
            runs.setdefault(label, {}).setdefault((int(row["split"]), int(row["seed"])), row)
    if others:
        labels = ", ".join(sorted({str(row["method"]) for row in others}))
        notes.append(_left_out(others, f"of {labels} with an older config than the one shown"))
    return [_method(label, runs[label]) for label in sorted(runs)], notes


def on_first_split(dataset: str, methods: Sequence[Method]) -> tuple[str, list[Method], list[str]]:
    """The methods on the first split that any has: a mean of more splits compares with no other.

    Returns
    -------
    str
        The dataset, and the split where there is another.
    list of Method
        Those that have it, with their runs on it alone.
    list of str
        A note that names the others, if any.
    """
    splits = {split for method in methods for split in method.splits}
    first = min(splits)
    kept = [on for method in methods if (on := method.on([first])).runs]
    title = dataset if splits == {1} else f"{dataset}, split {first}"
    return title, kept, not_in_block(methods, kept, f"split {first}")


def not_in_block(all_: Sequence[Method], kept: Sequence[Method], what: str) -> list[str]:
    """A note that names the methods which were not run on some splits, if any."""
    labels = {method.label for method in kept}
    missing = [method.label for method in all_ if method.label not in labels]
    return [f"not run on {what}, so not in this block: {', '.join(missing)}"] if missing else []


def machines_of(methods: Iterable[Method]) -> set[Machine]:
    """What the runs ran on and with; times compare only where this is one."""
    return {tuple(run.get(key) for key in _MACHINE) for m in methods for run in m.runs}


def title_of(dataset: str, methods: Iterable[Method]) -> str:
    """The title of the methods' data in print; "" when it is not the catalogue's."""
    entry = catalogue().get(dataset)
    runs = (run for method in methods for run in method.runs)
    return entry.title if entry and are_of_catalogue(dataset, runs) else ""


def in_groups(lines: Iterable[Line], column: str, lowest_first: bool = False) -> list[Line]:
    """Lines group by group, each by a column with the best first and those without it last."""

    def place(line: Line) -> tuple[int, bool, float, str]:
        cell = line.cells.get(column)
        value = cell.value if cell else None
        number = 0.0 if value is None else value
        ordered = number if lowest_first else -number
        return list(GROUPS).index(line.group), value is None, ordered, line.label

    return sorted(lines, key=place)


def group_of(row: Row) -> Group:
    """Whose method it is, by its preset and model."""
    preset, model = row.get("preset"), row.get("method.model")
    if preset in _PAPER or model in _PAPER:
        return "paper"
    if model in _PEERS:
        return "peer"
    return "baseline" if model in _BASELINES else "ours"


def _method(label: str, runs: Mapping[tuple[int, int], Row]) -> Method:
    ordered = tuple(runs[key] for key in sorted(runs))
    return Method(label, group_of(ordered[0]), ordered)


def _on_newest_data(newest_first: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Runs on the newest data of their split and scaling; those on older data."""
    current: dict[tuple[Any, Any], Any] = {}
    kept: list[Row] = []
    left_out: list[Row] = []
    for row in newest_first:
        key, data = (row["split"], row.get("dataset.features")), row["data_sha256"]
        (kept if current.setdefault(key, data) == data else left_out).append(row)
    return kept, left_out


def told(row: Row) -> tuple[Any, ...]:
    """What a run was told, but for seed, split and where it executes; comparable."""
    return tuple(sorted((k, repr(v)) for k, v in row.items() if k.startswith(_CONFIG)))


def _left_out(rows: Sequence[Row], why: str) -> str:
    runs = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
    return f"left out: {runs} {why} ({', '.join(str(row['run_id']) for row in rows[:3])}" + (
        ", ...)" if len(rows) > 3 else ")"
    )

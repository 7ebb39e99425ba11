"""What figures take from the result rows: curves of sweeps with their spread, and their origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np

from xcbench.report.rows import Row, standard_error
from xcbench.report.tables.methods import methods_of

# The arrays that a run left in its predictions.npz, by its id; None when they are gone.
Arrays = Callable[[str], Mapping[str, np.ndarray] | None]


@dataclass(frozen=True)
class Missing:
    """Something a figure would draw but has not, and the command that makes it."""

    what: str
    command: str


@dataclass(frozen=True)
class Curve:
    """A metric against a swept key, over seeds and splits.

    Attributes
    ----------
    x, mean, spread : tuple of float
        Values of the key, ascending; mean and sample standard deviation (0 for a single run) at
        each.
    runs : tuple of Row
        All runs behind it.
    """

    x: tuple[float, ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    runs: tuple[Row, ...]


def curve(rows: Sequence[Row], label: str, dataset: str, key: str, metric: str) -> Curve | None:
    """The curve of the runs that a sweep over ``key`` labelled ``label-...``; None without any.

    Where an earlier version of the config left runs with other settings, the newest runs' count.
    """
    found = [
        row
        for row in rows
        if _is_swept_from(row, label) and row["dataset"] == dataset and metric in row
    ]
    runs = [run for method in methods_of(found)[0] for run in method.runs]
    if not runs:
        return None
    settings = _settings(max(runs, key=lambda run: str(run["utc"])), key)
    points: dict[float, list[Row]] = {}
    for run in runs:
        if _settings(run, key) == settings:
            points.setdefault(float(run[f"method.{key}"]), []).append(run)
    x = sorted(points)
    values = [[float(run[metric]) for run in points[at]] for at in x]
    return Curve(
        tuple(x),
        tuple(fmean(group) for group in values),
        tuple(spread(group) for group in values),
        tuple(run for at in x for run in points[at]),
    )


def finished(rows: Iterable[Row], kind: str) -> list[Row]:
    """Finished runs of a kind of task."""
    return [row for row in rows if row.get("task.kind") == kind and row["status"] == "done"]


def listed_value(row: Row, key: str) -> float:
    """The one value that a run has of what its protocol lists: ``task.observed``."""
    (value,) = row[key]
    return float(value)


def gathered(rows: Iterable[Row], at: Callable[[Row], Any], metric: str) -> dict[Any, list[float]]:
    """A metric's values by the place a run has, places ascending; without runs that lack it."""
    found: dict[Any, list[float]] = {}
    for row in rows:
        if row.get(metric) not in (None, ""):
            found.setdefault(at(row), []).append(float(row[metric]))
    return {place: found[place] for place in sorted(found)}


def in_preset_order(labels: Iterable[str], presets: Iterable[str]) -> list[str]:
    """Labels in the order of the presets they are called after, then others by the alphabet."""
    known = list(presets)
    left = set(labels)
    return [name for name in known if name in left] + sorted(left.difference(known))


def gap(costs: np.ndarray, lowest: float, least: float) -> np.ndarray:
    """Costs above the lowest as a share of it, at least ``least``, for a logarithmic axis."""
    above: np.ndarray = np.maximum(costs / lowest - 1.0, least)
    return above


def spread(values: Sequence[float]) -> float:
    """Sample standard deviation; 0 for a single value."""
    return stdev(values) if len(values) > 1 else 0.0


def datasets_of(rows: Iterable[Row], labels: Sequence[str], first: Sequence[str]) -> list[str]:
    """Datasets with runs of these sweeps: those of ``first`` in that order, then others."""
    found = {str(row["dataset"]) for row in rows for label in labels if _is_swept_from(row, label)}
    return [name for name in first if name in found] + sorted(found.difference(first))


def provenance(runs: Sequence[Row]) -> str:
    """``split 1, seeds 0 to 2, 60 runs`` of the runs on one dataset."""
    splits = _listed("split", {int(run["split"]) for run in runs})
    return f"{splits}, {seeds_of(runs)}, {counted(runs)}"


def seeds_of(runs: Iterable[Row]) -> str:
    """``seeds 0 to 2`` of some runs."""
    return _listed("seed", {int(run["seed"]) for run in runs})


def counted(runs: Sequence[Row]) -> str:
    """``60 runs``."""
    return "1 run" if len(runs) == 1 else f"{len(runs)} runs"


def uncertainty(runs: Iterable[Row]) -> str:
    """The standard error in words."""
    found = standard_error(runs)
    if found is None:
        return "the uncertainty of P@1 is not known"
    return f"one standard error of the best over its {found[1]} test rows {found[0]:.2f} points"


def _listed(noun: str, numbers: set[int]) -> str:
    ordered = sorted(numbers)
    if len(ordered) == 1:
        return f"{noun} {ordered[0]}"
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{noun}s {ordered[0]} to {ordered[-1]}"
    return f"{noun}s {', '.join(map(str, ordered[:-1]))} and {ordered[-1]}"


def _is_swept_from(row: Row, label: str) -> bool:
    return row["status"] == "done" and str(row["method"]).startswith(f"{label}-")


def _settings(row: Row, key: str) -> list[tuple[str, str]]:
    """The run's config but for its label and the swept key; comparable."""
    ignored = {"method.label", f"method.{key}"}
    return sorted(
        (name, repr(value))
        for name, value in row.items()
        if name.startswith(("method.", "dataset.")) and name not in ignored
    )

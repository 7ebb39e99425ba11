"""What figures take from the result rows: curves of sweeps with their spread, and their origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

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


def spread(values: Sequence[float]) -> float:
    """Sample standard deviation; 0 for a single value."""
    return stdev(values) if len(values) > 1 else 0.0


def datasets_of(rows: Iterable[Row], labels: Sequence[str], first: Sequence[str]) -> list[str]:
    """Datasets with runs of these sweeps: those of ``first`` in that order, then others."""
    found = {str(row["dataset"]) for row in rows for label in labels if _is_swept_from(row, label)}
    return [name for name in first if name in found] + sorted(found.difference(first))


def provenance(runs: Sequence[Row]) -> str:
    """``split 1, seeds 0 to 2, 60 runs`` of the runs on one dataset."""
    splits, seeds = ({int(run[key]) for run in runs} for key in ("split", "seed"))
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    return f"{_listed('split', splits)}, {_listed('seed', seeds)}, {count}"


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

"""What figures take from the result rows: curves of sweeps with their spread, and their origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from xcbench.report.tables.methods import methods_of

# The flat config of a run and its row of results.csv in one mapping.
Row = Mapping[str, Any]


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
    found = [row for row in rows if _is_swept_from(row, label) and row["dataset"] == dataset]
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


def is_swept(row: Row) -> bool:
    """Whether a run is a point of a sweep: its label states a key and the run's value of it."""
    label = str(row["method"])
    return any(
        f"-{key.removeprefix('method.')}{value}" in label
        for key, value in row.items()
        if key.startswith("method.")
    )


def datasets_of(rows: Iterable[Row], labels: Sequence[str], first: Sequence[str]) -> list[str]:
    """Datasets with runs of these sweeps: those of ``first`` in that order, then others."""
    found = {str(row["dataset"]) for row in rows for label in labels if _is_swept_from(row, label)}
    return [name for name in first if name in found] + sorted(found.difference(first))


def provenance(runs: Sequence[Row]) -> str:
    """``split 1, seeds 0 to 2, 60 runs`` of the runs on one dataset."""
    splits, seeds = ({int(run[key]) for run in runs} for key in ("split", "seed"))
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    return f"{_listed('split', splits)}, {_listed('seed', seeds)}, {count}"


def standard_error(runs: Iterable[Row]) -> tuple[float, int]:
    """Standard error of the best P@1, sqrt(p (1 - p) / n) in points, and its test rows n."""
    best = max(runs, key=lambda run: float(run["P@1"]))
    p, n = float(best["P@1"]) / 100, int(best["n_test"])
    return float(100 * (p * (1 - p) / n) ** 0.5), n


def uncertainty(runs: Iterable[Row]) -> str:
    """The standard error in words."""
    error, n = standard_error(runs)
    return f"one standard error of the best over its {n} test rows {error:.2f} points"


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

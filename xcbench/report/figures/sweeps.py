"""P@1 against the values of a sweep: what Figures 1 and 2 share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xcbench.report.figures.rows import (
    Curve,
    Missing,
    curve,
    datasets_of,
    provenance,
    uncertainty,
)
from xcbench.report.figures.style import BLUE, GREY, SINGLE_COLUMN, VERMILLION, Look
from xcbench.report.rows import Row

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METRIC = "P@1"
DATASETS = ("bibtex", "delicious", "stackex-cs")  # those with configs of their own
PAPER, OURS = Look(VERMILLION, "o", "--", filled=False), Look(BLUE, "s", "-")

Curves = Mapping["Line", Curve]


@dataclass(frozen=True)
class Line:
    """A line of a panel: the label its runs share, what the legend says, how it looks."""

    label: str
    legend: str
    look: Look


@dataclass(frozen=True)
class Sweep:
    """What a panel shows: the swept config key, what it is called, its lines, and the config whose
    runs they are (``{}`` stands for the dataset)."""

    key: str
    title: str
    lines: tuple[Line, ...]
    config: str


def names_of(rows: Sequence[Row], sweeps: Iterable[Sweep]) -> list[str]:
    """Datasets that have runs of these sweeps, in the order of their panels."""
    return datasets_of(rows, [line.label for sweep in sweeps for line in sweep.lines], DATASETS)


def curves_of(rows: Sequence[Row], sweep: Sweep, name: str) -> Curves:
    """The curves there are on a dataset, by line."""
    found = {line: curve(rows, line.label, name, sweep.key, METRIC) for line in sweep.lines}
    return {line: points for line, points in found.items() if points is not None}


def draw(axis: Axes, curves: Curves) -> None:
    """Means as lines, standard deviations as bands; every setting is a count."""
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
    if not curves:
        axis.text(0.5, 0.5, "no runs", transform=axis.transAxes, ha="center", color=GREY)
    for line, found in curves.items():
        axis.plot(found.x, found.mean, label=line.legend, **line.look.line())
        if any(found.spread):
            low, high = (
                [m + sign * s for m, s in zip(found.mean, found.spread, strict=True)]
                for sign in (-1, 1)
            )
            axis.fill_between(found.x, low, high, color=line.look.colour, alpha=0.25, linewidth=0)


def legend(figure: Figure) -> None:
    """One legend above all panels, every line in it once."""
    entries: dict[str, Artist] = {}
    for axis in figure.axes:
        handles, texts = axis.get_legend_handles_labels()
        for handle, text in zip(handles, texts, strict=True):
            entries.setdefault(text, handle)
    columns = len(entries) if figure.get_figwidth() > SINGLE_COLUMN else 1
    figure.legend(list(entries.values()), list(entries), loc="outside upper center", ncols=columns)


def origin(curves: Iterable[tuple[str, Curves]]) -> str:
    """What is behind the lines: for every dataset its split, seeds, runs, and standard error."""
    runs: dict[str, list[Row]] = {}
    for name, found in curves:
        runs.setdefault(name, []).extend(run for line in found.values() for run in line.runs)
    parts = [
        f"{name}: {provenance(found)}, {uncertainty(found)}"
        for name, found in runs.items()
        if found
    ]
    return f"Measured here. {'; '.join(parts)}."


def described(curves: Iterable[tuple[str, Curves]], sweep: Sweep) -> str:
    """The ends of every line in words."""
    parts = [
        f"{name}, {line.legend}: {found.mean[0]:.1f} at {found.x[0]:g}, {found.mean[-1]:.1f} at "
        f"{found.x[-1]:g}"
        for name, of_dataset in curves
        for line, found in of_dataset.items()
    ]
    return f"{METRIC} in percent by {sweep.title}. {'; '.join(parts)}."


def missing(rows: Sequence[Row], sweeps: Sequence[Sweep]) -> list[Missing]:
    """On the datasets with configs: lines without runs, and runs that the other line has."""
    return [
        Missing(what, f"xcbench run {sweep.config.format(name)}")
        for name in DATASETS
        for sweep in sweeps
        if (what := _lacking(curves_of(rows, sweep, name), sweep, name))
    ]


def _lacking(curves: Curves, sweep: Sweep, name: str) -> str:
    have = {
        line.label: {(x, run["seed"]) for x, run in _points(curves.get(line), sweep)}
        for line in sweep.lines
    }
    wanted = set().union(*have.values())
    parts = [
        f"{len(wanted - found)} of {len(wanted)} runs of {label}" if found else f"runs of {label}"
        for label, found in have.items()
        if not found or wanted - found
    ]
    return f"{name}: no {' and no '.join(parts)}" if parts else ""


def _points(found: Curve | None, sweep: Sweep) -> list[tuple[float, Row]]:
    runs = found.runs if found else ()
    return [(float(run[f"method.{sweep.key}"]), run) for run in runs]

"""Functional correspondence: error curves, convergence, and a colouring carried from pose to pose.

After Figures 3 and 4 of the MADMM paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Arrays, Missing, provenance
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)
from xcbench.report.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "functional_correspondence"
_COMMAND = "xcbench run configs/correspondence.yaml"
# One after another for the methods of a model.
_LOOKS = {
    "correspondence_madmm": (Look(BLUE, "o"), Look(SKY, "s", "--")),
    "correspondence_least_squares": (
        Look(VERMILLION, "s", "--"), Look(ORANGE, "D", "--", filled=False),
    ),
    "correspondence_smoothed": (
        Look(GREEN, "^", "-."), Look(PURPLE, "v", "-."), Look(BLACK, "x", ":"),
        Look(GREEN, "D", ":", filled=False),
    ),
}  # fmt: skip
_MARKED = 8  # radii from marker to marker
_APART = 0.12  # of the panel's diagonal, from marker to marker
_FAR = 0.3  # the largest radius shown
_FLAT = 1e-6  # of the gap above the lowest cost: what is below is drawn here

Kept = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Runs:
    """Runs of a method on a dataset, one for each seed, with what they kept."""

    label: str
    look: Look
    rows: tuple[Row, ...]
    kept: tuple[Kept, ...]

    @property
    def within(self) -> np.ndarray:
        """Share within each radius, mean over seeds."""
        return np.mean([arrays["within"] for arrays in self.kept], axis=0)

    def mean(self, metric: str) -> float:
        """Mean of a metric over seeds."""
        return fmean(float(row[metric]) for row in self.rows)


def figure_functional_correspondence(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """Error curves above, convergence below, one column a dataset; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    arrays : callable
        Run id -> the arrays of its predictions.npz, None where they are gone.
    """
    found = runs_of(rows, arrays)
    if not found:
        return None
    with styled():
        columns = len(found)
        figure, axes = panels(2, columns, height=4.6)
        for number, (title, runs) in enumerate(found.items()):
            _draw_errors(axes[number], runs)
            lettered(axes[number], number, f"{title}, error")
            _draw_costs(axes[columns + number], runs)
            lettered(axes[columns + number], columns + number, f"{title}, convergence")
        handles = {run.label: run for runs in found.values() for run in runs}
        _legend(figure, list(handles.values()))
        settle(figure)
    title = "Functional correspondence with outliers"
    return Drawing("correspondence", title, _caption(found), _described(found), figure)


def missing_functional_correspondence(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    if any(row.get("task.kind") == KIND and row["status"] == "done" for row in rows):
        return []
    return [Missing("no runs of functional correspondence", _COMMAND)]


def _most_contaminated(rows: Sequence[Row]) -> list[Row]:
    """Finished runs of the task, those with the largest share of outliers on each dataset."""
    done = [row for row in rows if row.get("task.kind") == KIND and row["status"] == "done"]
    return [
        row
        for row in done
        if outliers_of(row) == max(outliers_of(r) for r in done if r["dataset"] == row["dataset"])
    ]


def outliers_of(row: Row) -> float:
    """Percent of outliers of a run."""
    return float(np.ravel(row["task.outliers"])[0])


def runs_of(rows: Sequence[Row], arrays: Arrays) -> dict[str, list[Runs]]:
    """Methods by dataset, in the order of their models, with the most outliers that were run.

    Of equal runs the newest counts; those whose arrays are gone are left out.
    """
    newest = {
        (row["dataset"], row["method"], row["seed"]): row
        for row in sorted(_most_contaminated(rows), key=lambda row: str(row["utc"]))
    }
    kept = {key: found for key, row in newest.items() if (found := arrays(str(row["run_id"])))}
    datasets = sorted({dataset for dataset, _, _ in kept}, key=lambda name: (len(name), name))
    looks = _looks([newest[key] for key in kept])
    return {
        dataset: [
            Runs(label, look, tuple(newest[k] for k in keys), tuple(kept[k] for k in keys))
            for label, look in looks.items()
            if (keys := sorted(key for key in kept if key[:2] == (dataset, label)))
        ]
        for dataset in datasets
    }


def _looks(rows: Sequence[Row]) -> dict[str, Look]:
    """A look for each method; the smoothed ones by falling epsilon."""
    models = list(_LOOKS)
    methods = {
        str(row["method"]): (models.index(row["method.model"]), -row.get("method.epsilon", 0.0))
        for row in rows
    }
    looks: dict[str, Look] = {}
    counts = dict.fromkeys(models, 0)
    for label in sorted(methods, key=lambda label: (*methods[label], label)):
        model = models[methods[label][0]]
        looks[label] = _LOOKS[model][counts[model] % len(_LOOKS[model])]
        counts[model] += 1
    return looks


def _draw_errors(axis: Axes, runs: Sequence[Runs]) -> None:
    for run in runs:
        radii = run.kept[0]["radii"]
        axis.plot(radii, run.within, label=run.label, markevery=_MARKED, **run.look.line())
    axis.set_xlim(0.0, _FAR)
    axis.set_ylim(0.0, 101.0)
    axis.set_xlabel("geodesic distance / √area")
    axis.set_ylabel("vertices within (%)")


def _draw_costs(axis: Axes, runs: Sequence[Runs]) -> None:
    """Of the first seed all methods share, the cost above the lowest one any of them met."""
    for run, arrays in zip(runs, _of_first_seed(runs), strict=True):
        gap = _gap(arrays, runs)
        axis.plot(
            1000.0 * arrays["trace_seconds"][1:], np.maximum(gap, _FLAT)[1:], label=run.label,
            markevery=_APART, **run.look.line(),
        )  # fmt: skip
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("wall time (ms)")
    axis.set_ylabel("cost above the lowest (share)")


def _of_first_seed(runs: Sequence[Runs]) -> list[Kept]:
    shared = set.intersection(*({int(row["seed"]) for row in run.rows} for run in runs))
    seed = min(shared) if shared else None
    chosen = []
    for run in runs:
        seeds = [int(row["seed"]) for row in run.rows]
        chosen.append(run.kept[seeds.index(seed) if seed is not None else 0])
    return chosen


def _gap(arrays: Kept, runs: Sequence[Runs]) -> np.ndarray:
    lowest = min(float(other["trace_cost"].min()) for other in _of_first_seed(runs))
    gap: np.ndarray = arrays["trace_cost"] / lowest - 1.0
    return gap


def _legend(figure: Figure, runs: Sequence[Runs]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=run.label, **run.look.line()) for run in runs]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, columnspacing=1.2)


def _caption(found: Mapping[str, Sequence[Runs]]) -> str:
    parts = []
    for title, runs in found.items():
        row = runs[0].rows[0]
        distortion = 100.0 * np.mean([a["distortion"].mean() for run in runs for a in run.kept])
        parts.append(
            f"{title}: {row['dataset.shapes']} poses of {row['dataset.mesh']}, edge lengths "
            f"changed by {distortion:.1f} % on average, {outliers_of(row):g} % of "
            f"{row['task.functions']} functions a pair matched wrongly, {row['task.basis']} "
            f"eigenvectors a pose; "
            # There are no splits.
            f"{provenance([r for run in runs for r in run.rows]).removeprefix('split 1, ')}"
        )
    return (
        "Above: share of vertices that a method maps within a geodesic distance (shortest paths "
        "along edges, over the square root of the area) of their true place, mean over all pairs "
        "of poses and seeds. Below: the objective with the 2,1-norm, whatever a method minimises, "
        "above the lowest value that any method met, against wall time, on the first seed; values "
        f"below {_FLAT:g} are drawn there. {'. '.join(parts)}."
    )


def _described(found: Mapping[str, Sequence[Runs]]) -> str:
    parts = [
        f"{title}: "
        + ", ".join(
            f"{run.label} {run.mean('within_5'):.1f} % within 5 % and mean error "
            f"{run.mean('correspondence_error'):.2f} %"
            for run in runs
        )
        for title, runs in found.items()
    ]
    return f"Curves of correspondence error and convergence. {'; '.join(parts)}."

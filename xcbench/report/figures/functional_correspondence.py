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
from xcbench.report.figures.rows import (
    Arrays,
    Missing,
    counted,
    finished,
    gap,
    listed_value,
    seeds_of,
)
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    Look,
    in_turn,
    lettered,
    log_axes,
    panels,
    settle,
    styled,
)
from xcbench.report.rows import Row
from xcbench.report.settings import settings_of

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
        found: np.ndarray = np.mean([arrays["within"] for arrays in self.kept], axis=0)
        return found

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
    if finished(rows, KIND):
        return []
    return [Missing("no runs of functional correspondence", _COMMAND)]


def _of_one_problem(rows: Sequence[Row]) -> list[Row]:
    """Of the runs on one dataset those that compare: one problem, and one setting a label.

    The problem is that of most outliers, of those the one with the most runs, then the newest; of
    a label's settings, which a later config may have changed, the newest are taken.
    """
    problems = _grouped(rows, "task.", "dataset.").values()
    chosen = max(
        problems,
        key=lambda runs: (outliers_of(runs[0]), len(_newest(runs)), _last(runs)),
    )
    by_method = _grouped(chosen, "method.").values()
    newest = {str(runs[-1]["method"]): runs for runs in sorted(by_method, key=_last)}
    return [row for runs in newest.values() for row in runs]


def _grouped(rows: Sequence[Row], *prefixes: str) -> dict[str, list[Row]]:
    """Runs by their settings, the newest last."""
    groups: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: str(row["utc"])):
        groups.setdefault(repr(sorted(settings_of(row, *prefixes).items())), []).append(row)
    return groups


def _last(runs: Sequence[Row]) -> str:
    return str(runs[-1]["utc"])


def _newest(rows: Sequence[Row]) -> dict[tuple[str, str, int], Row]:
    """The newest run of each dataset, method and seed."""
    ordered = sorted(rows, key=lambda row: str(row["utc"]))
    return {(str(row["dataset"]), str(row["method"]), int(row["seed"])): row for row in ordered}


def outliers_of(row: Row) -> float:
    """Percent of outliers of a run."""
    return listed_value(row, "task.outliers")


def runs_of(rows: Sequence[Row], arrays: Arrays) -> dict[str, list[Runs]]:
    """Methods by dataset, in the order of their models, on one problem a dataset.

    That of the most outliers. Of equal runs the newest counts; those whose arrays are gone are left
    out.
    """
    by_dataset: dict[str, list[Row]] = {}
    for row in finished(rows, KIND):
        by_dataset.setdefault(str(row["dataset"]), []).append(row)
    newest = _newest([row for runs in by_dataset.values() for row in _of_one_problem(runs)])
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
    ordered = sorted(methods, key=lambda label: (*methods[label], label))
    return in_turn({label: models[methods[label][0]] for label in ordered}, _LOOKS)


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
    chosen = _of_first_seed(runs)
    lowest = min(float(arrays["trace_cost"].min()) for arrays in chosen)
    for run, arrays in zip(runs, chosen, strict=True):
        axis.plot(
            1000.0 * arrays["trace_seconds"][1:], gap(arrays["trace_cost"], lowest, _FLAT)[1:],
            label=run.label, markevery=_APART, **run.look.line(),
        )  # fmt: skip
    log_axes(axis, "wall time (ms)", "cost above the lowest (share)")


def _of_first_seed(runs: Sequence[Runs]) -> list[Kept]:
    shared = set.intersection(*({int(row["seed"]) for row in run.rows} for run in runs))
    seed = min(shared) if shared else None
    chosen = []
    for run in runs:
        seeds = [int(row["seed"]) for row in run.rows]
        chosen.append(run.kept[seeds.index(seed) if seed is not None else 0])
    return chosen


def _legend(figure: Figure, runs: Sequence[Runs]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=run.label, **run.look.line()) for run in runs]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, columnspacing=1.2)


def _caption(found: Mapping[str, Sequence[Runs]]) -> str:
    parts = []
    for title, runs in found.items():
        row = runs[0].rows[0]
        own = [each for run in runs for each in run.rows]
        distortion = 100.0 * np.mean([a["distortion"].mean() for run in runs for a in run.kept])
        parts.append(
            f"{title}: {row['dataset.shapes']} poses of {row['dataset.mesh']}, edge lengths "
            f"changed by {distortion:.1f} % on average, {outliers_of(row):g} % of "
            f"{row['task.functions']} functions a pair matched wrongly, {row['task.basis']} "
            f"eigenvectors a pose, mu {row['task.mu']:g}, diffusion {row['task.diffusion']:g}; "
            f"{seeds_of(own)}, {counted(own)}"
        )
    return (
        "Above: share of vertices that a method maps within a geodesic distance (shortest paths "
        "along edges, over the square root of the area) of their true place, mean over all pairs "
        "of poses and seeds; vertices are drawn from all, those that functions were matched at "
        "included. Below: the objective with the 2,1-norm, whatever a method minimises, "
        "above the lowest value that any method met, against wall time, evaluating it after every "
        "iteration included, on the first seed; values "
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

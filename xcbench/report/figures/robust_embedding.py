"""Maps of places from distances some of which are doubled (the MADMM paper's Figures 5 and 6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Arrays, Missing, finished, gap, gathered, listed_value
from xcbench.report.figures.style import (
    BLUE,
    GREEN,
    GREY,
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

KIND = "robust_embedding"
CLASSICAL, MADMM = "embedding_classical_mds", "embedding_madmm"
SUBGRADIENT = "embedding_subgradient"
_LOOKS = {
    CLASSICAL: (Look(VERMILLION, "s", "--"), Look(ORANGE, "D", ":")),
    MADMM: (Look(BLUE, "o", "-"), Look(SKY, "v", "-.")),
    SUBGRADIENT: (Look(GREEN, "^", "-."), Look(PURPLE, "P", ":")),
}
_COMMAND = "xcbench run configs/embedding.yaml"
_SCALING = "xcbench run configs/embedding-scaling.yaml"
_USUAL_SHARE = 5.0
_COLUMNS = 2
_MARKED = 8  # markers a line
_LEGEND_ROOM = 1e3  # above the largest error, on a logarithmic axis
# What a logarithmic axis ends at: a share of the cost, and km.
_LEAST_GAP, _LEAST_ERROR = 1e-5, 1e-3


@dataclass(frozen=True)
class _Panel:
    title: str
    text: str  # of the caption and for those who cannot see it
    draw: Callable[[Axes], None]


@dataclass(frozen=True)
class _Run:
    row: Row
    arrays: Mapping[str, np.ndarray]

    @property
    def label(self) -> str:
        return str(self.row["method"])

    @property
    def model(self) -> str:
        return str(self.row["method.model"])

    @property
    def error(self) -> float:
        return float(self.row["median_error"])


Scene = dict[str, _Run]  # runs on the very same distances by their labels


def figure_robust_embedding(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """Maps, convergence, error against wrong distances, time against n; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    arrays : callable
        Run id to its arrays: ``truth``, ``aligned``, ``costs``, ``trace_seconds``.
    """
    done = finished(rows, KIND)
    looks = _looks(done)
    complete = _complete(done)
    scene = _scene(complete, arrays)
    drawn = [*_maps(scene, looks), *_convergence(scene, looks)]
    drawn += [*_errors(complete, scene, looks), *_times(done, looks)]
    if not drawn:
        return None
    with styled():
        lines = ceil(len(drawn) / _COLUMNS)
        figure, axes = panels(lines, min(len(drawn), _COLUMNS), height=0.2 + 2.3 * lines)
        for axis in axes[len(drawn) :]:
            axis.set_axis_off()
        for number, (axis, panel) in enumerate(zip(axes, drawn, strict=False)):
            panel.draw(axis)
            lettered(axis, number, panel.title)
        settle(figure)
    texts = [f"({chr(ord('a') + number)}) {panel.text}." for number, panel in enumerate(drawn)]
    title = "Maps from distances some of which are doubled"
    return Drawing("embedding", title, " ".join(texts), " ".join(texts), figure)


def missing_robust_embedding(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    done = finished(rows, KIND)
    models = {row["method.model"] for row in done}
    found = []
    if not {CLASSICAL, MADMM, SUBGRADIENT} <= models:
        found.append(Missing("no runs of all three methods of robust embedding", _COMMAND))
    if len({row["n_train"] for row in done if row["method.model"] == MADMM}) < 2:
        found.append(Missing("no runs of robust embedding at several sizes", _SCALING))
    return found


def _complete(rows: Iterable[Row]) -> list[Row]:
    """On each dataset the runs of every label's fullest settings.

    A label with fewer than half as many shares of wrong distances as another is left out: it was
    run for its time or as a trial, and its map shows no more than that.
    """
    kept: list[Row] = []
    for runs in _grouped(rows, lambda row: _distances(row)[:2]):
        fullest = [_fullest(group, _distances) for group in _grouped(runs, _label)]
        shares = [len({_share(row) for row in group}) for group in fullest]
        for group, count in zip(fullest, shares, strict=True):
            kept += group if 2 * count >= max(shares) else []
    return kept


def _fullest(runs: Iterable[Row], counted: Callable[[Row], Hashable]) -> list[Row]:
    """Of one label's runs those of one config, of each job the newest.

    It is the config with the most of what is counted; of equal ones that of most iterations, then
    the newest.
    """
    configs: dict[str, dict[Hashable, Row]] = {}
    for row in sorted(runs, key=_age):
        configs.setdefault(_settings(row), {})[_distances(row)] = row

    def rank(jobs: Mapping[Hashable, Row]) -> tuple[int, int, str]:
        *_, last = jobs.values()
        iterations = int(last.get("method.iterations") or 0)
        return len({counted(row) for row in jobs.values()}), iterations, _age(last)

    return list(max(configs.values(), key=rank).values())


def _grouped(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> list[list[Row]]:
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())


def _settings(row: Row) -> str:
    """What a run's method was told, but for its label; comparable."""
    told = settings_of(row, "method.")
    return repr(sorted((key, value) for key, value in told.items() if key != "method.label"))


def _age(row: Row) -> str:
    return str(row["utc"])


def _label(row: Row) -> str:
    return str(row["method"])


def _share(row: Row) -> float:
    return listed_value(row, "task.doubled")


def _places(row: Row) -> float:
    return float(row["n_train"])


def _distances(row: Row) -> tuple[str, str, float, int]:
    """What decides about the distances a job meets."""
    return str(row["dataset"]), str(row["task.doubling"]), _share(row), int(row["seed"])


def _looks(rows: Sequence[Row]) -> dict[str, Look]:
    """A look for every label; labels of one model have its looks in turn."""
    models = {_label(row): str(row["method.model"]) for row in rows}
    return in_turn(dict(sorted(models.items())), _LOOKS)


def _scene(rows: Sequence[Row], arrays: Arrays) -> Scene:
    """The distances with most methods; of those the share nearest to the paper's, most places."""
    groups: dict[tuple[str, str, float, int], Scene] = {}
    for row in rows:
        left = arrays(str(row["run_id"]))
        if left is not None and _share(row) > 0:
            groups.setdefault(_distances(row), {})[_label(row)] = _Run(row, left)

    def rank(key: tuple[str, str, float, int]) -> tuple[float, ...]:
        scene = groups[key]
        size = len(next(iter(scene.values())).arrays["truth"])
        return len(scene), -abs(key[2] - _USUAL_SHARE), size, -key[3]

    return groups[max(sorted(groups), key=rank)] if groups else {}


def _best(scene: Scene, model: str) -> _Run | None:
    mine = [scene[label] for label in sorted(scene) if scene[label].model == model]
    return min(mine, key=lambda run: float(run.row["cost"]), default=None)


def _maps(scene: Scene, looks: Mapping[str, Look]) -> list[_Panel]:
    runs = [run for model in (CLASSICAL, MADMM) if (run := _best(scene, model)) is not None]
    return [_map_panel(run, looks[run.label]) for run in runs]


def _map_panel(run: _Run, look: Look) -> _Panel:
    truth, aligned = run.arrays["truth"], run.arrays["aligned"]

    def draw(axis: Axes) -> None:
        axis.plot(*np.stack([truth, aligned], axis=1).T, color=GREY, linewidth=0.4)
        axis.plot(*truth.T, ".", color=GREY, markersize=2.0, label="true")
        axis.plot(
            *aligned.T, look.marker, markersize=2.2, label="found",
            markerfacecolor="none", markeredgecolor=look.colour, markeredgewidth=0.5,
        )  # fmt: skip
        margin = 0.15 * np.ptp(truth, axis=0)
        axis.set_xlim(truth[:, 0].min() - margin[0], truth[:, 0].max() + margin[0])
        axis.set_ylim(truth[:, 1].min() - margin[1], truth[:, 1].max() + margin[1])
        axis.set_aspect("equal")
        axis.set_xlabel("east (km)")
        axis.set_ylabel("north (km)")
        axis.legend(loc="lower left")

    squared = "squared " if run.row["task.doubling"] == "squared" else ""
    text = (
        f"{len(truth)} places of {run.row['dataset']} as {run.label} finds them (seed "
        f"{run.row['seed']}) where {_share(run.row):g} % of the {squared}distances are doubled: "
        f"median error {run.error:.3g} km"
    )
    return _Panel(run.label, text, draw)


def _convergence(scene: Scene, looks: Mapping[str, Look]) -> list[_Panel]:
    runs = [scene[label] for label in sorted(scene) if scene[label].arrays["costs"].size > 1]
    if not runs:
        return []
    lowest = min(float(run.arrays["costs"].min()) for run in runs)

    def draw(axis: Axes) -> None:
        for run in runs:
            above = gap(np.minimum.accumulate(run.arrays["costs"]), lowest, _LEAST_GAP)
            axis.plot(
                run.arrays["trace_seconds"], above, label=run.label,
                markevery=max(1, above.size // _MARKED), **looks[run.label].line(),
            )  # fmt: skip
        log_axes(axis, "wall time (s)", "lowest cost so far above best (share)")
        axis.legend(loc="lower left")

    parts = ", ".join(
        f"{run.label} {float(run.arrays['costs'].min()):.5g} after {run.arrays['costs'].size - 1} "
        f"iterations and {run.arrays['trace_seconds'][-1]:.2g} s"
        for run in runs
    )
    return [_Panel("convergence", f"cost against time on the same distances: {parts}", draw)]


def _errors(rows: Sequence[Row], scene: Scene, looks: Mapping[str, Look]) -> list[_Panel]:
    """Median error against the share of wrong distances, on the dataset of the maps."""
    if not scene:
        return []
    shown = next(iter(scene.values())).row
    same = [row for row in rows if _distances(row)[:2] == _distances(shown)[:2]]
    curves = _curves(_grouped(same, _label), _share, "median_error", fmean)
    if not curves:
        return []

    def draw(axis: Axes) -> None:
        for label, curve in curves.items():
            errors = np.maximum(list(curve.values()), _LEAST_ERROR)
            axis.plot(list(curve), errors, label=label, **looks[label].line())
        axis.set_yscale("log")
        axis.set_xlabel("distances doubled (%)")
        axis.set_ylabel("median error (km)")
        axis.set_ylim(top=_LEGEND_ROOM * max(max(curve.values()) for curve in curves.values()))
        axis.legend(loc="upper left")

    parts = ", ".join(
        f"{label} {curve[share]:.3g} km at {share:g} %"
        for label, curve in curves.items()
        for share in [max(curve)]
    )
    text = (
        f"median error on {shown['dataset']}, means over seeds, below {1000 * _LEAST_ERROR:g} m "
        f"drawn at that: {parts}"
    )
    return [_Panel("error", text, draw)]


def _times(rows: Sequence[Row], looks: Mapping[str, Look]) -> list[_Panel]:
    fullest = [_fullest(runs, _places) for runs in _grouped(rows, _label)]
    curves = _curves(fullest, _places, "ms_per_iteration", median)
    if not curves:
        return []

    def draw(axis: Axes) -> None:
        for label, curve in curves.items():
            axis.plot(list(curve), list(curve.values()), label=label, **looks[label].line())
        log_axes(axis, "places", "time per iteration (ms)")
        axis.legend(loc="upper left")

    parts = ", ".join(
        f"{label} {curve[n]:.3g} ms at {n:g} places"
        for label, curve in curves.items()
        for n in [max(curve)]
    )
    text = f"time of an iteration against places, medians over runs: {parts}"
    return [_Panel("time per iteration", text, draw)]


def _curves(
    groups: Iterable[Sequence[Row]],
    at: Callable[[Row], float],
    metric: str,
    summary: Callable[[Sequence[float]], float],
) -> dict[str, dict[float, float]]:
    """By label, a summary of a metric at every x; of groups of a label's runs with several x."""
    found = {
        _label(runs[0]): {x: summary(values) for x, values in gathered(runs, at, metric).items()}
        for runs in groups
    }
    return {label: found[label] for label in sorted(found) if len(found[label]) > 1}

"""Compressed modes: on the line, and how solvers reach them (the MADMM paper's Figure 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.modes_runs import (
    COLOURS,
    MADMM,
    METHODS,
    Run,
    best_of,
    finished,
    is_line,
    runs_of,
    same_cost,
    same_method,
    steps_of,
    worded,
)
from xcbench.report.figures.rows import Arrays, Missing
from xcbench.report.figures.style import (
    BLUE,
    GREEN,
    ORANGE,
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

_SOLVERS = {
    "preconditioned_conjugate_gradient": ("preconditioned CG", ORANGE),
    "conjugate_gradient": ("CG", BLUE),
    "steepest_descent": ("descent", VERMILLION),
    "trust_region": ("trust region", GREEN),
}
_DASHES = ("-", "--", ":", "-.")
_COMMAND = "xcbench run configs/compressed-modes.yaml"
_COLUMNS = 2
_MARKED = 8  # markers a line
# A cost this close to the lowest, as a share of it, is drawn as if it were so far.
_FLOOR = 1e-5


@dataclass(frozen=True)
class _Panel:
    title: str
    text: str  # of the caption and for those who cannot see it
    draw: Callable[[Axes], None]


def figure_compressed_modes(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """Modes on the line, random starts, X-steps, methods, time an iteration; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    arrays : callable
        Run id to its arrays: ``modes``, ``costs``, ``trace_seconds``.
    """
    runs = runs_of(rows, arrays)
    drawn = [*_line(runs), *_starts(runs), *_x_steps(runs), *_methods(runs), *_scaling(runs)]
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
    title = "Compressed modes and the solvers that find them"
    return Drawing("modes", title, " ".join(texts), " ".join(texts), figure)


def missing_compressed_modes(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    done = finished(rows)
    if not done:
        return [Missing("no runs of compressed modes", _COMMAND)]
    found = []
    # Ours and the paper's are in other configs too.
    if len({steps_of(row) for row in done if row["method.model"] == MADMM}) < 3:
        command = "xcbench run configs/compressed-modes-solvers.yaml"
        found.append(Missing("no runs of MADMM with several X-steps", command))
    if len({row["n_train"] for row in done if is_line(row)}) < 3:
        command = "xcbench run configs/compressed-modes-scaling.yaml"
        found.append(Missing("no runs on lines of several lengths", command))
    return found


def _line(runs: Sequence[Run]) -> list[_Panel]:
    """The best modes on the line with the most runs."""
    groups = same_cost([run for run in runs if run.is_line])
    if not groups:
        return []
    best = best_of(max(groups, key=len))
    modes = best.arrays["modes"]
    spacing = float(best.row["dataset.measure"]) / modes.shape[0]
    x = (np.arange(modes.shape[0]) + 0.5) * spacing

    def draw(axis: Axes) -> None:
        for number, mode in enumerate(modes.T):
            axis.plot(x, mode, color=COLOURS[number % len(COLOURS)], linewidth=0.9)
        axis.set_xlabel("place on the line")
        axis.set_ylabel("mode")

    return [_Panel(f"modes on {best.dataset}", worded(best), draw)]


def _starts(runs: Sequence[Run]) -> list[_Panel]:
    """Cost against round of MADMM from random starts, where there are the most of them."""
    groups = [
        max(same_method(mine), key=len)
        for group in same_cost(runs)
        if (mine := [run for run in group if run.model == MADMM])
    ]
    most = max(map(len, groups), default=0)
    return [_starts_panel(group) for group in groups if len(group) == most > 1]


def _starts_panel(group: Sequence[Run]) -> _Panel:
    low, high = min(run.cost for run in group), max(run.cost for run in group)

    def draw(axis: Axes) -> None:
        for number, run in enumerate(group):
            axis.plot(run.arrays["costs"], color=COLOURS[number % len(COLOURS)], linewidth=0.8)
        _log_axes(axis, "round", "cost")

    text = (
        f"{group[0].name} on {group[0].dataset} from {len(group)} random starts: final cost "
        f"{low:.4g} to {high:.4g}, a spread of {100 * (high / low - 1):.2g} %"
    )
    return _Panel(f"random starts, {group[0].dataset}", text, draw)


def _x_steps(runs: Sequence[Run]) -> list[_Panel]:
    """MADMM with several solvers and numbers of inner iterations, where there are the most."""
    mine = same_cost([run for run in runs if run.model == MADMM])
    steps = max((_by_steps(group) for group in mine), key=len, default={})
    return [_x_steps_panel(steps)] if len(steps) > 1 else []


def _by_steps(group: Sequence[Run]) -> dict[tuple[str, int], Run]:
    """One run for each X-step, that of the most rounds, all of the smallest seed they share."""
    kinds = {run.steps for run in group}
    shared = set.intersection(*({run.seed for run in group if run.steps == s} for s in kinds))
    of_seed = [run for run in group if shared and run.seed == min(shared)]
    by_rounds = sorted(of_seed, key=lambda run: len(run.arrays["costs"]))
    return {run.steps: run for run in by_rounds}


def _x_steps_panel(steps: Mapping[tuple[str, int], Run]) -> _Panel:
    runs = list(steps.values())
    low, high = min(run.cost for run in runs), max(run.cost for run in runs)
    lowest = min(float(run.arrays["costs"].min()) for run in runs)
    inner = sorted({number for _, number in steps})

    def draw(axis: Axes) -> None:
        for (solver, number), run in sorted(steps.items()):
            name, colour = _SOLVERS[solver]
            axis.plot(
                _gap(run, lowest), color=colour, linewidth=0.9, label=f"{name}, {number}",
                linestyle=_DASHES[inner.index(number) % len(_DASHES)],
            )  # fmt: skip
        _log_axes(axis, "round", "cost above lowest (share)")
        axis.legend(fontsize="x-small", handlelength=2.0, labelspacing=0.2)

    text = (
        f"MADMM on {runs[0].dataset} from seed {runs[0].seed} with {len(steps)} X-steps (solver "
        f"and its iterations a round): final cost {low:.4g} to {high:.4g}, "
        f"{100 * (high / low - 1):.2g} % apart"
    )
    return _Panel(f"X-steps, {runs[0].dataset}", text, draw)


def _methods(runs: Sequence[Run]) -> list[_Panel]:
    """Cost against seconds by method, where several methods ran from several starts."""
    return [
        _methods_panel(group)
        for group in same_cost(runs)
        if len({run.method for run in group}) > 1 and len({run.seed for run in group}) > 1
    ]


def _methods_panel(group: Sequence[Run]) -> _Panel:
    best = {
        method: best_of(mine)
        for method in METHODS
        if (mine := [run for run in group if run.method == method])
    }
    lowest = min(float(run.arrays["costs"].min()) for run in best.values())

    def draw(axis: Axes) -> None:
        for method, run in best.items():
            name, look = METHODS[method]
            gap, seconds = _gap(run, lowest)[1:], run.arrays["trace_seconds"][1:]
            every = max(1, len(gap) // _MARKED)
            axis.plot(seconds, gap, label=name, markevery=every, **look.line())
        _log_axes(axis, "wall time (s)", "cost above lowest (share)")
        axis.legend(loc="lower left")

    parts = ", ".join(
        f"{run.name} {run.cost:.4g} after {len(run.arrays['costs']) - 1} iterations and "
        f"{run.arrays['trace_seconds'][-1]:.2g} s"
        for run in best.values()
    )
    dataset = group[0].dataset
    text = (
        f"cost of the orthonormal iterate against time, evaluating it included, on {dataset}, best "
        f"start each: {parts}"
    )
    return _Panel(f"methods, {dataset}", text, draw)


def _gap(run: Run, lowest: float) -> np.ndarray:
    gap: np.ndarray = np.maximum(run.arrays["costs"] / lowest - 1, _FLOOR)
    return gap


def _scaling(runs: Sequence[Run]) -> list[_Panel]:
    """Milliseconds an iteration against vertices; MADMM with the X-step of the most lengths."""
    usual = _usual_steps(runs)
    modes = [run.row["task.modes"] for run in runs]
    compared = [
        run
        for run in runs
        if run.row["task.modes"] == max(sorted(set(modes)), key=modes.count)
        and run.steps == usual[run.method]
    ]
    lines = {method: _times(compared, method, on_line=True) for method in METHODS}
    meshes = {method: _times(compared, method, on_line=False) for method in METHODS}
    if max(map(len, lines.values())) < 2:
        return []

    def draw(axis: Axes) -> None:
        for method, (name, look) in METHODS.items():
            if lines[method] or meshes[method]:
                hollow = Look(look.colour, look.marker, filled=False)
                axis.plot(*_columns(lines[method]), label=name, **look.line())
                axis.plot(*_columns(meshes[method]), **hollow.point())
        _log_axes(axis, "vertices", "time per iteration (ms)")
        axis.legend(loc="upper left")

    parts = ", ".join(
        f"{METHODS[method][0]} {milliseconds:.3g} ms at {n} vertices"
        for method, times in lines.items()
        for n, milliseconds in list(times.items())[-1:]
    )
    steps = "; ".join(
        f"{METHODS[method][0]}: {_SOLVERS[solver][0]}, {number} a round"
        for method, (solver, number) in usual.items()
        if solver
    )
    rounds = f" ({steps})" if steps else ""
    text = (
        f"time of an iteration{rounds}, evaluating the cost included, on lines (filled) and meshes "
        f"(hollow), medians: {parts}"
    )
    return [_Panel("time per iteration", text, draw)]


def _usual_steps(runs: Sequence[Run]) -> dict[str, tuple[str, int]]:
    """Of every method the X-step that it ran with on the most lengths."""
    lengths: dict[tuple[str, tuple[str, int]], set[int]] = {}
    for run in runs:
        lengths.setdefault((run.method, run.steps), set()).add(int(run.row["n_train"]))
    usual: dict[str, tuple[str, int]] = {}
    for method, steps in sorted(lengths, key=lambda key: (-len(lengths[key]), key)):
        usual.setdefault(method, steps)
    return usual


def _times(runs: Sequence[Run], method: str, on_line: bool) -> dict[int, float]:
    found: dict[int, list[float]] = {}
    for run in runs:
        if run.method == method and run.is_line == on_line:
            found.setdefault(int(run.row["n_train"]), []).append(float(run.row["ms_per_iteration"]))
    return {n: median(found[n]) for n in sorted(found)}


def _columns(points: Mapping[int, float]) -> tuple[list[int], list[float]]:
    return list(points), list(points.values())


def _log_axes(axis: Axes, x: str, y: str) -> None:
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel(x)
    axis.set_ylabel(y)

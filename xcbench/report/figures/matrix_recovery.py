"""How often a made-up matrix is recovered, against its size and the share of entries seen."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import NamedTuple

from xcbench.config.matrix_recovery import PRESETS
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.observed import newest_runs, percent_of
from xcbench.report.figures.rows import (
    Arrays,
    Missing,
    gathered,
    in_preset_order,
)
from xcbench.report.figures.style import BLACK, lettered, panels, settle, styled
from xcbench.report.rows import Row

KIND = "matrix_recovery"
_CAPTION = (
    "Share of runs that recover the whole matrix from the entries seen, by the matrix and the "
    "percent of entries seen: white all, black none; numbers are medians of the relative error, as "
    "powers of ten. "
)


class Size(NamedTuple):
    """Of a matrix and its side information: the keys of the dataset."""

    rows: int
    columns: int
    rank: int
    side: int


_UNKNOWN = float("nan")
_TITLES = {"maxide": "with side information", "svt": "without"}


def figure_matrix_recovery(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """A panel a method, a square a size and share observed; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    arrays : callable
        Not asked.
    """
    runs = newest_runs(rows, KIND)
    if not runs:
        return None
    methods = in_preset_order({str(run["method"]) for run in runs}, PRESETS)
    percents = sorted({percent_of(run) for run in runs})
    sizes = sorted({_size(run) for run in runs})
    recovered, errors = (
        gathered(runs, lambda run: (str(run["method"]), percent_of(run), _size(run)), metric)
        for metric in ("recovered", "recovery_error")
    )
    with styled():
        figure, axes = panels(1, max(2, len(methods)), 0.9 + 0.32 * len(sizes))
        for number, (axis, method) in enumerate(zip(axes, methods, strict=False)):
            axis.grid(visible=False)
            grid = [
                [fmean(recovered.get((method, percent, size), [_UNKNOWN])) for percent in percents]
                for size in sizes
            ]
            axis.imshow(grid, cmap="gray", vmin=0, vmax=1, origin="lower", aspect="auto")
            for row, size in enumerate(sizes):
                for column, percent in enumerate(percents):
                    if own := errors.get((method, percent, size)):
                        shade = BLACK if grid[row][column] > 0.5 else "#ffffff"
                        text = f"{median(own):.0e}"
                        axis.text(column, row, text, ha="center", va="center", color=shade, size=5)
            axis.set_xticks(range(len(percents)), [f"{percent:g}" for percent in percents])
            axis.set_yticks(range(len(sizes)), _titles(sizes))
            axis.set_xlabel("entries seen (%)")
            lettered(axis, number, f"{method}, {_TITLES.get(method, 'other settings')}")
        settle(figure)
    seeds = len({int(run["seed"]) for run in runs})
    ranks = sorted({size[2:] for size in sizes})
    about = "; ".join(f"rank {rank}, side information of {side} columns" for rank, side in ranks)
    caption = f"{_CAPTION}Matrices of {about}; {len(runs)} runs of {seeds} seeds."
    parts = [
        f"{method} recovers {fmean(float(r['recovered']) for r in own):.0%} of {len(own)} runs"
        for method in methods
        for own in [[run for run in runs if run["method"] == method]]
    ]
    title = "Recovery with and without side information"
    return Drawing("matrix-recovery", title, caption, f"{'; '.join(parts)}.", figure)


def missing_matrix_recovery(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    if newest_runs(rows, KIND):
        return []
    return [Missing("no runs of matrix recovery", "xcbench run configs/recovery.yaml")]


def _size(run: Row) -> Size:
    rows, columns, rank, side = (int(run[f"dataset.{key}"]) for key in Size._fields)
    return Size(rows, columns, rank, side)


def _titles(sizes: Sequence[Size]) -> list[str]:
    """With rank and side information where those are not the same for all."""
    if len({size[2:] for size in sizes}) == 1:
        return [f"{n} x {m}" for n, m, _, _ in sizes]
    return [f"{n} x {m}, rank {rank}, side {side}" for n, m, rank, side in sizes]

"""How often a made-up matrix is recovered, against its size and the share of entries seen."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from xcbench.config.matrix_recovery import PRESETS
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Arrays, Missing
from xcbench.report.figures.style import BLACK, lettered, panels, settle, styled
from xcbench.report.rows import Row

KIND = "matrix_recovery"
_CAPTION = (
    "Share of runs that recover the whole matrix from the entries seen, by the matrix and the "
    "percent of entries seen: white all, black none; numbers are medians of the relative error, as "
    "powers of ten. "
)
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
    runs = _runs(rows)
    if not runs:
        return None
    labels = {str(run["method"]) for run in runs}
    methods = [name for name in PRESETS if name in labels] + sorted(labels - PRESETS.keys())
    percents = sorted({_percent(run) for run in runs})
    sizes = sorted({(int(run["dataset.rows"]), int(run["dataset.columns"])) for run in runs})
    found: dict[tuple[str, float, tuple[int, int]], list[Row]] = {}
    for run in runs:
        size = int(run["dataset.rows"]), int(run["dataset.columns"])
        found.setdefault((str(run["method"]), _percent(run), size), []).append(run)
    with styled():
        figure, axes = panels(1, max(2, len(methods)), 0.9 + 0.32 * len(sizes))
        for number, (axis, method) in enumerate(zip(axes, methods, strict=False)):
            axis.grid(visible=False)
            grid = [
                [_share(found.get((method, percent, size), [])) for percent in percents]
                for size in sizes
            ]
            axis.imshow(grid, cmap="gray", vmin=0, vmax=1, origin="lower", aspect="auto")
            for row, size in enumerate(sizes):
                for column, percent in enumerate(percents):
                    if own := found.get((method, percent, size)):
                        errors = sorted(float(run["recovery_error"]) for run in own)
                        shade = BLACK if grid[row][column] > 0.5 else "#ffffff"
                        text = f"{errors[len(errors) // 2]:.0e}"
                        axis.text(column, row, text, ha="center", va="center", color=shade, size=5)
            axis.set_xticks(range(len(percents)), [f"{percent:g}" for percent in percents])
            axis.set_yticks(range(len(sizes)), [f"{n} x {m}" for n, m in sizes])
            axis.set_xlabel("entries seen (%)")
            lettered(axis, number, f"{method}, {_TITLES.get(method, 'other settings')}")
        settle(figure)
    seeds = len({int(run["seed"]) for run in runs})
    ranks = sorted({(int(run["dataset.rank"]), int(run["dataset.side"])) for run in runs})
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
    if _runs(rows):
        return []
    return [Missing("no runs of matrix recovery", "xcbench run configs/recovery.yaml")]


def _runs(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.get("task.kind") == KIND and row["status"] == "done"]


def _percent(run: Row) -> float:
    """The one percentage of a run."""
    (percent,) = run["task.observed"]
    return float(percent)


def _share(runs: Sequence[Row]) -> float:
    """Of runs, those that recovered; nan without any."""
    return fmean(float(run["recovered"]) for run in runs) if runs else float("nan")

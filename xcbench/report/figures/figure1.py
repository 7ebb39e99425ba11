"""Figure 1 of the RXML paper, redone: P@1 against the number of CG iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Missing
from xcbench.report.figures.style import GREY, lettered, panels, settle, styled
from xcbench.report.figures.sweeps import (
    METRIC,
    OURS,
    PAPER,
    Curves,
    Line,
    Sweep,
    curves_of,
    described,
    draw,
    legend,
    missing,
    names_of,
    origin,
)
from xcbench.report.rows import Row, are_of_catalogue

ITERATIONS = Sweep(
    "completion.iterations",
    "limit of CG iterations",
    (
        Line("fig1-paper", "random start (the paper's solver)", PAPER),
        Line("fig1-spectral", "spectral start (ours)", OURS),
    ),
    "configs/figures/fig1-{}.yaml",
)
_COLUMNS = 3
_CAPTION = (
    "P@1 on the test rows against the limit of CG iterations: the RXML paper's solver (random "
    "start, Hestenes-Stiefel, Armijo steps) and ours (spectral start, Polak-Ribiere, exact steps); "
    "all other stages the same, with the settings of rxml-paper in Table 2 (SLEEC's), but one "
    "learner where it has five. Lines: means over seeds; bands: one standard deviation. "
)


def figure1(rows: Sequence[Row], published: Mapping[str, float]) -> Drawing | None:
    """P@1 against the limit of CG iterations, one panel a dataset; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    published : mapping
        SLEEC's P@1 by the catalogue's names, drawn as a dotted line on its data.
    """
    curves = [(name, curves_of(rows, ITERATIONS, name)) for name in names_of(rows, [ITERATIONS])]
    if not curves:
        return None
    has_published = {n: n in published and _is_catalogues(n, found) for n, found in curves}
    caption = _CAPTION
    with styled():
        lines = ceil(len(curves) / _COLUMNS)
        figure, axes = panels(lines, min(len(curves), _COLUMNS), height=0.4 + 2.1 * lines)
        for axis in axes[len(curves) :]:
            axis.set_axis_off()
        for number, (axis, (name, found)) in enumerate(zip(axes, curves, strict=False)):
            draw(axis, found)
            axis.set_xlabel(ITERATIONS.title)
            axis.set_ylabel(f"{METRIC} (%)")
            lettered(axis, number, name)
            if has_published[name]:
                axis.axhline(
                    published[name], color=GREY, linestyle=":", zorder=1, label="SLEEC, published"
                )
        legend(figure)
        settle(figure)
    if any(has_published.values()):
        caption += "Dotted: SLEEC with all its learners as published on the XC repository's page. "
    title = "P@1 against the number of CG iterations"
    return Drawing("1", title, caption + origin(curves), described(curves, ITERATIONS), figure)


def _is_catalogues(name: str, curves: Curves) -> bool:
    return are_of_catalogue(name, (run for line in curves.values() for run in line.runs))


def missing1(rows: Sequence[Row]) -> list[Missing]:
    """What Figure 1 lacks."""
    return missing(rows, [ITERATIONS])

"""Figure 1 of the RXML paper, redone: P@1 against the number of CG iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from xcbench.data.catalogue import catalogue
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Missing, Row
from xcbench.report.figures.style import GREY, lettered, panels, settle, styled
from xcbench.report.figures.sweeps import (
    METRIC,
    OURS,
    PAPER,
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
from xcbench.report.published import repository_numbers

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
    "one learner, all other stages the same. Lines: means over seeds; bands: one standard "
    "deviation. "
)


def figure1(rows: Sequence[Row], published: Mapping[str, float]) -> Drawing | None:
    """P@1 against the limit of CG iterations, one panel a dataset; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        ``flat(result.config) | result.row()`` of every result of the store.
    published : mapping
        SLEEC's P@1 by dataset, drawn as a dotted line.
    """
    curves = [(name, curves_of(rows, ITERATIONS, name)) for name in names_of(rows, [ITERATIONS])]
    if not curves:
        return None
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
            if name in published:
                axis.axhline(
                    published[name], color=GREY, linestyle=":", zorder=1, label="SLEEC, published"
                )
        legend(figure)
        settle(figure)
    if any(name in published for name, _ in curves):
        caption += "Dotted: SLEEC with all its learners as published on the XC repository's page. "
    title = "P@1 against the number of CG iterations"
    return Drawing("1", title, caption + origin(curves), described(curves, ITERATIONS), figure)


def missing1(rows: Sequence[Row]) -> list[Missing]:
    """What Figure 1 lacks."""
    return missing(rows, [ITERATIONS])


def published_sleec() -> dict[str, float]:
    """SLEEC's P@1 on the XC repository's page, by the catalogue's names."""
    numbers = {
        name: repository_numbers(entry.title).get("SLEEC", {})
        for name, entry in catalogue().items()
    }
    return {name: found[METRIC].value for name, found in numbers.items() if METRIC in found}

"""Figure 2 of the RXML paper, redone: P@1 against embedding dimension, learners and clusters."""

from __future__ import annotations

from collections.abc import Sequence

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Missing
from xcbench.report.figures.style import lettered, panels, settle, styled
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
from xcbench.report.rows import Row

SWEEPS = tuple(
    Sweep(
        key,
        title,
        (
            Line(f"fig2-{key}-paper", "rxml-paper", PAPER),
            Line(f"fig2-{key}-rxml", "rxml (ours)", OURS),
        ),
        f"configs/figures/fig2-{{}}-{key}.yaml",
    )
    for key, title in (
        ("rank", "embedding dimension"),
        ("learners", "number of learners"),
        ("clusters", "number of clusters"),
    )
)
_CAPTION = (
    "P@1 on the test rows against embedding dimension (one learner, one cluster), number of "
    "learners (clusters by the paper's rule, one for every 6000 points) and number of clusters "
    "(three learners). rxml-paper: the RXML paper's method, 30 iterations; rxml: ours; all other "
    "settings those of Table 2: SLEEC's for the one, chosen on training rows held out for the "
    "other. Lines: means over seeds; bands: one standard deviation. "
)


def figure2(rows: Sequence[Row]) -> Drawing | None:
    """P@1 against three settings, one row of panels a dataset; None without runs.

    ``rows`` as for ``figure1``.
    """
    names = names_of(rows, SWEEPS)
    if not names:
        return None
    places = [(name, sweep) for name in names for sweep in SWEEPS]
    curves = [(name, curves_of(rows, sweep, name)) for name, sweep in places]
    with styled():
        height = 0.7 + 1.6 * len(names)
        figure, axes = panels(len(names), len(SWEEPS), height, sharey="row", sharex="col")
        for number, (axis, (name, sweep)) in enumerate(zip(axes, places, strict=True)):
            draw(axis, curves[number][1])
            if sweep is SWEEPS[0]:
                axis.set_ylabel(f"{METRIC} (%)")
            if name == names[-1]:
                axis.set_xlabel(sweep.title)
            lettered(axis, number, name)
        legend(figure)
        settle(figure)
    alt = " ".join(
        described(curves[number :: len(SWEEPS)], sweep) for number, sweep in enumerate(SWEEPS)
    )
    title = "P@1 against embedding dimension, learners and clusters"
    return Drawing("2", title, _CAPTION + origin(curves), alt, figure)


def missing2(rows: Sequence[Row]) -> list[Missing]:
    """What Figure 2 lacks."""
    return missing(rows, SWEEPS)

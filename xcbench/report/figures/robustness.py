"""P@1 against the share of corrupted training rows, with squared and with absolute errors."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Arrays, Missing, spread
from xcbench.report.figures.style import (
    BLUE,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)
from xcbench.report.rows import Row

SHARE = "dataset.corrupted.rows"
_L2, _L1 = Look(VERMILLION, "o", "--", filled=False), Look(BLUE, "s", "-")
# Label of the method, what the legend says, how it looks; panel by panel.
PANELS = {
    "inner products": {"inner-l2": ("squared errors", _L2), "inner-l1": ("absolute errors", _L1)},
    "cosines": {"cosine-l2": ("squared errors", _L2), "cosine-l1": ("absolute errors", _L1)},
}
LABELS = tuple(label for lines in PANELS.values() for label in lines)

Points = dict[float, list[float]]


def figure_robustness(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """P@1 against the share of corrupted label rows; None without runs of configs/robust.yaml."""
    found = {label: points for label in LABELS if (points := _points(rows, label))}
    if not found:
        return None
    with styled():
        figure, axes = panels(1, len(PANELS), height=2.6, sharey=True)
        for number, (axis, (title, lines)) in enumerate(zip(axes, PANELS.items(), strict=True)):
            for label, (text, look) in lines.items():
                if label not in found:
                    continue
                points, x = found[label], list(found[label])
                axis.plot(x, [fmean(points[at]) for at in x], label=text, **look.line())
                low, high = (
                    [fmean(points[at]) + sign * spread(points[at]) for at in x] for sign in (-1, 1)
                )
                axis.fill_between(x, low, high, color=look.colour, alpha=0.15, linewidth=0)
            axis.set_xlabel("corrupted training rows (%)")
            lettered(axis, number, f"similarities are {title}")
        axes[0].set_ylabel("P@1 (%)")
        axes[0].legend(loc="lower left")
        settle(figure)
    title = "Precision with corrupted labels"
    return Drawing("robustness", title, _caption(rows), _described(found), figure)


def missing_robustness(rows: Sequence[Row]) -> list[Missing]:
    """The command, where there are no runs with corrupted labels."""
    corrupted = [row for row in _runs(rows) if SHARE in row]
    command = "xcbench run configs/robust.yaml"
    return [] if corrupted else [Missing("no runs with corrupted labels", command)]


def _runs(rows: Sequence[Row]) -> list[Row]:
    """The runs of the four methods, on the datasets of which some are with corrupted labels."""
    found = [row for row in rows if row["method"] in LABELS and row["status"] == "done"]
    names = {row["dataset.name"] for row in found if SHARE in row}
    return [row for row in found if row.get("dataset.name") in names]


def _points(rows: Sequence[Row], label: str) -> Points:
    """P@1 of all seeds by the share of corrupted rows, ascending."""
    points: Points = {}
    for row in _runs(rows):
        if row["method"] == label:
            points.setdefault(float(row.get(SHARE, 0)), []).append(float(row["P@1"]))
    return dict(sorted(points.items()))


def _caption(rows: Sequence[Row]) -> str:
    runs = _runs(rows)
    names = ", ".join(sorted({str(row["dataset.name"]) for row in runs}))
    labels = ", ".join(
        sorted({str(row["dataset.corrupted.labels"]) for row in runs if SHARE in row})
    )
    seeds = len({row["seed"] for row in runs})
    return (
        "P@1 on clean test rows when a share of the training rows has random labels instead of its "
        f"own ({labels} each), for local embeddings whose similarities are completed with squared "
        "errors by conjugate gradients or with absolute errors by MADMM. Lines are means, bands "
        f"standard deviations over {seeds} seeds of the method; the corruption is the same for "
        f"all. {names}, {len(runs)} runs."
    )


def _described(found: dict[str, Points]) -> str:
    parts = [
        f"{label}: "
        + ", ".join(f"{fmean(values):.1f} at {share:g} %" for share, values in points.items())
        for label, points in found.items()
    ]
    return f"P@1 against the share of corrupted training rows. {'; '.join(parts)}."

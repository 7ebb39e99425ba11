"""Accuracy against training time of all methods, with the Pareto front of each dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from statistics import fmean
from typing import TYPE_CHECKING

from xcbench.report.document import GROUPS, Group
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.labels import Segment, place_labels
from xcbench.report.figures.rows import (
    Missing,
    provenance,
    spread,
    uncertainty,
)
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)
from xcbench.report.rows import Row, is_swept, standard_error
from xcbench.report.tables.methods import (
    Method,
    by_dataset,
    machines_of,
    methods_of,
    on_first_split,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[Group, Look] = {
    "ours": Look(BLUE, "o"),
    "paper": Look(VERMILLION, "s"),
    "peer": Look(GREEN, "^"),
    "baseline": Look(BLACK, "D", filled=False),
}
_COLUMNS, _LEGEND_COLUMNS = 2, 4
_LEAST_ERRORS = 6  # of P@1, the least height of a panel
_CAPTION = (
    "P@1 on the test rows against wall time of training (without reading the data), all methods "
    "run here, numbered as in the legend; {}. Of data with several splits, the first alone; means "
    "over seeds, bars one standard deviation. The thin line joins the methods that no other beats "
    "in both, where all of a panel ran on one machine with the same processes and threads. "
)


@dataclass(frozen=True)
class Panel:
    """The methods on a dataset; ``is_fair`` when all ran on one machine and with the same cores."""

    points: tuple[Point, ...]
    is_fair: bool

    @property
    def front(self) -> list[Point]:
        """The front of the points; none where their times do not compare."""
        return front(self.points) if self.is_fair else []


@dataclass(frozen=True)
class Point:
    """A method on a dataset: means over its runs, and the standard deviation of P@1."""

    label: str
    group: Group
    seconds: float
    precision: float
    spread: float
    runs: tuple[Row, ...]


def figure_time(rows: Sequence[Row]) -> Drawing | None:
    """P@1 against training seconds, one panel a dataset; None without runs.

    ``rows`` as for ``figure1``. The points of sweeps are left out.
    """
    panels_of = {
        name: panel
        for name, found in by_dataset([row for row in rows if not is_swept(row)]).items()
        if (panel := _panel(name, methods_of(found)[0])).points
    }
    if not panels_of:
        return None
    order = list(GROUPS)
    everything = {p.label: p.group for panel in panels_of.values() for p in panel.points}
    labels = sorted(everything, key=lambda label: (order.index(everything[label]), label))
    numbers = {label: str(number) for number, label in enumerate(labels, start=1)}
    with styled():
        figure, axes, spare = _panels(len(panels_of), len(labels))
        for number, (axis, (name, panel)) in enumerate(zip(axes, panels_of.items(), strict=True)):
            _draw(axis, panel)
            lettered(axis, number, name)
        entries = {f"{numbers[label]}  {label}": everything[label] for label in labels}
        _legend(figure, spare, entries)
        settle(figure)
        for axis, panel in zip(axes, panels_of.values(), strict=True):
            texts = [(p.seconds, p.precision, numbers[p.label]) for p in panel.points]
            place_labels(axis, texts, _lines(panel))
    marks = ", ".join(f"{_shape(look)} {GROUPS[group].many}" for group, look in LOOKS.items())
    title = "P@1 against training time"
    caption = _CAPTION.format(marks) + _origin(panels_of)
    return Drawing("time", title, caption, _described(panels_of), figure)


def missing_time(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks: it draws whatever runs there are."""
    if any(row["status"] == "done" and not is_swept(row) for row in rows):
        return []
    return [Missing("no runs of any method", "xcbench run configs/bibtex.yaml")]


def front(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats in both time and P@1, by time."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.seconds, -p.precision)):
        if not kept or point.precision > kept[-1].precision:
            kept.append(point)
    return kept


def _panel(name: str, methods: Sequence[Method]) -> Panel:
    _, on_first, _ = on_first_split(name, methods)
    found, shown = [], []
    for method in on_first:
        precision, seconds = method.numbers("P@1"), method.numbers("train_s")
        if precision and seconds and min(seconds) > 0:
            found.append(
                Point(
                    method.label,
                    method.group,
                    fmean(seconds),
                    fmean(precision),
                    spread(precision),
                    method.runs,
                )
            )
            shown.append(method)
    return Panel(tuple(found), len(machines_of(shown)) == 1)


def _panels(count: int, methods: int) -> tuple[Figure, list[Axes], Axes | None]:
    """The figure, a panel for each dataset, and the one left over for the legend, if any."""
    lines = ceil(count / _COLUMNS)
    legend = 0.0 if count % _COLUMNS else 0.3 + 0.15 * ceil(methods / _LEGEND_COLUMNS)
    figure, axes = panels(lines, _COLUMNS, 2.1 * lines + legend)
    return figure, axes[:count], axes[-1] if count % _COLUMNS else None


def _draw(axis: Axes, panel: Panel) -> None:
    from matplotlib.ticker import FuncFormatter

    if panel.is_fair:
        axis.step(
            [p.seconds for p in panel.front], [p.precision for p in panel.front], where="post",
            color=GREY, linewidth=0.6, zorder=1,
        )  # fmt: skip
    for point in panel.points:
        look = LOOKS[point.group]
        axis.errorbar(
            point.seconds, point.precision, point.spread or None,
            elinewidth=0.6, ecolor=look.colour, zorder=2, **look.point(),
        )  # fmt: skip
    axis.set_xscale("log")
    axis.margins(x=0.08, y=0.1)
    low, high = axis.get_xlim()
    if high < 10 * low:
        axis.set_xlim(low / 2, high * 2)
    _heighten(axis, panel.points)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    axis.xaxis.set_minor_formatter("")
    axis.set_xlabel("training time (s)")
    axis.set_ylabel("P@1 (%)")


def _heighten(axis: Axes, points: Sequence[Point]) -> None:
    """Give P@1 a range in which a difference that says nothing does not look large."""
    low, high = axis.get_ylim()
    found = standard_error(run for point in points for run in point.runs)
    lacking = _LEAST_ERRORS * found[0] - (high - low) if found else 0.0
    if lacking > 0:
        axis.set_ylim(low - lacking / 2, high + lacking / 2)


def _lines(panel: Panel) -> list[Segment]:
    """The pieces of the front and of the bars of standard deviation."""
    bars: list[Segment] = [
        ((p.seconds, p.precision - p.spread), (p.seconds, p.precision + p.spread))
        for p in panel.points
    ]
    for left, right in pairwise(panel.front):
        corner = (right.seconds, left.precision)
        bars.append(((left.seconds, left.precision), corner))
        bars.append((corner, (right.seconds, right.precision)))
    return bars


def _legend(figure: Figure, spare: Axes | None, entries: dict[str, Group]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label=text, **LOOKS[group].point()) for text, group in entries.items()
    ]
    if spare is None:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=_LEGEND_COLUMNS, handlelength=1
        )
    else:
        spare.set_axis_off()
        spare.legend(handles=handles, loc="center", ncols=2, handlelength=1)


def _shape(look: Look) -> str:
    return {"o": "circles", "s": "squares", "^": "triangles", "D": "diamonds"}[look.marker]


def _origin(panels_of: dict[str, Panel]) -> str:
    runs_of = {n: [run for p in panel.points for run in p.runs] for n, panel in panels_of.items()}
    parts = [
        f"{name}: {provenance(found)}, {uncertainty(found)}" for name, found in runs_of.items()
    ]
    runs = [run for found in runs_of.values() for run in found]
    places = {(str(run["cpu"]), int(run["cores"])) for run in runs}
    where = "; ".join(f"{cpu}, {cores} cores" for cpu, cores in sorted(places))
    jobs = sorted({(int(run["jobs"]), int(run["threads_per_job"])) for run in runs})
    how = " or ".join(f"{count} x {threads}" for count, threads in jobs)
    return f"{'; '.join(parts)}. Processes x threads: {how}; on {where}."


def _described(panels_of: dict[str, Panel]) -> str:
    parts = [
        f"{name}, {'not beaten in both' if panel.is_fair else 'on unlike machines'}: "
        + ", ".join(
            f"{p.label} {p.precision:.1f} % in {p.seconds:.2g} s"
            for p in (panel.front if panel.is_fair else panel.points)
        )
        for name, panel in panels_of.items()
    ]
    return f"P@1 against training time. {'; '.join(parts)}."

"""Errors of nearest neighbours under given and learned metrics, as bars with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xcbench.config.metric_learning import PRESETS
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.rows import Arrays, Missing, finished, in_preset_order, seeds_of
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    DOUBLE_COLUMN,
    GREEN,
    LIGHT_GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    panels,
    settle,
    styled,
)
from xcbench.report.interval import mean_interval
from xcbench.report.rows import Row
from xcbench.report.tables.methods import by_dataset, methods_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = "metric_learning"
# Colour and hatching of the methods in turn; the hatching is what is left of them in grey.
_LOOKS = (
    (LIGHT_GREY, ""), (SKY, "///"), (BLUE, ""), (GREEN, "..."), (VERMILLION, "\\\\\\"),
    (ORANGE, "xx"), (PURPLE, "+++"),
)  # fmt: skip
_GROUP_WIDTH = 0.84  # of the space between two groups
_CAPTION = (
    "Share of points whose class the {neighbours} nearest neighbours mistake, two-fold: the seed "
    "of a run draws two halves, each classified with the metric and the neighbours of the other. "
    "Means over runs; whiskers are 95 % intervals by Student's t over the runs' errors, which "
    "share all points, so that they are somewhat too narrow. "
)
_STEPS = {
    "exact": "the step that solves the stated problem",
    "released": "the authors' program's step and stop",
    "printed": "the step printed in the notes",
}


@dataclass(frozen=True)
class Bar:
    """The error of a method on a dataset over its runs.

    ``half`` is half the 95 % interval of the mean; None of a single run.
    """

    mean: float
    half: float | None
    runs: tuple[Row, ...]


# By dataset, then by method.
Bars = Mapping[str, Mapping[str, Bar]]


def figure_metric_learning(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """A group of bars a dataset, a bar a method; None without runs.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    arrays : callable
        Not asked.
    """
    found = _newest_protocol(rows)
    bars: Bars = {
        name: {m.label: _bar(m.runs) for m in methods_of(runs)[0]}
        for name, runs in by_dataset(found).items()
    }
    if not bars:
        return None
    labels = in_preset_order({label for group in bars.values() for label in group}, PRESETS)
    with styled():
        figure, (axis,) = panels(1, 1, height=2.9)
        figure.set_size_inches(DOUBLE_COLUMN, 2.9)
        _draw(axis, bars, labels)
        handles, texts = axis.get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=min(len(labels), 6))
        settle(figure)
    title = "Error of nearest neighbours by metric"
    neighbours = found[0]["task.neighbours"]
    caption = _CAPTION.format(neighbours=neighbours) + _variants(bars) + _origin(bars)
    return Drawing("metric-learning", title, caption, _described(bars), figure)


def missing_metric_learning(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    if _newest_protocol(rows):
        return []
    return [Missing("no runs of metric learning", "xcbench run configs/itml.yaml")]


def _newest_protocol(rows: Sequence[Row]) -> list[Row]:
    """Finished runs of the task that have the protocol of the newest of them."""
    done = finished(rows, KIND)
    if not done:
        return []
    newest = _protocol(max(done, key=lambda row: str(row["utc"])))
    return [row for row in done if _protocol(row) == newest]


def _protocol(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key.startswith("task.")}


def _bar(runs: Sequence[Row]) -> Bar:
    return Bar(*mean_interval([float(run["error_rate"]) for run in runs]), tuple(runs))


def _draw(axis: Axes, bars: Bars, labels: Sequence[str]) -> None:
    width = _GROUP_WIDTH / len(labels)
    for number, label in enumerate(labels):
        colour, hatch = _LOOKS[number % len(_LOOKS)]
        at = [place for place, group in enumerate(bars.values()) if label in group]
        shown = [group[label] for group in bars.values() if label in group]
        x = [place + (number - (len(labels) - 1) / 2) * width for place in at]
        axis.bar(
            x, [bar.mean for bar in shown], width, label=label, color=colour, hatch=hatch,
            edgecolor=BLACK, linewidth=0.4,
        )  # fmt: skip
        whiskers = [
            (place, bar.mean, bar.half)
            for place, bar in zip(x, shown, strict=True)
            if bar.half is not None
        ]
        axis.errorbar(
            [place for place, _, _ in whiskers], [mean for _, mean, _ in whiskers],
            [half for _, _, half in whiskers], linestyle="none", color=BLACK, elinewidth=0.7,
            capsize=1.5, capthick=0.7,
        )  # fmt: skip
    axis.set_xticks(range(len(bars)), list(bars))
    axis.tick_params(axis="x", length=0)
    axis.grid(visible=False, axis="x")
    axis.set_ylim(bottom=0)
    axis.set_ylabel("error (%)")


def _origin(bars: Bars) -> str:
    parts = []
    for name, group in bars.items():
        runs = [run for bar in group.values() for run in bar.runs]
        counts = sorted({len(bar.runs) for bar in group.values()})
        each = " or ".join(map(str, counts))
        parts.append(f"{name}: {runs[0]['n_test']} points, {each} runs a method, {seeds_of(runs)}")
    return f"{'; '.join(parts)}."


def _variants(bars: Bars) -> str:
    """Which step of ITML's projections the methods take, as the notes print another."""
    found: dict[str, set[str]] = {}
    for group in bars.values():
        for label, bar in group.items():
            if (variant := bar.runs[0].get("method.variant")) is not None:
                found.setdefault(_STEPS[str(variant)], set()).add(label)
    parts = [f"{step} by {', '.join(sorted(found[step]))}" for step in sorted(found)]
    return f"ITML projects with {'; with '.join(parts)}. " if parts else ""


def _described(bars: Bars) -> str:
    parts = [
        f"{name}: "
        + ", ".join(f"{label} {_number(group[label])}" for label in in_preset_order(group, PRESETS))
        for name, group in bars.items()
    ]
    return f"Bars of the error in percent, with 95 % intervals. {'; '.join(parts)}."


def _number(bar: Bar) -> str:
    return f"{bar.mean:.1f}" + ("" if bar.half is None else f" ± {bar.half:.1f}")

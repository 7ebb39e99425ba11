"""Average precision of hidden labels, and the time it takes, by method and data."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from xcbench.config.maxide import PRESETS
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.observed import newest_runs, percent_of
from xcbench.report.figures.rows import Arrays, Missing, gathered, in_preset_order, provenance
from xcbench.report.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    VERMILLION,
    Look,
    lettered,
    panels,
    settle,
    styled,
)
from xcbench.report.rows import Row

KIND = "matrix_completion"
_LOOKS = (
    Look(BLUE, "o"), Look(VERMILLION, "s"), Look(GREEN, "^"), Look(BLACK, "D", filled=False),
    Look(ORANGE, "v"), Look(PURPLE, "P"),
)  # fmt: skip
_LINES = (
    ("AP_hidden", "hidden labels, AP (%)"),
    ("AP_test", "test points, AP (%)"),
    ("train_s", "training (s)"),
)
_CAPTION = (
    "Average precision of the hidden labels of training points (top) and of test points (middle), "
    "and the wall time of training with the choice of settings (bottom), with {percents} % of the "
    "labels observed. Means over seeds. A method without side information says nothing of test "
    "points. "
)

# Values by percent observed, dataset and method.
Values = dict[tuple[float, str, str], float]


def figure_matrix_completion(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """A column of panels for each share observed, a mark a method and dataset; None without runs.

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
    percents = sorted({percent_of(run) for run in runs})
    datasets = sorted({str(run["dataset"]) for run in runs})
    methods = in_preset_order({str(run["method"]) for run in runs}, PRESETS)
    found = {name: _means(runs, name) for name, _ in _LINES}
    with styled():
        height = 1.0 + 1.7 * len(_LINES)
        figure, axes = panels(len(_LINES), len(percents), height, sharex=True, sharey="row")
        for number, axis in enumerate(axes):
            line, column = divmod(number, len(percents))
            name, title = _LINES[line]
            for place, method in enumerate(methods):
                keys = [(percents[column], data, method) for data in datasets]
                points = [
                    (at, found[name][key]) for at, key in enumerate(keys) if key in found[name]
                ]
                look = _LOOKS[place % len(_LOOKS)]
                axis.plot(
                    *zip(*points, strict=True), label=method, **look.point()
                ) if points else None
            lettered(axis, number, f"{percents[column]:g} % observed")
            if column == 0:
                axis.set_ylabel(title)
            if name == "train_s":
                axis.set_yscale("log")
            axis.set_xticks(range(len(datasets)), datasets, rotation=90)
        handles, texts = axes[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=min(len(methods), 6))
        settle(figure)
    shares = ", ".join(f"{percent:g}" for percent in percents)
    caption = _CAPTION.format(percents=shares) + "; ".join(
        f"{name}: {provenance([run for run in runs if run['dataset'] == name])}"
        for name in datasets
    )
    title = "Average precision of hidden labels"
    return Drawing(
        "matrix-completion", title, f"{caption}.", _described(found, percents, methods), figure
    )


def missing_matrix_completion(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    if newest_runs(rows, KIND):
        return []
    return [Missing("no runs of label completion", "xcbench run configs/maxide.yaml")]


def _means(runs: Sequence[Row], name: str) -> Values:
    groups = gathered(
        runs, lambda run: (percent_of(run), str(run["dataset"]), str(run["method"])), name
    )
    return {key: fmean(values) for key, values in groups.items()}


def _described(found: dict[str, Values], percents: Sequence[float], methods: Sequence[str]) -> str:
    parts = []
    for percent in percents:
        means = [
            (method, fmean(own))
            for method in methods
            if (own := [
                value for key, value in found["AP_hidden"].items()
                if (key[0], key[2]) == (percent, method)
            ])
        ]  # fmt: skip
        words = ", ".join(f"{method} {mean:.1f} %" for method, mean in means)
        parts.append(f"with {percent:g} % observed {words}")
    return f"Average precision of hidden labels, means over the datasets: {'; '.join(parts)}."

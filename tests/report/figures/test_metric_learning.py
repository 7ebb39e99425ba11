"""The bars of metric learning: means, intervals, order, and what is said of them."""

from itertools import pairwise

import pytest
from matplotlib.colors import to_hex
from scipy import stats

from tests.report.figures.conftest import made_row
from xcbench.report.figures.metric_learning import (
    figure_metric_learning,
    missing_metric_learning,
)
from xcbench.report.figures.style import PALETTE


def gone(run_id):
    return None


def runs(method, errors, dataset="uci-wine", **changes):
    told = {"task.kind": "metric_learning", "task.neighbours": 4, "n_test": 178}
    return [
        made_row(method, 0.0, dataset, **(told | {"error_rate": error, "seed": seed} | changes))
        for seed, error in enumerate(errors)
    ]


def bars_of(drawing):
    """Mean by (dataset, method)."""
    (axis,) = drawing.figure.axes
    names = [text.get_text() for text in axis.get_xticklabels()]
    bars = [c for c in axis.containers if hasattr(c, "patches")]
    return {
        (names[round(patch.get_x() + patch.get_width() / 2)], container.get_label()):
            patch.get_height()
        for container in bars
        for patch in container.patches
    }  # fmt: skip


def whiskers_of(drawing):
    """(low, high) of every whisker."""
    (axis,) = drawing.figure.axes
    return [
        tuple(float(y) for y in segment[:, 1])
        for collection in axis.collections
        for segment in collection.get_segments()
    ]


def half(values):
    """Half the 95 % interval of the mean, by another library's function."""
    low, high = stats.t.interval(0.95, len(values) - 1, scale=stats.sem(values))
    return (high - low) / 2


def test_a_bar_is_the_mean_over_runs_and_its_whisker_the_interval():
    rows = runs("euclidean", [4.0, 6.0]) + runs("itml", [1.0, 3.0, 2.0])
    rows += runs("itml", [7.0], "uci-iris")
    drawing = figure_metric_learning(rows, gone)
    assert bars_of(drawing) == {
        ("uci-wine", "euclidean"): 5.0, ("uci-wine", "itml"): 2.0, ("uci-iris", "itml"): 7.0,
    }  # fmt: skip
    halves = [half([4.0, 6.0]), half([1.0, 3.0, 2.0])]
    expected = [(5 - halves[0], 5 + halves[0]), (2 - halves[1], 2 + halves[1])]
    assert sorted(whiskers_of(drawing)) == [pytest.approx(pair) for pair in sorted(expected)]


def test_methods_stand_in_the_order_of_the_presets_then_of_the_alphabet():
    rows = [
        run
        for method in ("zebra", "metric-learn", "itml", "aardvark", "euclidean")
        for run in runs(method, [1.0, 2.0])
    ]
    legend = figure_metric_learning(rows, gone).figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [
        "euclidean", "itml", "metric-learn", "aardvark", "zebra",
    ]  # fmt: skip


def test_bars_of_a_group_stand_side_by_side():
    rows = runs("euclidean", [5.0]) + runs("itml", [2.0]) + runs("other", [3.0])
    (axis,) = figure_metric_learning(rows, gone).figure.axes
    edges = sorted((p.get_x(), p.get_x() + p.get_width()) for p in axis.patches)
    assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(edges))
    assert -0.5 < edges[0][0] < edges[-1][1] < 0.5


def test_runs_of_another_protocol_or_task_are_left_out():
    rows = runs("itml", [2.0, 3.0])
    rows += runs("itml", [50.0], "uci-iris", **{"task.neighbours": 9, "utc": "2025-01-01"})
    rows += [made_row("rxml", 60.0), *runs("euclidean", [9.0], status="failed")]
    assert bars_of(figure_metric_learning(rows, gone)) == {("uci-wine", "itml"): 2.5}


def test_the_caption_says_how_many_runs_and_that_they_share_points():
    rows = runs("euclidean", [4.0, 6.0, 5.0]) + runs("itml", [1.0, 3.0])
    caption = figure_metric_learning(rows, gone).caption
    assert "uci-wine: 178 points, 2 or 3 runs a method, seeds 0 to 2." in caption
    assert "share all points, so that they are somewhat too narrow" in caption
    assert "the 4 nearest neighbours" in caption


def test_the_caption_says_which_step_each_itml_takes():
    variants = {"itml": "exact", "itml-covariance": "exact", "p": "printed", "r": "released"}
    rows = runs("euclidean", [4.0])
    assert "projects" not in figure_metric_learning(rows, gone).caption
    for label, variant in variants.items():
        rows += runs(label, [1.0], **{"method.variant": variant})
    assert (
        "ITML projects with the authors' program's step and stop by r; with the step printed in "
        "the notes by p; with the step that solves the stated problem by itml, itml-covariance."
    ) in figure_metric_learning(rows, gone).caption


def test_the_alt_text_has_the_numbers():
    rows = runs("euclidean", [4.0, 6.0]) + runs("itml", [1.0])
    alt = figure_metric_learning(rows, gone).alt
    assert f"uci-wine: euclidean 5.0 ± {half([4.0, 6.0]):.1f}, itml 1.0." in alt


def test_colours_are_those_of_the_palette():
    rows = [run for i in range(9) for run in runs(f"m{i}", [1.0, 2.0])]
    (axis,) = figure_metric_learning(rows, gone).figure.axes
    allowed = {colour.lower() for colour in PALETTE}
    assert {to_hex(patch.get_facecolor()) for patch in axis.patches} <= allowed


@pytest.mark.parametrize(
    "rows", [[], [made_row("rxml", 60.0)], runs("itml", [1.0], status="failed")]
)
def test_without_runs_there_is_no_figure_but_a_command(rows):
    assert figure_metric_learning(rows, gone) is None
    assert missing_metric_learning(rows)[0].command == "xcbench run configs/itml.yaml"
    assert missing_metric_learning([*rows, *runs("itml", [1.0])]) == []

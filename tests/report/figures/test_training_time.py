"""P@1 against training time: the points, the front, and the numbers beside them."""

import pytest

from tests.report.figures.conftest import made_row
from xcbench.report.figures import figure_time, missing_time
from xcbench.report.figures.training_time import Point, front


def point(seconds, precision):
    return Point("m", "ours", seconds, precision, 0.0, ())


def points_of(axis):
    """(x, y) of every marker."""
    return {
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in axis.lines
        if line.get_marker() not in ("None", "_", "|", "")
    }


def test_the_front_holds_what_no_other_beats_in_both():
    slow_best, quick, beaten, middle = point(9, 70), point(1, 60), point(5, 64), point(3, 65)
    assert front([slow_best, quick, beaten, middle]) == [quick, middle, slow_best]


def test_of_equal_times_the_better_and_of_equal_precisions_the_quicker_is_on_the_front():
    assert front([point(1, 60), point(1, 61), point(2, 61)]) == [point(1, 61)]


def test_a_point_is_the_mean_over_seeds():
    rows = [made_row("rxml", 60.0, train_s=1.0), made_row("rxml", 62.0, train_s=3.0, seed=1)]
    rows.append(made_row("sleec", 65.0, train_s=12.0))
    assert points_of(figure_time(rows).figure.axes[0]) == {(2.0, 61.0), (12.0, 65.0)}


def test_a_method_has_the_same_number_everywhere_ours_first():
    rows = [
        made_row("a-peer", 60.0, **{"method.model": "omikuji"}),
        made_row("rxml", 60.0, train_s=2.0),
        made_row("rxml", 60.0, "delicious"),
        made_row("sleec", 62.0, "delicious", preset="sleec"),
    ]
    axes = figure_time(rows).figure.axes
    texts = [{text.get_text() for text in axis.texts} for axis in axes]
    assert texts == [{"1", "3"}, {"1", "2"}]
    legend = figure_time(rows).figure.legends[0]
    assert [t.get_text() for t in legend.get_texts()] == ["1  rxml", "2  sleec", "3  a-peer"]


def test_an_odd_panel_leaves_its_neighbour_to_the_legend():
    rows = [made_row("rxml", 60.0, name) for name in ("bibtex", "delicious", "stackex-cs")]
    drawing = figure_time(rows)
    assert drawing.figure.legends == []
    assert drawing.figure.axes[3].get_legend() is not None
    assert not drawing.figure.axes[3].axison


def test_a_panel_is_at_least_six_standard_errors_high():
    rows = [made_row("rxml", 50.0), made_row("sleec", 50.1, train_s=2.0)]
    low, high = figure_time(rows).figure.axes[0].get_ylim()
    assert high - low == pytest.approx(6 * 1.0, rel=1e-4)  # 100 sqrt(0.25 / 2500) points each
    rows.append(made_row("global", 20.0, train_s=3.0))
    low, high = figure_time(rows).figure.axes[0].get_ylim()
    assert high - low == pytest.approx(1.2 * 30.1)  # a margin of a tenth on either side


def front_of(axis):
    """Corners of the thin line; None where there is none."""
    steps = [line for line in axis.lines if line.get_drawstyle() == "steps-post"]
    return [(float(x), float(y)) for x, y in steps[0].get_xydata()] if steps else None


def test_of_several_splits_only_the_first_is_drawn_so_that_all_points_are_of_one():
    rows = [made_row("rxml", 60.0 + s, split=s, train_s=float(s)) for s in (1, 2, 3)]
    rows += [made_row("sleec", 50.0, train_s=9.0), made_row("knn", 99.0, split=2)]
    drawing = figure_time(rows)
    assert points_of(drawing.figure.axes[0]) == {(1.0, 61.0), (9.0, 50.0)}
    assert "Of data with several splits, the first alone" in drawing.caption
    assert "bibtex: split 1, seed 0, 2 runs" in drawing.caption


@pytest.mark.parametrize(
    "change", [{"host": "b"}, {"cpu": "another"}, {"jobs": 1}, {"threads_per_job": 2}]
)
def test_the_front_never_joins_runs_on_unlike_machines_processes_or_threads(change):
    rows = [made_row("rxml", 60.0), made_row("sleec", 65.0, train_s=2.0)]
    fair = figure_time(rows)
    assert front_of(fair.figure.axes[0]) == [(1.0, 60.0), (2.0, 65.0)]
    unlike = figure_time([*rows, made_row("knn", 50.0, train_s=0.5, **change)])
    assert front_of(unlike.figure.axes[0]) is None
    assert "not beaten" in fair.alt
    assert "bibtex, on unlike machines" in unlike.alt
    assert "where all of a panel ran on one machine with the same" in unlike.caption


def test_points_of_sweeps_are_left_out():
    swept = made_row("rxml-rank50", 50.0, **{"method.rank": 50})
    assert figure_time([swept]) is None
    assert len(points_of(figure_time([swept, made_row("rxml", 66.0)]).figure.axes[0])) == 1


def test_the_caption_states_machine_and_processes():
    rows = [made_row("rxml", 60.0), made_row("sleec", 60.0, jobs=1, cpu="another", cores=4)]
    caption = figure_time(rows).caption
    assert (
        "bibtex: split 1, seed 0, 2 runs, one standard error of the best over its 2500" in caption
    )
    assert (
        "Processes x threads: 1 x 1 or 2 x 1; on a processor, 2 cores; another, 4 cores" in caption
    )


@pytest.mark.parametrize("rows", [[], [made_row("rxml", 60.0, status="failed")]])
def test_without_runs_there_is_no_figure_but_a_command(rows):
    assert figure_time(rows) is None
    assert missing_time(rows)[0].command == "xcbench run configs/bibtex.yaml"
    assert missing_time([*rows, made_row("rxml", 60.0)]) == []

"""Figures 1 and 2: what their lines show, what is left out, and what is called missing."""

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.report.figures.conftest import made_row
from xcbench.config.changes import flat
from xcbench.config.loader import load_config
from xcbench.report.figures import figure1, figure2, missing1, missing2
from xcbench.report.figures.figure1 import ITERATIONS as ITERATIONS_SWEEP
from xcbench.report.figures.figure2 import SWEEPS
from xcbench.report.figures.sweeps import DATASETS, curves_of

ITERATIONS = ITERATIONS_SWEEP.key


def line(axis, text):
    return next(line for line in axis.lines if line.get_label() == text)


def band(axis):
    """Lowest and highest edge of the first band, by x."""
    vertices = axis.collections[0].get_paths()[0].vertices
    return {
        float(x): (vertices[vertices[:, 0] == x, 1].min(), vertices[vertices[:, 0] == x, 1].max())
        for x in np.unique(vertices[:, 0])
    }


def test_a_line_is_the_mean_over_seeds_and_its_band_one_standard_deviation(sweep):
    rows = sweep("fig1-paper", ITERATIONS, {30: [60.0, 62.0, 64.0], 5: [40.0, 41.0, 42.0]})
    (axis,) = figure1(rows, {}).figure.axes
    drawn = line(axis, "random start (the paper's solver)")
    assert list(drawn.get_xdata()) == [5, 30]
    assert list(drawn.get_ydata()) == [41.0, 62.0]
    assert band(axis) == {5: (40.0, 42.0), 30: (60.0, 64.0)}


def test_a_single_run_has_no_band(sweep):
    (axis,) = figure1(sweep("fig1-paper", ITERATIONS, {5: [40.0]}), {}).figure.axes
    assert len(axis.collections) == 0


def test_every_dataset_has_a_panel_the_known_ones_first(sweep):
    rows = [
        row
        for name in ("another", "delicious", "bibtex")
        for row in sweep("fig1-spectral", ITERATIONS, {5: [60.0]}, dataset=name)
    ]
    titles = [axis.get_title(loc="left") for axis in figure1(rows, {}).figure.axes]
    assert titles == ["(a) bibtex", "(b) delicious", "(c) another"]


def test_a_fourth_dataset_starts_a_second_row(sweep):
    names = ("bibtex", "delicious", "stackex-cs", "another")
    rows = [r for n in names for r in sweep("fig1-paper", ITERATIONS, {5: [60.0]}, dataset=n)]
    axes = figure1(rows, {}).figure.axes
    assert [axis.axison for axis in axes] == [True] * 4 + [False] * 2
    assert axes[3].get_title(loc="left") == "(d) another"


def test_the_published_value_is_a_dotted_line_where_there_is_one(sweep):
    rows = sweep("fig1-paper", ITERATIONS, {5: [40.0]})
    (axis,) = figure1(rows, {"bibtex": 65.08}).figure.axes
    assert set(line(axis, "SLEEC, published").get_ydata()) == {65.08}
    (axis,) = figure1(rows, {"delicious": 67.59}).figure.axes
    assert len(axis.lines) == 1


def test_data_of_ones_own_under_a_catalogues_name_has_no_dotted_line(sweep):
    rows = sweep("fig1-paper", ITERATIONS, {5: [40.0]})
    own = [row | {"dataset.name": None, "dataset.train": "my/bibtex/train.txt"} for row in rows]
    drawing = figure1(own, {"bibtex": 65.08})
    assert len(drawing.figure.axes[0].lines) == 1
    assert "published" not in drawing.caption


def test_runs_without_the_metric_are_not_drawn(sweep):
    rows = sweep("fig1-paper", ITERATIONS, {5: [40.0], 7: [41.0]})
    del rows[1]["P@1"]
    (axis,) = figure1(rows, {}).figure.axes
    assert list(axis.lines[0].get_xdata()) == [5]


def test_what_an_older_config_left_behind_is_not_drawn(sweep):
    key = {"method.regression.ridge": 1.0, "utc": "2025-01-01T00:00:00+00:00"}
    old = sweep("fig1-paper", ITERATIONS, {5: [10.0], 7: [10.0]}, **key)
    new = sweep("fig1-paper", ITERATIONS, {5: [40.0]}, **{"method.regression.ridge": 2.0})
    (axis,) = figure1(new + old, {}).figure.axes
    assert (list(axis.lines[0].get_xdata()), list(axis.lines[0].get_ydata())) == ([5], [40.0])


def test_only_finished_runs_of_the_sweep_are_drawn(sweep):
    others = [
        made_row("rxml", 66.0),
        *sweep("fig1-paper", ITERATIONS, {9: [0.0]}, status="failed"),
        *sweep("fig1-paperclip", ITERATIONS, {9: [0.0]}),
    ]
    assert figure1(others, {}) is None
    (axis,) = figure1(others + sweep("fig1-paper", ITERATIONS, {5: [40.0]}), {}).figure.axes
    assert list(axis.lines[0].get_xdata()) == [5]


def test_figure_2_has_a_panel_for_each_setting(sweep):
    rows = [
        *sweep("fig2-rank-rxml", "rank", {10: [50.0], 100: [66.0]}),
        *sweep("fig2-learners-paper", "learners", {1: [62.0], 5: [64.0]}),
        *sweep("fig2-clusters-rxml", "clusters", {1: [66.0], 2: [65.5]}),
    ]
    axes = figure2(rows).figure.axes
    assert [axis.get_xlabel() for axis in axes] == [
        "embedding dimension", "number of learners", "number of clusters",
    ]  # fmt: skip
    drawn = [(list(a.lines[0].get_xdata()), list(a.lines[0].get_ydata())) for a in axes]
    assert drawn == [([10, 100], [50.0, 66.0]), ([1, 5], [62.0, 64.0]), ([1, 2], [66.0, 65.5])]
    assert len({axis.get_ylim() for axis in axes}) == 1


def test_a_count_has_no_fractions(sweep):
    (_, _, axis) = figure2(
        sweep("fig2-clusters-rxml", "clusters", {1: [66.0], 2: [65.0]})
    ).figure.axes
    assert {float(tick) % 1 for tick in axis.get_xticks()} == {0.0}


def test_a_panel_without_runs_says_so(sweep):
    axes = figure2(sweep("fig2-clusters-rxml", "clusters", {1: [66.0]})).figure.axes
    assert [[text.get_text() for text in axis.texts] for axis in axes] == [["no runs"]] * 2 + [[]]


def test_no_runs_draw_nothing():
    assert figure1([], {}) is None
    assert figure2([made_row("rxml", 66.0)]) is None


def test_the_caption_states_split_seeds_runs_and_the_uncertainty_of_the_test_rows(sweep):
    rows = sweep("fig1-paper", ITERATIONS, {5: [50.0, 48.0], 7: [40.0, 41.0]}, n_test=2500)
    caption = figure1(rows, {}).caption
    assert "bibtex: split 1, seeds 0 and 1, 4 runs" in caption
    assert "over its 2500 test rows 1.00 points" in caption  # sqrt(0.5 * 0.5 / 2500)
    assert "published" not in caption
    assert "published" in figure1(rows, {"bibtex": 65.08}).caption


def test_datasets_without_runs_are_missing_with_the_command_that_makes_them(sweep):
    rows = sweep("fig1-paper", ITERATIONS, {5: [40.0]})
    rows += sweep("fig1-spectral", ITERATIONS, {5: [60.0]})
    found = {gap.command: gap.what for gap in missing1(rows)}
    assert found == {
        f"xcbench run configs/figures/fig1-{name}.yaml": (
            f"{name}: no runs of fig1-paper and no runs of fig1-spectral"
        )
        for name in ("delicious", "stackex-cs")
    }


def test_points_that_the_other_line_has_are_missing(sweep):
    rows = sweep("fig2-rank-paper", "rank", {10: [50.0, 51.0], 100: [60.0, 61.0]})
    rows += sweep("fig2-rank-rxml", "rank", {10: [50.0, 51.0], 100: [66.0]})
    gap = missing2(rows)[0]
    assert gap.what == "bibtex: no 1 of 4 runs of fig2-rank-rxml"
    assert gap.command == "xcbench run configs/figures/fig2-bibtex-rank.yaml"


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("swept", [ITERATIONS_SWEEP, *SWEEPS], ids=lambda swept: swept.key)
def test_the_configs_make_the_runs_that_are_drawn(name, swept):
    jobs = load_config(ROOT / swept.config.format(name)).jobs()
    assert {job.dataset.title for job in jobs} == {name}
    rows = [flat(job.mapping()) | made_row(job.method.label, 1.0, seed=job.seed) for job in jobs]
    rows = [row | {"dataset": name} for row in rows]
    curves = curves_of(rows, swept, name)
    assert list(curves) == list(swept.lines)
    assert sum(len(curve.runs) for curve in curves.values()) == len(jobs)
    assert len({curve.x for curve in curves.values()}) == 1


def settings_of(name):
    """The settings of the methods of a dataset's own config, by label."""
    return {m.label: m.settings for m in load_config(ROOT / f"configs/{name}.yaml").methods}


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("swept", SWEEPS, ids=lambda swept: swept.key)
def test_figure_2_shows_the_settings_of_the_datasets_own_config(name, swept):
    own, sizes = settings_of(name), {"rank", "learners", "clusters"}
    for method in load_config(ROOT / swept.config.format(name)).methods:
        expected = own[method.preset].model_dump(exclude=sizes)
        assert method.settings.model_dump(exclude=sizes) == expected
        if swept.key != "rank":
            assert method.settings.rank == own[method.preset].rank


@pytest.mark.parametrize("name", DATASETS)
def test_figure_1_shows_the_papers_settings_of_the_datasets_own_config(name):
    expected = settings_of(name)["rxml-paper"].model_dump(exclude={"learners"})
    ours = {"start": "spectral", "beta": "polak_ribiere", "line_search": "exact"}
    for method in load_config(ROOT / ITERATIONS_SWEEP.config.format(name)).methods:
        drawn = method.settings.model_dump(exclude={"learners"})
        drawn["completion"]["iterations"] = expected["completion"]["iterations"]
        changed = ours if method.label.startswith("fig1-spectral") else {}
        assert drawn == expected | {"completion": expected["completion"] | changed}

"""The figures of label completion and of matrix recovery: what is drawn, what is said."""

from itertools import product

from xcbench.report.figures.drawing import svg
from xcbench.report.figures.matrix_completion import (
    figure_matrix_completion,
    missing_matrix_completion,
)
from xcbench.report.figures.matrix_recovery import figure_matrix_recovery, missing_matrix_recovery


def nothing(run_id):
    raise AssertionError("no arrays are needed")


def completions():
    return [
        {
            "task.kind": "matrix_completion", "task.observed": (percent,), "status": "done",
            "dataset": data, "method": method, "seed": 0, "split": 1, "train_s": 2.0 + place,
            "AP_hidden": 50.0 + 10 * place + percent / 10, "task.folds": 5, "method.growth": 2.0,
            "run_id": f"{percent}-{data}-{method}", "utc": "2026-01-01", "data_sha256": data,
        } | ({"AP_test": 40.0 + place} if method != "svt" else {"AP_test": ""})
        for percent, data, (place, method) in product(
            (10.0, 20.0, 40.0), ("yahoo-arts", "yahoo-health"),
            enumerate(("maxide", "svt", "binary-relevance")),
        )
    ]  # fmt: skip


def recoveries():
    return [
        {
            "task.kind": "matrix_recovery", "task.observed": (percent,), "status": "done",
            "method": method, "seed": seed, "dataset.rows": rows, "dataset.columns": 50,
            "dataset.rank": 5, "dataset.side": 25, "dataset": f"{rows}x50-rank5-side25", "split": 1,
            "run_id": f"{percent}-{method}-{seed}-{rows}", "utc": "2026-01-01", "task.fit": 1e-5,
            "data_sha256": str(rows), "method.growth": 2.0,
            "recovered": float(method == "maxide" or percent > 10),
            "recovery_error": 1e-5 if method == "maxide" or percent > 10 else 0.3,
        }
        for percent, method, seed, rows in product(
            (5.0, 20.0), ("maxide", "svt"), (0, 1), (100, 200)
        )
    ]  # fmt: skip


def test_every_method_has_a_mark_where_it_has_a_value():
    drawing = figure_matrix_completion([*completions(), {"status": "done"}], nothing)
    axes = drawing.figure.axes
    assert len(axes) == 9
    marks = {line.get_label(): list(line.get_ydata()) for line in axes[1].lines}
    assert marks == {"maxide": [52, 52], "svt": [62, 62], "binary-relevance": [72, 72]}
    assert [line.get_label() for line in axes[4].lines] == ["maxide", "binary-relevance"]
    assert axes[6].get_yscale() == "log"
    assert "with 20 % observed maxide 52.0 %, svt 62.0 %" in drawing.alt
    assert "yahoo-arts: split 1, seed 0, 9 runs" in drawing.caption
    assert svg(drawing) == svg(drawing)


def test_squares_are_the_shares_recovered():
    drawing = figure_matrix_recovery([*recoveries(), {"status": "failed"}], nothing)
    grids = [axis.images[0].get_array().tolist() for axis in drawing.figure.axes]
    assert grids == [[[1, 1], [1, 1]], [[0, 1], [0, 1]]]
    assert drawing.alt == "maxide recovers 100% of 8 runs; svt recovers 50% of 8 runs."
    assert "rank 5, side information of 25 columns; 16 runs of 2 seeds" in drawing.caption


def test_reruns_and_runs_of_other_settings_are_drawn_once_as_the_newest():
    """Of the same job, of the same label with other settings, and of another protocol."""
    runs = completions()
    old = [
        run | {"utc": "2025-12-31", "AP_hidden": 1.0, "train_s": 9e9} | changes
        for run, changes in product(
            runs,
            ({}, {"method.growth": 3.0}, {"task.folds": 3, "seed": 7}, {"data_sha256": "older"}),
        )
    ]
    for drawn in ([*old, *runs], [*runs, *old]):
        drawing = figure_matrix_completion(drawn, nothing)
        expected = figure_matrix_completion(runs, nothing)
        assert (drawing.caption, drawing.alt) == (expected.caption, expected.alt)
        assert svg(drawing) == svg(expected)
    made_up = recoveries()
    old = [
        run | {"utc": "2025-12-31", "recovered": 0.5, "recovery_error": 7.0} | changes
        for run, changes in product(
            made_up, ({}, {"method.growth": 3.0}, {"task.fit": 1e-3, "seed": 7})
        )
    ]
    for drawn in ([*old, *made_up], [*made_up, *old]):
        drawing = figure_matrix_recovery(drawn, nothing)
        assert drawing.caption == figure_matrix_recovery(made_up, nothing).caption
        assert svg(drawing) == svg(figure_matrix_recovery(made_up, nothing))


def test_the_caption_names_the_shares_observed():
    runs = [run for run in completions() if run["task.observed"] != (20.0,)]
    assert "with 10, 40 % of the labels observed" in figure_matrix_completion(runs, nothing).caption


def test_matrices_of_another_rank_or_side_have_squares_of_their_own():
    runs = recoveries()
    other = [
        run | {"dataset.rank": 9, "dataset": "other", "recovered": 0.25, "run_id": "other"}
        for run in runs
        if run["dataset.rows"] == 100
    ]
    axis, _ = figure_matrix_recovery([*runs, *other], nothing).figure.axes
    assert axis.images[0].get_array().tolist() == [[1, 1], [0.25, 0.25], [1, 1]]
    titles = [text.get_text() for text in axis.get_yticklabels()]
    assert titles == [
        "100 x 50, rank 5, side 25", "100 x 50, rank 9, side 25", "200 x 50, rank 5, side 25",
    ]  # fmt: skip
    axis, _ = figure_matrix_recovery(runs, nothing).figure.axes
    assert [text.get_text() for text in axis.get_yticklabels()] == ["100 x 50", "200 x 50"]


def test_the_number_in_a_square_is_the_median():
    """Of two errors their mean, neither the worse nor the better."""
    runs = [run | {"recovery_error": 0.1 + 0.2 * run["seed"]} for run in recoveries()]
    axis, _ = figure_matrix_recovery(runs, nothing).figure.axes
    assert {text.get_text() for text in axis.texts if "e" in text.get_text()} == {"2e-01"}


def test_without_runs_there_is_a_command():
    assert figure_matrix_completion([], nothing) is figure_matrix_recovery([], nothing) is None
    assert missing_matrix_completion([])[0].command == "xcbench run configs/maxide.yaml"
    assert missing_matrix_recovery([])[0].command == "xcbench run configs/recovery.yaml"
    assert missing_matrix_completion(completions()) == missing_matrix_recovery(recoveries()) == []

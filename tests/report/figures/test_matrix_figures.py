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
            "AP_hidden": 50.0 + 10 * place + percent / 10,
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
            "dataset.rank": 5, "dataset.side": 25,
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


def test_without_runs_there_is_a_command():
    assert figure_matrix_completion([], nothing) is figure_matrix_recovery([], nothing) is None
    assert missing_matrix_completion([])[0].command == "xcbench run configs/maxide.yaml"
    assert missing_matrix_recovery([])[0].command == "xcbench run configs/recovery.yaml"
    assert missing_matrix_completion(completions()) == missing_matrix_recovery(recoveries()) == []

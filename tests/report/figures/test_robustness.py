"""The figure of corrupted labels."""

import pytest

from xcbench.report.figures.robustness import LABELS, figure_robustness, missing_robustness


def row(label, share, seed, value):
    found = {
        "method": label, "status": "done", "seed": seed, "P@1": value, "dataset.name": "bibtex",
    }  # fmt: skip
    if share:
        found |= {"dataset.corrupted.rows": share, "dataset.corrupted.labels": 30}
    return found


ROWS = [
    row(label, share, seed, 60.0 - share + seed)
    for label in LABELS
    for share in (30, 0, 10)
    for seed in (0, 2)
]


def nothing(run_id):
    raise AssertionError("no arrays are needed")


def test_means_stand_at_their_shares_in_order():
    drawing = figure_robustness(ROWS, nothing)
    (line, *_) = drawing.figure.axes[0].lines
    assert list(line.get_xdata()) == [0, 10, 30]
    assert list(line.get_ydata()) == [61, 51, 31]
    assert "2 seeds" in drawing.caption
    assert "24 runs" in drawing.caption
    assert "inner-l2: 61.0 at 0 %, 51.0 at 10 %, 31.0 at 30 %" in drawing.alt
    assert missing_robustness(ROWS) == []


def test_runs_of_those_labels_on_other_data_are_no_part_of_it():
    other = row(LABELS[0], 0, 0, 1.0) | {"dataset.name": "delicious"}
    assert figure_robustness([*ROWS, other], nothing).alt == figure_robustness(ROWS, nothing).alt
    assert figure_robustness([other], nothing) is None


def test_without_runs_there_is_no_figure_and_the_command_is_named():
    assert figure_robustness([], nothing) is None
    (gap,) = missing_robustness([])
    assert gap.command == "xcbench run configs/robust.yaml"


@pytest.mark.parametrize("changes", [{"status": "failed", "P@1": ""}])
def test_failed_runs_are_left_out(changes):
    failed = row(LABELS[0], 30, 0, 0.0) | changes
    assert figure_robustness([*ROWS, failed], nothing).alt == figure_robustness(ROWS, nothing).alt

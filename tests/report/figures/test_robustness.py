"""The figure of corrupted labels."""

import pytest

from xcbench.report.figures.robustness import LABELS, figure_robustness, missing_robustness


def row(label, share, seed, value, **changes):
    is_absolute = label.endswith("l1")
    found = {
        "method": label, "status": "done", "seed": seed, "split": 1, "P@1": value,
        "utc": "2026-01-01", "dataset.name": "bibtex", "dataset.features": "unit",
        "method.label": label, "method.rank": 100, "method.completion.rho": 1.0,
        "method.completion.kind": "madmm_l1" if is_absolute else "riemannian_cg",
        "method.completion.iterations": 30 if is_absolute else 10,
    }  # fmt: skip
    if share:
        found |= {
            "dataset.corrupted.rows": share, "dataset.corrupted.labels": 30,
            "dataset.corrupted.seed": 0,
        }  # fmt: skip
    return found | changes


ROWS = [
    row(label, share, seed, 60.0 - share + seed)
    for label in LABELS
    for share in (30, 0, 10)
    for seed in (0, 2)
]


def nothing(run_id):
    raise AssertionError("no arrays are needed")


def words(rows):
    drawing = figure_robustness(rows, nothing)
    return drawing.alt, drawing.caption


def test_means_stand_at_their_shares_in_order():
    drawing = figure_robustness(ROWS, nothing)
    (line, *_) = drawing.figure.axes[0].lines
    assert list(line.get_xdata()) == [0, 10, 30]
    assert list(line.get_ydata()) == [61, 51, 31]
    assert "inner-l2: 61.0 at 0 %, 51.0 at 10 %, 31.0 at 30 %" in drawing.alt
    assert missing_robustness(ROWS) == []


def test_the_caption_says_what_the_runs_say():
    caption = words(ROWS)[1]
    for said in (
        "(30 each, drawn from seed 0,", "bibtex, split 1, seeds 0 and 2, 24 runs",
        "inner-l1: rank 100, absolute errors by MADMM with rho 1, 30 iterations",
        "cosine-l2: rank 100, squared errors by conjugate gradients, 10 iterations",
    ):  # fmt: skip
        assert said in caption
    other = [each | {"dataset.corrupted.labels": 7} if "dataset.corrupted.rows" in each else each
             for each in ROWS]  # fmt: skip
    other = [each | {"method.completion.kind": "svp", "method.rank": 20} for each in other]
    caption = words(other[:-1])[1]
    for said in ("(7 each", "inner-l1: rank 20, svp, 30", "seeds 0 and 2 (1 to 2 a point), 23"):
        assert said in caption


@pytest.mark.parametrize(
    "changes",
    [
        {"dataset.name": "delicious"}, {"dataset.features": "tfidf"}, {"split": 2},
        {"method.rank": 50}, {"method.completion.iterations": 3}, {"method.completion.rho": 9.0},
        {"dataset.corrupted.labels": 3}, {"dataset.corrupted.seed": 8},
    ],
)  # fmt: skip
def test_runs_of_other_data_damage_or_settings_are_no_part_of_a_line(changes):
    others = [row(label, 10, 0, 1.0, utc="2027-01-01", **changes) for label in LABELS]
    assert words([*ROWS, *others]) == words([*others, *ROWS]) == words(ROWS)


def test_clean_runs_of_other_data_are_no_part_of_it():
    other = row(LABELS[0], 0, 7, 1.0) | {"dataset.name": "delicious"}
    assert words([*ROWS, other]) == words(ROWS)
    assert figure_robustness([other], nothing) is None
    assert missing_robustness([other]) != []


def test_of_experiments_equally_large_and_of_repeats_the_newest_counts():
    newer = [
        row(each["method"], each.get("dataset.corrupted.rows", 0), each["seed"], 5.0,
            utc="2027-01-01", **{"method.rank": 50})
        for each in ROWS
    ]  # fmt: skip
    assert words([*newer, *ROWS]) == words(newer)
    repeat = row(LABELS[0], 30, 0, 41.0, utc="2027-01-01")
    assert "inner-l2: 61.0 at 0 %, 51.0 at 10 %, 36.5 at 30 %" in words([repeat, *ROWS])[0]


def test_without_runs_there_is_no_figure_and_the_command_is_named():
    assert figure_robustness([], nothing) is None
    (gap,) = missing_robustness([])
    assert gap.command == "xcbench run configs/robust.yaml"


def test_failed_runs_are_left_out():
    failed = row(LABELS[0], 30, 0, "", status="failed")
    assert words([*ROWS, failed]) == words(ROWS)

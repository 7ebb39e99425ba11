"""The table at the end of a run."""

import io

import pytest
from rich.console import Console

from xcbench.report.table import print_results


def printed(*rows):
    text = io.StringIO()
    print_results(rows, Console(file=text))
    return text.getvalue()


def row(**changes):
    base = {
        "status": "done", "error": "", "dataset": "tiny", "split": 1, "method": "rxml",
        "P@1": 61.2345, "P@3": 40.0, "nDCG@1": 61.2345, "nDCG@3": 50.125, "PSP@1": 30.0,
        "train_s": 1.234, "predict_ms_per_point": 0.0123, "model_bytes": 2_500_000,
    }  # fmt: skip
    return base | changes


def test_a_row_shows_metrics_times_and_size():
    cells = printed(row()).splitlines()[-2].split()
    assert cells == ["rxml", "61.23", "40.00", "50.12", "30.00", "1.23", "0.012", "2.50"]


def test_several_seeds_are_told_apart():
    text = printed(row(seed=0), row(seed=7))
    assert [line.split()[:2] for line in text.splitlines()[-3:-1]] == [["rxml", "0"], ["rxml", "7"]]
    assert "seed" not in printed(row(seed=7))


def test_each_dataset_and_split_has_its_table():
    text = printed(row(), row(split=2), row(dataset="other"))
    for title in ("tiny, split 1", "tiny, split 2", "other, split 1"):
        assert title in text


def test_rows_of_one_dataset_stay_together_whatever_their_order():
    assert printed(row(), row(dataset="other"), row(method="sleec")).count("tiny, split 1") == 1


def test_cut_offs_are_columns_in_the_order_of_k():
    header = printed(row(**{"P@10": 9.0}))
    assert header.index("@3") < header.index("@10")


def test_failures_stand_below_with_their_error():
    error = "learner 1, cluster 2: ValueError: [singular] " + "x" * 200
    text = printed(row(), row(method="sleec", status="failed", error=error, **{"P@1": ""}))
    assert text.rstrip().splitlines()[-1] == f"failed: tiny, sleec: {error}"


def test_at_80_characters_no_number_is_cut_and_labels_are_folded():
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=True, color_system=None)
    metrics = {f"{m}@{k}": 61.234 for m in ("P", "nDCG", "PSP") for k in (1, 3, 5)}
    long = row(**metrics, train_s=1234.567, method="rxml-rank100-neighbours.count100")
    print_results([long], console)
    shown = text.getvalue()
    assert "…" not in shown
    assert shown.count("61.23") == 8
    assert "1235" in shown
    assert "rxml-rank100" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_metric_a_row_lacks_is_left_blank():
    assert "nan" not in printed(row(), row(**{"P@3": ""}))


@pytest.mark.parametrize("text", ["[bold]x", "[/]", "a[red]b[/red]", "\\[x]"])
def test_what_looks_like_markup_is_printed_as_it_is(text):
    failed = row(status="failed", error=text, dataset=text, method=text)
    lines = printed(row(dataset=text, method=text), failed).splitlines()
    assert lines[0].strip() == f"{text}, split 1"
    assert lines[-3].split()[0] == text
    assert lines[-1] == f"failed: {text}, {text}: {text}"


def test_control_characters_do_not_reach_the_terminal():
    text = printed(row(method="a\x1b[2Jb\nc"), row(status="failed", error="\x1b]0;x\x07"))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "a�[2Jb c" in text


def test_an_interrupted_job_stands_below_as_well():
    text = printed(row(), row(method="sleec", status="interrupted", error="SIGTERM after 2 s"))
    assert text.rstrip().splitlines()[-1] == "interrupted: tiny, sleec: SIGTERM after 2 s"

"""A small report with whatever is hard about one: markup in labels, ties, blanks, failed runs."""

from __future__ import annotations

from xcbench.report.document import Block, Cell, Column, Line, Table
from xcbench.report.html.page import Picture, page

NASTY = "rxml <script>alert('x')</script> \"&\" \x1b[2J"
PUBLICATION = "A paper, Table 3, https://example.org/paper.pdf"
NASTY_ID = f"bibtex/{NASTY}-11111111"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 3'><path d='M0 0L4 3'/></svg>"


def run(run_id, label, status="done", error="", utc="2026-01-02T03:04:05+00:00"):
    """What ``Result.mapping()`` gives."""
    return {
        "run_id": run_id,
        "utc": utc,
        "status": status,
        "error": error,
        "dataset": run_id.partition("/")[0],
        "config": {"dataset": {"name": "d"}, "method": {"label": label, "rank": 7}, "seed": 3,
                   "splits": [2]},
        "overrides": {"method.rank": 7},
        "config_sha256": "c" * 64,
        "data_sha256": "d" * 64,
        "predictions_sha256": "e" * 64 if status == "done" else "",
        "metrics": {"P@1": 66.123, "nDCG@1": 66.123} if status == "done" else {},
        "seconds": {"train": 1.5, "completion": 2.5},
        "sizes": {"peak_rss_bytes": 123_000_000, "model_bytes": 2_500_000_000},
        "execution": {"jobs": 2, "threads_per_job": 1},
        "provenance": {"host": "there", "cpu": "Some CPU", "cores": 2, "ram_bytes": 8_000_000_000,
                       "numpy": "2.4.6", "xcbench": "0.1.0", "git_commit": "abc123",
                       "git_dirty": True},
        "sources": [{"path": "/secret/data/bibtex/train.txt", "bytes": 1_000_000}],
        "data_root": "/secret/data",
    }  # fmt: skip


RUNS = [
    run(NASTY_ID, NASTY),
    run("bibtex/sleec-22222222", "sleec", utc="2026-01-03T00:00:00+00:00"),
    run("bibtex/sleec-33333333", "sleec"),
    run("bibtex/broken-44444444", "broken", "failed", "MemoryError: </script><b>no room</b>"),
]
_BOTH = "bibtex/sleec-22222222, bibtex/sleec-33333333"


def line(label, group, source, p1=None, seconds=None, **marks):
    cells = {}
    if p1 is not None:
        cells["P@1"] = Cell(f"{p1:.2f}", p1, **marks)
    if seconds is not None:
        cells["s"] = Cell(f"{seconds:g}", seconds)
    return Line(label, group, source, cells)


ACCURACY = Table(
    "2",
    "Table 2: accuracy",
    (Column("P@1", "P@1", "higher"), Column("s", "train s", "lower")),
    (
        Block(
            "bibtex",
            (
                line(NASTY, "ours", NASTY_ID, 66.12, 10.0, standing="best"),
                Line("sleec", "paper", _BOTH, {
                    "P@1": Cell("64.93 ± 0.31", 64.93, 0.31, "tied"), "s": Cell("9", 9.0),
                }),
                line("rest10", "peer", "bibtex/sleec-22222222", None, 100.0),
                line("rest9", "peer", "bibtex/sleec-22222222", 64.93, None),
                line("SLEEC", "published", PUBLICATION, 65.08),
            ),
            ("one standard error is 0.95",),
            "bibtex",
        ),
        Block("yso-4k", (line("sleec", "paper", "bibtex/sleec-33333333", 9.5, 2.0),
                         line("global", "paper", "bibtex/sleec-33333333", 24.4, 1.0)),
              dataset="yso-4k"),
    ),
    ("All in percent.",),
)  # fmt: skip
DATASETS = Table(
    "1",
    "Table 1: datasets",
    (Column("n", "n train"),),
    (
        Block(
            "",
            (
                Line(
                    "bibtex", "data", "counted in its files", {"n": Cell("4880", 4880.0)}, "bibtex"
                ),
                Line(
                    "Bibtex, published",
                    "published",
                    PUBLICATION,
                    {"n": Cell("4881", 4881.0)},
                    "bibtex",
                ),
                Line("yso-4k", "data", "counted in its files", {"n": Cell("7", 7.0)}, "yso-4k"),
            ),
        ),
    ),
)
TABLES = (DATASETS, ACCURACY)
PICTURE = Picture("1", "Iterations", "More is <better>.", 'A "curve"', SVG)
MISSING = ("figure 2: no runs; `xcbench run configs/x.yaml`",)


def example() -> str:
    return page(TABLES, [PICTURE], RUNS, MISSING)

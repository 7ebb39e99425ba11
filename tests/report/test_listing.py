"""Rows as a plain table, CSV, JSON and markdown: nothing lost, nothing taken for markup."""

import csv
import io
import json

from rich.console import Console

from xcbench.report.listing import as_csv, as_json, as_markdown, print_listing, shortened

NASTY = "[bold]a|b[/] <script>\n`x` \\| \x1b[2J"
ROWS = [
    {"method": NASTY, "P@1": 61.23456, "rank": 5, "error": ""},
    {"method": "sleec", "P@1": "", "rank": None},
]


def listed(*columns):
    text = io.StringIO()
    print_listing(ROWS, columns, Console(file=text))
    return text.getvalue()


def test_a_listing_shows_the_columns_asked_for_and_a_line_for_each_row():
    header, _, first, second = listed("rank", "P@1", "method").splitlines()
    assert header.split() == ["rank", "P@1", "method"]
    assert first.split()[:2] == ["5", "61.23"]
    assert second.split() == ["sleec"]


def test_a_listing_prints_markup_and_control_characters_harmlessly():
    assert "[bold]a|b[/] <script> `x` \\| �[2J" in listed("method")


def test_a_pipe_is_as_wide_as_the_columns():
    assert "…" not in listed(*[f"{'a long column' * 20}{i}" for i in range(20)])


def test_csv_reads_back_as_it_was():
    rows = list(csv.DictReader(io.StringIO(as_csv(ROWS, ["method", "P@1", "rank"]))))
    assert rows[0] == {"method": NASTY, "P@1": "61.23456", "rank": "5"}
    assert rows[1] == {"method": "sleec", "P@1": "", "rank": ""}


def test_json_is_the_rows_with_null_for_what_is_not_there():
    first, second = json.loads(as_json(ROWS, ["method", "P@1", "error"]))
    assert first == {"method": NASTY, "P@1": 61.23456, "error": ""}
    assert second == {"method": "sleec", "P@1": "", "error": None}


def test_markdown_has_one_line_a_row_and_no_markup_from_the_rows():
    lines = as_markdown(ROWS, ["method", "P@1"]).splitlines()
    assert lines == [
        "| method | P@1 |",
        "| --- | ---: |",
        r"| \[bold\]a\|b\[/\] &lt;script&gt; \`x\` \\\| �\[2J | 61.23 |",
        "| sleec |  |",
    ]


def test_numbers_are_shortened_and_small_ones_keep_their_digits():
    shown = [shortened(value) for value in (61.23456, 0.00123456, 0.0, 7, True, None, "x")]
    assert shown == ["61.23", "0.00123", "0.00", "7", "True", "", "x"]

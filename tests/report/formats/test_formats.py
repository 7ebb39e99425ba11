"""Every format of a table: all that is in it, and nothing of it taken for markup."""

import csv
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from rich.console import Console

from xcbench.report.document import Block, Cell, Column, Line, Table
from xcbench.report.formats import FORMATS, SUFFIXES
from xcbench.report.formats.latex import escaped
from xcbench.report.formats.terminal import print_table

NASTY = r"a&b_c%d$e#f{g}~^\h|<b>*`[x]" + '"'


def table(label="rxml", title="bibtex"):
    lines = (
        Line(label, "ours", "bibtex/rxml-1", {
            "P@1": Cell("66.12 ± 0.21", 66.1234, 0.21, "best"),
            "P@3": Cell("40.00", 40.0, None, "tied"),
            "diff": Cell("+1.04", 1.04),
            "runs": Cell("3 seeds", 3.0),
        }),
        Line("SLEEC", "published", "a page, Table 2", {
            "P@1": Cell("65.08", 65.08, source="a page, Table 6"),
            "P@3": Cell("41.5", 41.5, None, "above", "a page, Table 2"),
        }),
    )  # fmt: skip
    columns = (
        Column("P@1", "P@1", "higher"), Column("P@3", "P@3", "higher"),
        Column("gone", "never shown"), Column("diff", "ΔP@1"), Column("runs", "runs"),
    )  # fmt: skip
    block = Block(title, lines, (f"a note on {label}",), "bibtex")
    return Table("2", "Table 2: accuracy", columns, (block,), ("a general note",))


@pytest.mark.parametrize("name", FORMATS)
def test_every_number_its_mark_its_origin_and_the_notes_are_there(name):
    text = FORMATS[name](table())
    shown = ["rxml", "SLEEC", "published", "measured"]
    shown += ["66.12", "0.21", "40"] if name != "csv" else ["66.1234,0.21,3", "40"]
    if name != "csv":
        shown += ["a note on rxml", "a general note", "[1", "a page, Table 2", "best", "tied"]
    for part in shown:
        assert part in text
    assert "never shown" not in text


@pytest.mark.parametrize(
    ("name", "best", "tied", "above"),
    [
        ("terminal", r"66\.12 ± 0\.21\*", r"40\.00~", "41.5↑"),
        ("markdown", r"\*\*66\.12 ± 0\.21\*\*", r"40\.00 \\~", "41.5 ↑"),
        ("html", "<strong>66.12 ± 0.21</strong>", "40.00 ~", "41.5 ↑"),
        ("latex", r"\\textbf\{66\.12\}", r"40\.00\\rlap\{\$\^\\sim\$\}", r"41\.5\\rlap\{\$\^\\up"),
    ],
)
def test_best_tied_and_above_look_different(name, best, tied, above):
    text = FORMATS[name](table())
    for mark in (best, tied, above):
        assert re.search(mark, text)


def test_csv_is_a_line_a_number_with_its_source():
    rows = list(
        csv.DictReader(io.StringIO(FORMATS["csv"](table(label="=rxml", title="bibtex, split 1"))))
    )
    assert rows[0] == {
        "dataset": "bibtex", "method": "'=rxml", "group": "ours", "metric": "P@1",
        "value": "66.1234", "spread": "0.21", "runs": "3", "origin": "measured",
        "source": "bibtex/rxml-1", "standing": "best", "block": "bibtex, split 1",
    }  # fmt: skip
    assert [row["metric"] for row in rows] == ["P@1", "P@3", "diff", "P@1", "P@3"]
    assert [row["source"] for row in rows[3:]] == ["a page, Table 6", "a page, Table 2"]
    assert rows[4] | {"value": "41.5", "origin": "published", "standing": "above"} == rows[4]


def test_markdown_rows_have_as_many_cells_as_the_head_whatever_a_label_holds():
    text = FORMATS["markdown"](table(label=NASTY))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert (len(rows), len(cells)) == (4, 1)
    assert "<b>" not in text


class Balance(HTMLParser):
    """Tags that are open; fails on a close of another."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_balanced_and_escaped():
    parser = Balance()
    parser.feed(FORMATS["html"](table(label=NASTY, title="<script>")))
    assert parser.open == []
    tags = [tag for tag, _ in parser.seen]
    assert "script" not in tags
    assert "b" not in tags
    titles = [attrs["title"] for tag, attrs in parser.seen if tag == "td" and "title" in attrs]
    assert titles[-1] == "a page, Table 2"


def test_a_narrow_terminal_gets_the_columns_in_parts_and_nothing_is_cut():
    text = io.StringIO()
    console = Console(file=text, width=42, force_terminal=True, color_system=None)
    print_table(table(), console)
    shown = text.getvalue()
    assert "…" not in shown
    tables = [line for line in shown.splitlines() if line.startswith(" rxml")]
    assert len(tables) == 2
    assert max(map(len, tables)) <= 42
    for part in ("66.12 ± 0.21*", "40.00~", "+1.04", "3 seeds", "measured (ours)"):
        assert part in shown


def test_control_characters_do_not_reach_a_terminal():
    assert "\x1b" not in FORMATS["terminal"](table(label="a\x1b[2Jb"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("\\", r"\textbackslash{}"),
        ("1 ± 2", r"1 $\pm$ 2"),
        ("naïve ψ\n", "naive ? "),
    ],
)
def test_latex_text_is_escaped_to_ascii(text, expected):
    assert escaped(text) == expected


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_whatever_it_holds(tmp_path):
    (tmp_path / "t.tex").write_text(FORMATS["latex"](table(label=NASTY, title=NASTY + "ψ")))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 1000


def test_endings_name_known_formats():
    assert set(SUFFIXES.values()) == set(FORMATS)

"""The page as text: well formed, safe, reproducible, and each number with its source."""

import re
from base64 import b64decode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from tests.report.html.example import (
    ACCURACY,
    MISSING,
    NASTY,
    NASTY_ID,
    PUBLICATION,
    RUNS,
    SVG,
    TABLES,
    example,
    run,
)
from xcbench.report.document import Block, Cell, Column, Line, Table
from xcbench.report.html.page import page
from xcbench.report.html.tables import of_dataset
from xcbench.report.task_table import TaskLine, TaskTable

VOID = {"meta", "input", "img", "br"}


class Reader(HTMLParser):
    """Notes elements and the text in them; complains of tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        entry = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(entry)
        if tag not in VOID:
            self.open.append(entry)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for entry in self.open:
            entry["text"] += data

    def all(self, tag):
        return [entry for entry in self.elements if entry["tag"] == tag]

    def by_id(self, name):
        (found,) = [entry for entry in self.elements if entry.get("id") == name]
        return found


@pytest.fixture(scope="module")
def read():
    return Reader(example())


def test_ids_are_unique_and_every_link_within_the_page_has_an_end(read):
    ids = [entry["id"] for entry in read.elements if "id" in entry]
    assert len(ids) == len(set(ids))
    assert not [name for name in ids if re.search(r"[\s<>\"]", name)]
    links = [entry["href"] for entry in read.all("a") if entry["href"].startswith("#")]
    assert links
    assert {link[1:] for link in links} <= set(ids)
    named = {entry["aria-labelledby"] for entry in read.elements if "aria-labelledby" in entry}
    assert named <= set(ids)


def test_nothing_is_loaded_and_only_links_lead_out(read):
    loaded = [v for e in read.elements for k, v in e.items() if k in ("src", "srcset", "data")]
    assert loaded
    assert all(address.startswith("data:image/svg+xml;base64,") for address in loaded)
    assert read.all("link") == []
    out = {entry["href"] for entry in read.all("a") if not entry["href"].startswith("#")}
    assert out == {"https://example.org/paper.pdf"}


def test_the_policy_lets_this_style_and_this_script_work_and_nothing_else(read):
    (policy,) = [e["content"] for e in read.all("meta") if "http-equiv" in e]
    rules = dict(rule.split(maxsplit=1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"
    for kind in ("style", "script"):
        (element,) = read.all(kind)
        digest = b64decode(rules[f"{kind}-src"].removeprefix("'sha256-").removesuffix("'"))
        assert digest == sha256(element["text"].encode()).digest()


def test_labels_errors_and_captions_are_text_whatever_is_in_them(read):
    assert len(read.all("script")) == 1
    shown = NASTY.replace("\x1b", "�")
    assert shown in [entry["text"] for entry in read.elements if entry.get("class") == "label"]
    assert RUNS[3]["error"] in [entry["text"] for entry in read.all("pre")]
    assert "Iterations. More is <better>." in [e["text"] for e in read.all("figcaption")]
    assert read.all("img")[0]["alt"] == 'A "curve"'
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", example())


def test_every_number_leads_to_where_it_comes_from(read):
    numbers = [entry for entry in read.all("a") if entry.get("class") == "n"]
    for table in TABLES:
        for block in table.blocks:
            for line in block.lines:
                for cell in line.cells.values():
                    entries = [
                        read.by_id(number["href"][1:])["text"]
                        for number in numbers
                        if number["text"].startswith(cell.text.partition(" ± ")[0])
                    ]
                    source = line.source.replace("\x1b", "�")
                    assert any(source in entry for entry in entries), (line.label, cell)


def test_a_cells_own_source_comes_before_its_lines():
    line = Line("m", "published", "of the line", {"a": Cell("5", 5.0, source="of the cell")})
    table = Table("2", "T", (Column("a", "a"),), (Block("b", (line,)),))
    read = Reader(page([table], [], RUNS))
    assert read.by_id("source-1")["text"] == "of the cell"


def test_marks_are_signs_and_words_not_colours(read):
    cells = {e["class"]: e["text"] for e in read.all("td") if e.get("class") in ("best", "tied")}
    assert cells == {"best": "66.12 best★", "tied": "64.93 tied with the best ±0.31~"}


def test_a_run_states_its_config_machine_software_costs_and_hashes(read):
    text = read.by_id("bibtex/sleec-22222222")["text"]
    for said in (
        "there: Some CPU, 2 cores, 8 GB", "numpy 2.4.6", "abc123 with uncommitted changes",
        "train 1.50, completion 2.50", "123.00 MB", "2.50 GB", "method.rank = 7", "rank: 7",
        "2026-01-03 00:00:00 UTC", "bibtex/train.txt, 1.00 MB", *(x * 64 for x in "cde"),
    ):  # fmt: skip
        assert said in text


def test_no_path_of_the_machine_is_told():
    assert "/secret" not in example()


def test_a_failed_run_is_named_at_the_top_and_shows_its_error(read):
    assert "bibtex/broken-44444444 failed" in read.by_id("summary")["text"]
    assert RUNS[3]["error"] in read.by_id("bibtex/broken-44444444")["text"]


def test_the_summary_says_what_was_measured_when_where_and_what_is_missing(read):
    text = read.by_id("summary")["text"]
    for said in ("3 done, 1 failed", "2026-01-02 to 2026-01-03", "there: Some CPU", "0.1.0"):
        assert said in text
    assert MISSING[0].replace("`", "") in text


def test_a_dataset_has_its_own_lines_of_each_table_and_its_runs(read):
    text = read.by_id("dataset-bibtex")["text"]
    assert "4880" in text
    assert "4881" in text
    assert "66.12" in text
    assert "24.4" not in text
    assert all(run["run_id"].replace("\x1b", "�") in text for run in RUNS)


def test_a_dataset_gets_its_own_blocks_whatever_their_titles():
    blocks = tuple(
        replace(ACCURACY.blocks[0], title=title, dataset=dataset)
        for title, dataset in (
            ("delicious, split 1", "delicious"),
            ("mean", "delicious"),
            ("delicious of another kind", "delicious-200k"),
        )
    )
    part = of_dataset(replace(ACCURACY, blocks=blocks), "delicious")
    assert part is not None
    assert [block.title for block in part.blocks] == ["delicious, split 1", "mean"]
    assert of_dataset(ACCURACY, "eurlex") is None


def test_numbers_of_other_tasks_lead_to_their_runs_and_their_tables_sort_and_filter():
    cells = (Cell("2", 2), Cell("", None), Cell("4.50 ± 0.10", 4.5))
    columns = (Column("runs", "runs"), Column("x", "x"), Column("error", "error %", "lower"))
    ids = ("bibtex/sleec-22222222", "bibtex/sleec-33333333")
    tables = [TaskTable(f"wine {n}", columns, (TaskLine(NASTY, ids, cells),)) for n in (1, 2)]
    read = Reader(page([], [], RUNS, [], tables))
    numbers = [entry for entry in read.all("a") if entry.get("class") == "n"]
    assert [entry["text"] for entry in numbers] == ["2", "4.50", "2", "4.50"]
    for number in numbers:
        assert all(run_id in read.by_id(number["href"][1:])["text"] for run_id in ids)
    # What page.js sorts and filters by.
    assert [entry["data-table"] for entry in read.all("div") if "data-table" in entry] == [
        "task-1", "task-2",
    ]  # fmt: skip
    assert [e["data-group"] for e in read.all("tr") if "data-group" in e] == ["task", "task"]
    assert [e["data-value"] for e in read.all("td") if "data-value" in e] == ["2", "4.5"] * 2
    assert all(read.by_id(f"task-{n}")["tag"] == "table" for n in (1, 2))


def test_the_figure_is_in_the_page_as_it_was_drawn(read):
    assert b64decode(read.all("img")[0]["src"].partition(",")[2]).decode() == SVG


def test_sorting_goes_by_the_value_not_by_what_is_shown():
    cell = Cell("1.23", 1.2345678901)
    table = Table(
        "2", "T", (Column("a", "a"),), (Block("b", (Line("m", "ours", "", {"a": cell}),)),)
    )
    assert 'data-value="1.2345678901"' in page([table], [], RUNS)


def test_equal_results_give_equal_bytes():
    assert example() == example()


def test_runs_alone_are_a_page():
    """Nothing finished: no tables, no figures, but the failed run and its error."""
    read = Reader(page([], [], [run("tiny/x-1", "x", "failed", "no memory")]))
    assert "1 failed" in read.by_id("summary")["text"]
    assert "no memory" in read.by_id("tiny/x-1")["text"]


def test_a_result_of_an_older_version_without_provenance_is_shown():
    old = run("tiny/x-1", "x") | {"provenance": {}, "sizes": {}, "seconds": {}, "sources": []}
    assert "66.12" in Reader(page([], [], [old])).by_id("dataset-tiny")["text"]


def test_style_and_script_are_small_and_a_run_costs_little():
    own = [files("xcbench.report.html").joinpath(f"page.{kind}") for kind in ("css", "js")]
    assert sum(len(path.read_bytes()) for path in own) < 15_000
    many = [run(f"tiny/x-{i}", "x") for i in range(200)]
    assert len(page([], [], many)) < 200 * 4_000 + 20_000


def test_run_ids_with_spaces_and_markup_are_linked_whole(read):
    (entry,) = [e for e in read.all("li") if e["text"].endswith(NASTY_ID.replace("\x1b", "�"))
                and e.get("id", "").startswith("source")]  # fmt: skip
    assert entry["text"].startswith("Measured in one run: ")


def test_addresses_in_publications_are_links(read):
    (link,) = [e for e in read.all("a") if e["href"] == "https://example.org/paper.pdf"]
    assert PUBLICATION.endswith(link["text"])

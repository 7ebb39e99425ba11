"""``xcbench report``: one page of whatever results are there."""

import pytest

METHODS = "methods: [{preset: rxml, label: good}, {preset: rxml, label: bad, rank: 13}]"


@pytest.fixture
def results(xcbench, config, tiny_data, fake_model, tmp_path):
    """A results folder with a run that ended well and one that failed."""

    def fail(learner):
        raise MemoryError("no room for <this>")

    fake_model(fail)
    assert xcbench("run", config(METHODS), "--data", tiny_data).exit_code == 1
    return tmp_path / "results"


def test_a_page_holds_the_tables_the_runs_and_their_errors(xcbench, results, tiny_data, tmp_path):
    done = xcbench("report", "--data", tiny_data, "--out", "a/page.html")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("a/page.html: 0.")
    assert "2 runs" in done.stdout
    text = (tmp_path / "a" / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "no room for &lt;this&gt;" in text
    assert 'id="table-2"' in text
    assert 'id="table-3"' in text
    assert 'id="figure-time"' in text
    assert "figure 1: " in text
    assert str(tiny_data) not in text.partition('id="datasets"')[2]


def test_the_same_results_give_the_same_page(xcbench, results, tiny_data, tmp_path):
    pages = []
    for name in ("one.html", "two.html"):
        assert xcbench("report", "--data", tiny_data, "--out", name).exit_code == 0
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_without_results_there_is_no_page(xcbench, tmp_path):
    missing = xcbench("report")
    assert missing.exit_code == 2
    assert "no such results folder" in missing.output
    (tmp_path / "results" / "runs").mkdir(parents=True)
    empty = xcbench("report")
    assert empty.exit_code == 2
    assert "error: results: no results to report" in empty.output
    assert not (tmp_path / "report.html").exists()


def test_a_place_that_cannot_be_written_is_an_error_and_nothing_is_left(
    xcbench, results, tiny_data, tmp_path
):
    (tmp_path / "page.html").mkdir()
    refused = xcbench("report", "--data", tiny_data, "--out", "page.html")
    assert refused.exit_code == 2
    assert "error: --out page.html: cannot be written" in refused.output
    assert [path.name for path in tmp_path.glob(".page*")] == []

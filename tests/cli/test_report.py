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


def test_no_path_of_the_machine_is_on_the_page(
    xcbench, config, tiny_data, fake_model, tmp_path, monkeypatch
):
    """Not from a config, an error, what is missing, what cannot be compared, or a damaged file."""

    def fail(learner):
        raise OSError(f"no room in {tmp_path}/cache/x and '{tmp_path}/a b/y'")

    fake_model(fail)
    files = f"{{train: {tiny_data}/tiny/train.txt, test: {tiny_data}/tiny/test.txt}}"
    xcbench("run", config(METHODS), "--data", tiny_data, "--quiet")
    own = tmp_path / "own.yaml"
    own.write_text(f"dataset: {files}\nmethod: {{preset: rxml, label: own, rank: 5}}\n")
    xcbench("run", own, "--data", tiny_data, "--quiet")
    for path in tmp_path.glob("results/runs/*/good-*/predictions.npz"):
        path.write_bytes(b"damaged")
    (tmp_path / "results" / "figures" / "cost.csv").mkdir(parents=True)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "enron.yaml").write_text("dataset: {name: enron}\nmethod: rxml\n")
    done = xcbench(
        "report", "--data", tiny_data, "--results", tmp_path / "results", "--out", "page.html"
    )
    assert done.exit_code == 0, done.output
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "no room in x and &#x27;y&#x27;" in text
    for said in ("train: DATA/tiny/train.txt", "--results RESULTS", "not in DATA", "cost.csv"):
        assert said in text
    assert "no rows to compare" in text
    assert str(tmp_path) not in text
    assert tmp_path.name not in text


@pytest.mark.parametrize("damage", ["text", "folder"])
def test_a_damaged_measurement_is_missing_from_a_page_and_no_more(
    xcbench, results, tiny_data, tmp_path, damage
):
    path = tmp_path / "results" / "figures" / "cost.csv"
    path.parent.mkdir()
    path.write_text("junk") if damage == "text" else path.mkdir()
    assert xcbench("report", "--data", tiny_data).exit_code == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "figure cost: results/figures/cost.csv: " in text
    assert "--force" in text


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
    assert empty.exit_code == 1
    assert "error: results: no results to report" in empty.output
    assert not (tmp_path / "report.html").exists()


def test_a_place_that_cannot_be_written_is_an_error_and_nothing_is_left(
    xcbench, results, tiny_data, tmp_path
):
    (tmp_path / "page.html").mkdir()
    refused = xcbench("report", "--data", tiny_data, "--out", "page.html")
    assert refused.exit_code == 2
    assert "error: page.html: cannot be written" in refused.output
    assert [path.name for path in tmp_path.glob(".page*")] == []

"""``xcbench table``: what it makes, what it says is missing, and how it ends."""

import csv
import io
import shlex

import pytest

ONE = "method: {preset: rxml, rank: 5}"
TWO = "methods: [{preset: rxml, rank: 5}, {preset: sleec, rank: 6}]"


@pytest.fixture
def runs(tiny_data, fake_model, xcbench, config):
    """Two finished runs on ``tiny``."""
    fake_model()
    assert xcbench("run", config(TWO), "--quiet").exit_code == 0


def numbers(done):
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_accuracy_of_whatever_results_are_there(runs, xcbench):
    done = xcbench("table", "2", "--format", "csv")
    assert done.exit_code == 0, done.output
    found = {(row["method"], row["group"]) for row in numbers(done)}
    assert found == {("rxml", "ours"), ("sleec", "paper")}
    # The stand-in model predicts the same under every name.
    assert {row["standing"] for row in numbers(done)} == {"best", "tied"}


def test_cost(runs, xcbench):
    shown = xcbench("table", "3").stdout
    assert "train s" in shown
    assert "rxml" in shown


def test_statistics_of_a_dataset_of_ones_own(tiny_data, xcbench):
    done = xcbench("table", "1", "--dataset", "tiny", "--format", "csv")
    assert done.exit_code == 0
    assert {row["metric"]: row["value"] for row in numbers(done)}["n_train"] == "60"


def test_datasets_that_are_not_there_are_listed_with_where_to_get_them(tiny_data, xcbench):
    done = xcbench("table", "1", "--dataset", "tiny", "--dataset", "eurlex")
    assert done.exit_code == 0
    assert "eurlex: not in data; get it with `xcbench data fetch eurlex`, or by" in done.stderr


def test_without_any_data_the_first_table_ends_with_3(xcbench, tmp_path, monkeypatch):
    monkeypatch.delenv("XCBENCH_DATA", raising=False)
    done = xcbench("table", "1", "--data", tmp_path / "none")
    assert done.exit_code == 3
    assert "error: no dataset to count in" in done.stderr


def test_without_results_the_others_end_with_1_or_2(xcbench, tmp_path):
    assert xcbench("table", "2").exit_code == 2
    (tmp_path / "results").mkdir()
    done = xcbench("table", "2", "--dataset", "bibtex")
    assert done.exit_code == 1
    assert "error: no finished run of these in results" in done.stderr


def test_methods_and_datasets_can_be_chosen(runs, xcbench):
    done = xcbench("table", "2", "--method", "sl*", "--format", "csv")
    assert {row["method"] for row in numbers(done)} == {"sleec"}
    assert xcbench("table", "2", "--dataset", "other").exit_code == 1


def test_files_are_written_in_the_format_of_their_ending(runs, xcbench, tmp_path):
    outs = [tmp_path / "new" / f"t.{ending}" for ending in ("md", "tex", "csv", "html", "txt")]
    done = xcbench("table", "2", *(part for out in outs for part in ("--out", out)))
    assert (done.exit_code, done.stdout) == (0, "")
    texts = [out.read_text() for out in outs]
    for text, start in zip(texts, ("# Table 2", "% Tables", "dataset,", "<section", "Table 2"),
                           strict=True):  # fmt: skip
        assert text.startswith(start)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(
        out.name for out in outs
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "t.pdf"), "--out t.pdf: found the ending '.pdf'; expected one of .txt, .md"),
        (("--out", "results/results.csv/t.md"), "results/results.csv/t.md: cannot be written"),
    ],
)
def test_a_file_that_cannot_be_made_is_said(runs, xcbench, arguments, message):
    done = xcbench("table", "2", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_jobs_of_the_projects_configs_without_results_are_listed(runs, xcbench, tmp_path):
    (tmp_path / "configs" / "peers").mkdir(parents=True)
    for name in ("configs/enron.yaml", "configs/peers/enron.yaml"):
        (tmp_path / name).write_text("dataset: {name: enron}\nmethods: [rxml, sleec]\n")
    (tmp_path / "configs" / "bioregistry.yaml").write_text("not: [a config")
    done = xcbench("table", "2", "--data", tmp_path / "data")
    line = next(line for line in done.stderr.splitlines() if "enron" in line)
    assert "enron: no results of rxml, sleec; its data is not in" in line
    assert "`xcbench run configs/enron.yaml configs/peers/enron.yaml --data" in line
    assert "bioregistry.yaml:1" in done.stderr
    assert "enron" not in xcbench("table", "2", "--dataset", "tiny").stderr


def test_runs_of_sweeps_are_no_lines_unless_asked_for_wherever_their_config_lies(
    runs, xcbench, config, tmp_path, monkeypatch
):
    text = "method: {preset: rxml, label: fig}\nsweep: {rank: [3, 4]}"
    xcbench("run", config(text, "mine.yaml"), "--quiet")
    (tmp_path / "mine.yaml").unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    call = ("table", "2", "--format", "csv", "--results", tmp_path / "results")
    done = xcbench(*call)
    assert {row["method"] for row in numbers(done)} == {"rxml", "sleec"}
    assert "2 runs of sweeps are not in the table; --method names some" in done.stderr
    asked = xcbench(*call, "--method", "fig*")
    assert {row["method"] for row in numbers(asked)} == {"fig-rank3", "fig-rank4"}
    assert "sweeps" not in asked.stderr


def test_with_runs_of_sweeps_alone_there_is_no_finished_run_for_a_table(
    tiny_data, fake_model, xcbench, config
):
    fake_model()
    xcbench("run", config("method: rxml\nsweep: {rank: [3]}"), "--quiet")
    done = xcbench("table", "2")
    assert done.exit_code == 1
    assert "1 run of a sweep is not in the table" in done.stderr


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_every_line_of_the_csv_names_its_dataset(runs, xcbench, number):
    arguments = ("--dataset", "tiny") if number == "1" else ()
    rows = numbers(xcbench("table", number, "--format", "csv", *arguments))
    assert {row["dataset"] for row in rows} == {"tiny"}


def test_advised_commands_can_be_pasted_whatever_the_folders_are_called(runs, xcbench, tmp_path):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "enron.yaml").write_text("dataset: {name: enron}\nmethod: rxml\n")
    data, results = tmp_path / "it's $my data", tmp_path / "my results"
    (tmp_path / "results").rename(results)
    done = xcbench("table", "2", "--data", data, "--results", results)
    line = next(line for line in done.stderr.splitlines() if "enron" in line)
    command = line.split("; then `")[1].rstrip("`")
    assert shlex.split(command) == [
        "xcbench", "run", "configs/enron.yaml", "--data", str(data), "--results", str(results),
    ]  # fmt: skip


def test_a_table_without_the_data_is_still_made_and_says_why_nothing_is_tied(
    runs, xcbench, tmp_path
):
    done = xcbench("table", "2", "--data", tmp_path / "elsewhere", "--format", "csv")
    assert done.exit_code == 0
    assert "tied" not in {row["standing"] for row in numbers(done)}
    assert "no rows to compare" in done.stderr

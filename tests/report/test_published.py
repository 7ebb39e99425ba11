"""The published numbers: as they were read, each with its source, and shown in their own digits."""

import csv
import hashlib
from dataclasses import fields
from pathlib import Path

import pytest

from xcbench.data.catalogue import catalogue
from xcbench.data.statistics import Statistics
from xcbench.errors import XCBenchError
from xcbench.report import published
from xcbench.report.published import (
    one_source,
    published_costs,
    published_results,
    published_sleec,
    published_statistics,
    repository_numbers,
    ten_split_numbers,
)
from xcbench.report.tables import table1, table2, table3
from xcbench.report.tables.table2 import METRICS

FOLDER = Path(__file__).parents[2] / "results" / "published"
SHA256 = {
    "datasets.csv": "f60144b3087dae06e71f421310387bfd08458b20ab75b27f3548c8348a1d0cdd",
    "results.csv": "88063383347b0249dba00eaa0434d70e36a2d2c6ccab68598bc02cde08860c58",
    "sleec_hyperparameters.csv": "60e8d180be292ad81030dedb65345ad6b04bac4541200794e5dad5a9ba243283",
}
TITLES = {entry.title: name for name, entry in catalogue().items()}


def rows(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


RESULTS = {
    (row["dataset"], row["method"], row["metric"], row["value"], row["source"])
    for row in rows("results.csv")
}


def run(dataset, split=1):
    """A finished run with as little in it as a table needs."""
    return {
        "status": "done", "dataset": dataset, "dataset.name": dataset, "method": "rxml",
        "preset": "rxml", "split": split, "seed": 0, "utc": "",
        "run_id": f"{dataset}/rxml-{split}", "data_sha256": str(split),
        "n_test": 10, "n_train": 40, "P@1": 50.0, "P@3": 40.0, "P@5": 30.0,
    }  # fmt: skip


@pytest.mark.parametrize("name", SHA256)
def test_the_files_are_those_that_were_read(name):
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == SHA256[name]


@pytest.mark.parametrize("name", SHA256)
def test_every_row_has_a_value_and_a_source(name):
    for row in rows(name):
        assert row["value"].strip()
        assert row["source"].strip()


@pytest.mark.parametrize("bad", ["Bibtex,SLEEC,P@1,65.08,", "Bibtex,SLEEC,P@1,?,a page"])
def test_a_number_without_a_source_and_a_source_without_a_number_are_refused(
    bad, tmp_path, monkeypatch
):
    (tmp_path / "results.csv").write_text(f"dataset,method,metric,value,source\n{bad}\n")
    monkeypatch.setattr(published, "_PLACES", (tmp_path, tmp_path))
    with pytest.raises(XCBenchError, match="without a number or a source"):
        published_results.__wrapped__()


def test_missing_files_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "_PLACES", (tmp_path, tmp_path / "results"))
    with pytest.raises(XCBenchError, match=r"looked for datasets\.csv"):
        published_statistics.__wrapped__()


def test_every_published_number_of_table_2_is_one_of_the_file():
    made = table2([run(name, split) for name in TITLES.values() for split in (1, 2)])
    shown = 0
    for block in made.blocks:
        title = catalogue()[block.dataset].title
        for line in block.lines:
            if line.group != "published":
                continue
            assert line.source
            for metric, cell in line.cells.items():
                value, _, spread = cell.text.partition(" ± ")
                assert (title, line.label, metric, value, cell.source) in RESULTS
                assert float(value) == cell.value
                if spread:
                    key = (title, line.label, f"{metric}_std", spread, cell.source)
                    assert key in RESULTS
                shown += 1
    assert shown > 1000


def test_the_differences_are_from_the_published_sleec():
    (block,) = table2([run("bibtex")]).blocks
    (ours,) = (line for line in block.lines if line.group == "ours")
    shown = [ours.cells[f"P@{k} minus SLEEC"].text for k in (1, 3, 5)]
    assert shown == ["-15.08", "+0.36", "+1.13"]  # from 65.08, 39.64 and 28.87


def test_the_old_page_is_followed_and_the_new_one_for_the_methods_it_lacks():
    eurlex = repository_numbers("EURLex-4K")
    assert eurlex["Parabel"]["P@1"].text == "81.73"  # the current page says 82.25
    assert "2020-07-20" in eurlex["Parabel"]["P@1"].source
    assert "2024-08-24" in eurlex["Bonsai"]["P@1"].source


def test_sleecs_paper_stands_beside_means_of_ten_splits():
    sleec = ten_split_numbers("Delicious")["SLEEC"]
    assert [sleec[f"P@{k}"].text for k in (1, 3, 5)] == ["68.42", "61.83", "56.80"]
    assert ten_split_numbers("Wiki10-31K") == {}


def test_a_dataset_without_published_numbers_has_none():
    assert repository_numbers("") == {}


def test_sleecs_values_are_those_of_the_file():
    sleec = published_sleec("P@1")
    assert (sleec["bibtex"], sleec["delicious"]) == (65.08, 67.59)
    values = {n.value for n in published_results() if (n.method, n.metric) == ("SLEEC", "P@1")}
    assert set(sleec.values()) <= values


def test_the_hardware_of_a_cost_is_what_its_source_says_after_the_table():
    found = {
        number.hardware
        for title in TITLES
        for (_, source), numbers in published_costs(title).items()
        for number in numbers.values()
        if "Parabel paper" in source
    }
    assert found == {"single core Xeon 2.5GHz"}
    assert {n.hardware for n in published_results() if "XC repository" in n.source} == {""}


@pytest.mark.parametrize("made", [table2, table3])
def test_files_of_ones_own_in_a_folder_of_a_catalogues_name_get_no_published_numbers(made):
    own = run("eurlex") | {"dataset.train": "my/eurlex/train.txt"}
    del own["dataset.name"]
    (block,) = made([own]).blocks
    assert [line.group for line in block.lines] == ["ours"]
    assert not any("SLEEC" in key for line in block.lines for key in line.cells)
    (block,) = made([run("eurlex")]).blocks
    assert "published" in [line.group for line in block.lines]


def test_sources_are_gathered_by_publication():
    numbers = repository_numbers("Bibtex")["SLEEC"]
    source = one_source(numbers[metric] for metric in METRICS)
    assert source == "XC repository page, git be5ad35 (2020-07-20), Tables 2, 6, 7"


def test_every_published_cost_of_table_3_is_one_of_the_file():
    made = table3([run(name) for name in TITLES.values()])
    metrics = {"train_s": "train_time_h", "test_ms_per_point": "test_time_ms_per_point"}
    shown = 0
    for block in made.blocks:
        for line in block.lines:
            for key, cell in line.cells.items():
                if line.group == "published" and cell.value is not None:
                    title, text = catalogue()[block.dataset].title, cell.text.split(" ")[0]
                    metric = metrics.get(key, "model_size_GB")
                    assert (title, line.label, metric, text, line.source) in RESULTS
                    shown += 1
    assert shown > 100


def test_every_published_statistic_of_table_1_is_one_of_the_file():
    counted = Statistics(*[1] * len(fields(Statistics)))
    (block,) = table1(dict.fromkeys(TITLES.values(), counted)).blocks
    known = {(row["dataset"], row["value"], row["source"]) for row in rows("datasets.csv")}
    published_lines = [line for line in block.lines if line.group == "published"]
    assert len(published_lines) == 10
    for line in published_lines:
        for cell in line.cells.values():
            assert (line.label.removesuffix(", published"), cell.text, cell.source) in known

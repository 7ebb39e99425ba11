"""Cost against time: what is read, what is drawn."""

import csv

import pytest

from tests.report.figures.conftest import made_costs
from xcbench.errors import DataError
from xcbench.report.figures import figure_cost, missing_cost, read_costs
from xcbench.report.figures.cost import COLUMNS
from xcbench.report.listing import as_csv


def test_lines_are_the_costs_at_their_seconds():
    squared, absolute = figure_cost(made_costs()).figure.axes
    assert [line.get_label() for line in squared.lines] == [
        "RCG, spectral start (ours)", "RCG, random start (paper)", "SVP (SLEEC)",
        "MADMM, absolute errors",
    ]  # fmt: skip
    first = squared.lines[0]
    assert list(first.get_xdata()) == [0.1 * i for i in range(12)]
    assert list(first.get_ydata()) == [10.0**-i for i in range(12)]
    assert list(absolute.lines[3].get_ydata()) == [2.0**-i for i in range(12)]
    assert (squared.get_yscale(), absolute.get_yscale()) == ("log", "log")


def test_a_cost_of_zero_has_no_place_on_a_log_scale():
    rows = [row | {"squared_cost": 0.0} if row["iteration"] == "3" else row for row in made_costs()]
    squared, absolute = figure_cost(rows).figure.axes
    assert (len(squared.lines[0].get_xdata()), len(absolute.lines[0].get_xdata())) == (11, 12)


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text(as_csv(made_costs(), COLUMNS))
    assert read_costs(path) == made_costs()


def test_no_file_is_no_rows_and_a_command(tmp_path):
    rows = read_costs(tmp_path / "cost.csv")
    assert (rows, figure_cost(rows)) == ([], None)
    assert missing_cost(rows)[0].command == "xcbench figure cost --config configs/bibtex.yaml"
    assert missing_cost(made_costs()) == []


@pytest.mark.parametrize("text", ["", "solver,seconds\nsvp,1\n", "not a table at all"])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "cost.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=r"cost\.csv: no measurement of costs"):
        read_costs(path)


@pytest.mark.parametrize("change", [{"pairs": "many"}, {"solver": "other"}, {"points": "-1"}])
def test_a_row_that_cannot_be_drawn_is_refused(tmp_path, change):
    path = tmp_path / "cost.csv"
    path.write_text(as_csv([made_costs()[0] | change], COLUMNS))
    with pytest.raises(DataError, match=r"cost\.csv: no measurement of costs"):
        read_costs(path)


def test_a_folder_in_its_place_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_costs(tmp_path)


def test_a_number_that_is_none_is_refused(tmp_path):
    path = tmp_path / "cost.csv"
    path.write_text(as_csv(made_costs(), COLUMNS).replace(",0.1,", ",soon,", 1))
    assert "soon" in {row["seconds"] for row in csv.DictReader(path.open())}
    with pytest.raises(DataError, match="soon"):
        read_costs(path)


def test_the_caption_states_the_problem_and_the_machine():
    caption = figure_cost(made_costs()).caption
    for part in ("bibtex, training rows of split 1: 10 points, 40 pairs, rank 2", "seed 0"):
        assert part in caption
    assert "one thread of a processor" in caption

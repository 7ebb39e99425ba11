"""Table 2: who stands where, by the rows and by the splits."""

import math

import numpy as np
import pytest

from xcbench.metrics import bootstrap
from xcbench.metrics.per_row import Contributions
from xcbench.report.tables import table2


def scores(right, name="P@1"):
    gains = np.asarray(right, dtype=float)[:, np.newaxis]
    return Contributions((name,), gains, np.ones_like(gains))


@pytest.fixture
def made(run):
    """Table 2 of methods with these rows of 100 right."""

    def make(**right):
        rows = [run(name, **{"P@1": 100 * np.mean(rows)}) for name, rows in right.items()]
        found = {f"tiny/{name}-10": scores(rows) for name, rows in right.items()}
        return table2(rows, found.get).blocks[0]

    return make


def standings(block, metric="P@1"):
    return {line.label: line.cells[metric].standing for line in block.lines}


def first(n):
    return np.arange(100) < n


def test_what_the_rows_cannot_tell_from_the_best_is_tied_and_the_rest_is_not(made):
    block = made(rxml=first(60), sleec=first(59), knn=first(40))
    assert standings(block) == {"rxml": "best", "sleec": "tied", "knn": ""}


def test_pairing_tells_apart_what_two_standard_errors_could_not(made):
    # Six rows more and none less: far below the standard error of 4.9, and yet no chance.
    assert standings(made(rxml=first(60), sleec=first(54)))["sleec"] == ""


def test_without_rows_nothing_is_tied_and_a_note_says_so(run):
    block = table2([run(), run("sleec", **{"P@1": 49.9})]).blocks[0]
    assert standings(block) == {"rxml": "best", "sleec": ""}
    assert "rows were not compared, so ties are not known" in block.notes


def test_a_method_whose_rows_are_gone_is_named_and_not_called_tied(run):
    found = {"tiny/rxml-10": scores(first(50)), "tiny/sleec-10": scores(first(49))}
    rows = [run(**{"P@1": 50.0}), run("sleec", **{"P@1": 49.0}), run("knn", **{"P@1": 49.0})]
    block = table2(rows, found.get).blocks[0]
    assert standings(block) == {"rxml": "best", "sleec": "tied", "knn": ""}
    (note,) = (note for note in block.notes if "no rows" in note)
    assert note.startswith("no rows to compare (predictions or data are missing, or not what")
    assert "they were): knn; ties with them are not known" in note


def test_when_the_rows_of_the_best_are_gone_nothing_is_tied(run):
    found = {"tiny/rxml-10": scores(first(50)), "tiny/sleec-10": scores(first(49))}
    rows = [run(**{"P@1": 50.0}), run("sleec", **{"P@1": 49.0}), run("knn", **{"P@1": 51.0})]
    block = table2(rows, found.get).blocks[0]
    assert standings(block) == {"knn": "best", "rxml": "", "sleec": ""}


def test_rows_of_other_test_labels_are_not_paired(run):
    other = Contributions(("P@1",), np.ones((100, 1)) / 2, np.full((100, 1), 2.0))
    found = {"tiny/rxml-10": scores(first(50)), "tiny/sleec-10": other}
    block = table2([run(**{"P@1": 51.0}), run("sleec")], found.get).blocks[0]
    assert standings(block) == {"rxml": "best", "sleec": ""}


def more(right, norm=1.0, names=("P@1", "PSP@1")):
    """Contributions to P@1 and PSP@1, the second with this much to earn in a row."""
    gains = np.asarray(right, dtype=float)[:, np.newaxis]
    norms = np.column_stack([np.ones(len(gains)), np.full(len(gains), norm)])
    both = Contributions(("P@1", "PSP@1"), gains * norms, norms)
    return both.only(names)


def table_of(run, **scored):
    """The block of methods with these contributions, and of P@3 where they have it."""
    rows = []
    for name, one in scored.items():
        numbers = dict.fromkeys(("P@1", "P@3"), "")
        values = 100 * one.gains.sum(axis=0) / one.norms.sum(axis=0)
        rows.append(run(name, **numbers | dict(zip(one.names, values, strict=True))))
    return table2(rows, {f"tiny/{name}-10": one for name, one in scored.items()}.get).blocks[0]


@pytest.mark.parametrize("odd", ["aaa", "zzz"])
def test_a_run_with_fewer_cut_offs_strips_nobody_of_ties_and_is_tied_where_it_can_be(run, odd):
    scored = {"rxml": more(first(60)), "sleec": more(first(59)), "knn": more(first(20))}
    block = table_of(run, **scored, **{odd: more(first(58), names=("P@1",))})
    assert standings(block) == {"rxml": "best", "sleec": "tied", "knn": "", odd: "tied"}
    marks = {x.label: x.cells["PSP@1"].standing for x in block.lines if "PSP@1" in x.cells}
    assert marks == {"rxml": "best", "sleec": "tied", "knn": ""}
    assert not any("no rows" in note or "propensity" in note for note in block.notes)


@pytest.mark.parametrize("odd", ["aaa", "zzz"])
def test_a_metric_of_another_propensity_has_no_mark_and_the_note_says_why(run, odd):
    scored = {"rxml": more(first(60)), "sleec": more(first(59)), odd: more(first(61), norm=3.0)}
    block = table_of(run, **scored)
    assert standings(block) == {odd: "best", "rxml": "tied", "sleec": "tied"}
    assert standings(block, "PSP@1") == {"rxml": "best", "sleec": "tied", odd: ""}
    (note,) = (note for note in block.notes if "propensity" in note)
    assert note == (
        "computed with another propensity or on other test labels than most, so without a mark "
        f"in PSP@1: {odd}"
    )


def test_other_data_with_the_same_norms_is_not_taken_for_the_same_rows(run):
    rows = [run(**{"P@1": 60.0}), run("sleec", **{"P@1": 59.0, "dataset.features": "raw"})]
    rows[1]["data_sha256"] = "other"
    found = {"tiny/rxml-10": scores(first(60)), "tiny/sleec-10": scores(first(59))}
    assert standings(table2(rows, found.get).blocks[0]) == {"rxml": "best", "sleec": ""}


def test_fewer_resamples_are_said(run, monkeypatch):
    monkeypatch.setattr(bootstrap, "WORK", 100 * 3 * 500)  # 500 resamples of one metric of two
    rows = [run(**{"P@1": 60.0}), run("sleec", **{"P@1": 59.0})]
    found = {"tiny/rxml-10": scores(first(60)), "tiny/sleec-10": scores(first(59))}
    block = table2(rows, found.get).blocks[0]
    assert "ties are by 500 resamples of its test rows" in block.notes
    monkeypatch.undo()
    assert not any("resamples" in note for note in table2(rows, found.get).blocks[0].notes)


def test_seeds_are_a_mean_with_their_sample_standard_deviation(run):
    rows = [run(seed=seed, **{"P@1": value}) for seed, value in enumerate((50.0, 51.0, 52.0))]
    (line,) = table2(rows).blocks[0].lines
    cell = line.cells["P@1"]
    assert (cell.text, cell.value, cell.spread) == ("51.00 ± 1.00", 51.0, 1.0)
    assert line.cells["runs"].text == "3 seeds"
    assert line.source == "tiny/rxml-10, tiny/rxml-11, tiny/rxml-12"


def split_runs(run, name, values):
    return [run(name, split=at, **{"P@1": value}) for at, value in enumerate(values, start=1)]


def test_splits_have_a_block_for_the_first_and_one_for_their_mean(run):
    rows = [*split_runs(run, "rxml", [50.0, 52.0, 54.0]), run("knn", **{"P@1": 40.0})]
    one, mean = table2(rows).blocks
    assert (one.title, mean.title) == ("tiny, split 1", "tiny, mean of 3 splits")
    assert [line.cells["P@1"].text for line in one.lines] == ["50.00", "40.00"]
    (line,) = mean.lines
    assert line.cells["P@1"].text == "52.00 ± 2.00"
    assert mean.notes[0] == "not run on every one of the 3 splits, so not in this block: knn"


def test_the_mean_of_splits_says_on_what_its_settings_were_chosen(run):
    (one, mean) = table2(split_runs(run, "rxml", [50.0, 52.0])).blocks
    (note,) = (note for note in mean.notes if "chosen" in note)
    assert "on those of split 1, which hold about 80 % of the other splits' test rows" in note
    assert not any("chosen" in note for note in one.notes)


def test_the_table_says_whose_settings_were_chosen_on_this_data():
    (note,) = (note for note in table2([]).notes if "held out" in note)
    assert "our methods, and of ridge and knn" in note
    assert "the peers run with settings or defaults of their authors" in note


def test_one_standard_error_is_of_the_best_mean_over_seeds(run):
    rows = [run(seed=seed, **{"P@1": value}) for seed, value in enumerate((40.0, 60.0))]
    notes = table2([*rows, run("sleec", **{"P@1": 45.0})]).blocks[0].notes
    assert "one standard error of P@1 on its 100 test rows is 5.00 points" in notes


def test_means_of_splits_are_told_apart_by_the_corrected_t_test(run):
    best = [50.0, 51.0, 52.0, 50.0, 51.0]
    differences = np.array([1.0, 1.2, 0.9, 1.1, 1.3])
    error = math.sqrt((1 / 5 + 100 / 400) * differences.var(ddof=1))
    assert abs(differences.mean()) > 2.776 * error  # of 4 degrees of freedom
    noisy = differences + np.array([-3.0, 3.0, -3.0, 3.0, 0.0])
    rows = split_runs(run, "rxml", best)
    rows += split_runs(run, "sleec", list(np.array(best) - differences))
    rows += split_runs(run, "knn", list(np.array(best) - noisy))
    mean = table2(rows).blocks[1]
    assert standings(mean) == {"rxml": "best", "sleec": "", "knn": "tied"}


def test_a_published_number_above_the_best_measured_one_is_marked_and_none_is_best(run):
    (block,) = table2([run(dataset="bibtex", **{"P@1": 64.0, "P@3": 41.0})]).blocks
    marks = {
        line.label: [line.cells[m].standing for m in ("P@1", "P@3")]
        for line in block.lines
        if line.group == "published"
    }
    assert marks["SLEEC"] == ["above", ""]  # 65.08 and 39.64
    assert marks["LEML"] == ["", ""]  # 62.54 and 38.41


def test_measured_methods_come_before_published_ones_and_the_best_first(run):
    rows = [
        run("knn", model="feature_neighbours", dataset="bibtex", **{"P@1": 90.0}),
        run("sleec", dataset="bibtex"),
        run("rxml", dataset="bibtex", **{"P@1": 40.0}),
        run("rxml-blend", dataset="bibtex", **{"P@1": 45.0}),
    ]
    labels = [line.label for line in table2(rows).blocks[0].lines]
    assert labels[:6] == ["rxml-blend", "rxml", "sleec", "knn", "SLEEC", "ProXML"]


def test_a_metric_that_no_run_has_is_no_column(run):
    keys = [column.key for column in table2([run()]).columns]
    assert keys == ["P@1", "P@3", "runs"]


def test_one_standard_error_is_said(run):
    notes = table2([run(**{"P@1": 50.0})]).blocks[0].notes
    assert "one standard error of P@1 on its 100 test rows is 5.00 points" in notes


def test_no_runs_make_an_empty_table():
    assert table2([]).blocks == ()


def test_notes_explain_only_what_is_there(run):
    def told(notes, sign):
        return any(sign in note for note in notes)

    own = table2([run(**{"P@1": 50.0})]).notes
    assert not told(own, "Δ")
    assert not told(own, "↑")
    known = table2([run(dataset="bibtex", **{"P@1": 50.0, "dataset.name": "bibtex"})]).notes
    assert told(known, "Δ")
    assert told(known, "↑")

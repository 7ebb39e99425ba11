"""Table 1 of statistics and Table 3 of costs."""

from xcbench.data.statistics import Statistics
from xcbench.report.tables import table1, table3

COUNTED = Statistics(
    n_train=10, n_test=5, n_features=7, n_labels=3, features_per_point=2.5, labels_per_point=1.25,
    labels_per_point_train=1.0, points_per_label=4.0, points_per_label_train=3.5,
    train_rows_without_labels=0, test_rows_without_labels=0, train_rows_without_features=0,
    test_rows_without_features=0, labels_without_training_rows=0, labels_of_test_only=0,
    heaviest_label=5, labels_below_ten=1.0,
    label_exponent=0.5, heaviest_feature=6, features_below_ten=1.0, feature_exponent=None,
)  # fmt: skip


def test_counted_statistics_stand_beside_published_ones():
    (block,) = table1({"bibtex": COUNTED, "own": COUNTED}).blocks
    assert [line.label for line in block.lines] == ["bibtex", "Bibtex, published", "own"]
    counted, published, _ = block.lines
    assert counted.cells["n_train"].text == "10"
    assert counted.cells["points_per_label_train"].text == "3.50"
    assert published.cells["n_train"].text == "4880"
    assert "points_per_label_train" not in published.cells
    assert (counted.origin, published.origin) == ("measured", "published")
    assert [line.dataset for line in block.lines] == ["bibtex", "bibtex", "own"]


def test_costs_have_their_units(run):
    (line,) = table3([run()]).blocks[0].lines
    texts = {key: cell.text for key, cell in line.cells.items()}
    assert texts == {
        "train_s": "2.00", "test_ms_per_point": "0.500", "model_MB": "2.00", "peak_MB": "300",
        "cores": "2 x 1", "runs": "1",
    }  # fmt: skip


def test_costs_are_of_the_split_that_all_have_and_the_others_are_named(run):
    rows = [run(split=split, train_s=float(split)) for split in (1, 2, 3)]
    (block,) = table3([*rows, run("sleec", train_s=5.0), run("knn", split=2)]).blocks
    assert (block.title, block.dataset) == ("tiny, split 1", "tiny")
    assert {x.label: x.cells["train_s"].text for x in block.lines} == {
        "rxml": "1.00", "sleec": "5.00",
    }  # fmt: skip
    assert "not run on split 1, so not in this block: knn" in block.notes


def test_the_lowest_is_best_where_all_ran_alike(run):
    (block,) = table3([run(), run("sleec", train_s=1.0, model_bytes=3_000_000)]).blocks
    best = {line.label: [k for k, c in line.cells.items() if c.standing] for line in block.lines}
    assert "train_s" in best["sleec"]
    assert "model_MB" in best["rxml"]
    assert "measured on a, c, 2 x 1" in block.notes


def test_times_of_unlike_machines_have_no_best_but_sizes_do(run):
    (block,) = table3([run(), run("sleec", jobs=20, train_s=1.0)]).blocks
    standings = {key for line in block.lines for key, c in line.cells.items() if c.standing}
    assert standings == {"model_MB"}
    assert {line.cells["cores"].text for line in block.lines} == {"2 x 1, a, c", "20 x 1, a, c"}


def test_published_costs_are_in_our_units_for_sorting_and_in_theirs_to_read(run):
    (block,) = table3([run(dataset="eurlex")]).blocks
    (line,) = (x for x in block.lines if x.label == "SLEEC" and "Parabel paper" in x.source)
    assert line.cells["train_s"].text == "0.062 h"
    assert line.cells["train_s"].value == 0.062 * 3600
    assert line.cells["cores"].text == "theirs: single core Xeon 2.5GHz"
    assert all(cell.standing == "" for cell in line.cells.values())

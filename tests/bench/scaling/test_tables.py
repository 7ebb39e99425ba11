"""The measurements as tables, rows and figure."""

from dataclasses import replace

import pytest

from xcbench.bench.scaling.figure import figure_scaling
from xcbench.bench.scaling.rows import COLUMNS, rows_of
from xcbench.bench.scaling.tables import scaling_table
from xcbench.report.figures import svg
from xcbench.report.formats import FORMATS


def _block(table, start):
    (block,) = [block for block in table.blocks if block.title.startswith(start)]
    return block


@pytest.fixture
def table(scaling, machine):
    return scaling_table(scaling, machine, "Amazon-670K", "a machine")


def test_exponents_are_those_of_the_costs(table):
    lines = {line.label[0]: line.cells for line in _block(table, "Fitted").lines}
    # Along n: n d^0.5 l^-0.5 with d as the root of n and l as n.
    for axis, exponent in (("n", 0.75), ("d", 0.5), ("l", -0.5)):
        for name in ("prepare", "completion", "predict", "total"):
            assert lines[axis][name].value == pytest.approx(exponent, abs=0.01)
    assert lines["n"]["memory"].value == pytest.approx(0.5, abs=0.01)
    assert lines["d"]["memory"].value == pytest.approx(0, abs=0.01)


def test_speed_up_and_efficiency_are_those_against_one_core(table):
    one, two = _block(table, "Processes").lines
    assert (one.cells["speedup"].value, one.cells["efficiency"].value) == (1, 1)
    assert two.cells["speedup"].value == pytest.approx(1.6)
    assert two.cells["efficiency"].value == pytest.approx(0.8)


def test_times_are_for_one_point_of_the_part_they_are_spent_on(table, scaling):
    first = scaling.measurements[0]
    cells = _block(table, "Time by n").lines[0].cells
    shape, stages = first.point.shape, first.stages
    assert cells["vote"].value == pytest.approx(1e3 * stages["vote"].task_s / shape.n_train)
    assert cells["predict"].value == pytest.approx(1e3 * stages["predict"].task_s / shape.n_test)


def test_work_is_held_against_the_machines_rates(table):
    lines = {line.label: line.cells for line in _block(table, "Share").lines}
    assert list(lines) == ["prepare", "completion"]  # one cluster is no work
    # 20 Gflop/s of 100, 4 GB/s of 10
    assert lines["completion"]["gemm"].text == "20.0"
    assert lines["completion"]["copy"].text == "40.0"
    assert "gemm" not in lines["prepare"]


def test_peers_stand_beside_ours_at_their_sizes_only(table):
    (block,) = [block for block in table.blocks if block.title.startswith("Peers")]
    assert [line.label for line in block.lines] == ["rxml", "omikuji-parabel", "napkinxc-plt"]
    assert [line.group for line in block.lines] == ["ours", "peer", "peer"]
    assert block.lines[1].cells["P@1"].text == "41.2"
    # 1e5 n^0.5 bytes more than before
    assert block.lines[1].cells["beyond_mb"].value == pytest.approx(0.1 * 4904**0.5, rel=1e-3)


def test_what_was_not_measured_is_said_and_leaves_the_rest(damaged, machine):
    table = scaling_table(damaged, machine, "Amazon-670K", "a machine")
    text = FORMATS["markdown"](table)
    assert text.count("Not measured: rxml, ") == 2
    assert "the process was killed" in text
    peer = _block(table, "Peers").lines[1]
    assert peer.cells["error"].text == "omikuji is not installed"
    labels = [line.label[0] for line in _block(table, "Fitted").lines]
    assert labels == ["n", "l"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_it(table, name):
    assert "completion" in FORMATS[name](table)


def test_rows_hold_every_stage_and_the_whole(scaling):
    rows = list(rows_of(scaling.measurements[0], "a machine"))
    assert all(set(row) <= set(COLUMNS) for row in rows)
    assert {"prepare", "partition", "completion", "predict", "total"} <= {r["stage"] for r in rows}
    (total,) = [row for row in rows if row["stage"] == "total"]
    assert (total["P@1"], total["axes"]) == (41.25, "n")
    totals = scaling.measurements[0].totals
    assert total["wall_s"] == totals["train_s"] + totals["predict_s"]


def test_a_failure_has_a_row(damaged):
    errors = [
        row["error"] for m in damaged.measurements for row in rows_of(m, "") if row.get("error")
    ]
    assert errors == [
        "omikuji is not installed", "the process was killed", "the process was killed",
    ]  # fmt: skip


def test_the_figure_states_the_exponents(scaling):
    drawing = figure_scaling(scaling, "Amazon-670K", "a machine")
    assert "completion as n to the 0.75" in drawing.alt
    assert "peak without the libraries as n to the 0.50" in drawing.alt
    assert "Amazon-670K" in drawing.caption
    labels = drawing.figure.axes[0].get_legend_handles_labels()[1]
    assert labels[0] == "total, wall time: 0.75"
    assert svg(drawing) == svg(drawing)


def test_one_size_makes_no_figure(scaling):
    one = replace(scaling, measurements=scaling.measurements[:1])
    assert figure_scaling(one, "Amazon-670K", "a machine") is None

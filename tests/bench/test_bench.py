"""The benchmark: its fixed problem, its arithmetic and its command. Nothing here is timed."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from xcbench.bench import completion, reader
from xcbench.bench.completion import _compiled_oracle, _numpy_oracle
from xcbench.bench.machine import Machine
from xcbench.bench.real import bench_real
from xcbench.bench.stages import bench_stages
from xcbench.bench.synthetic import bibtex_like
from xcbench.bench.timing import Row, median_seconds
from xcbench.cli.main import app
from xcbench.config.methods import LocalEmbeddingSettings, NeighbourSettings
from xcbench.data.dataset import Dataset
from xcbench.models.local_embedding.neighbours import find_neighbours


def test_the_synthetic_problem_has_the_shape_of_bibtex_and_is_the_same_every_time():
    data, again = bibtex_like(), bibtex_like()
    assert (data.n_points, data.n_features, data.n_labels) == (4880, 1836, 159)
    assert data.Y.nnz / data.n_points == pytest.approx(2.4, abs=0.3)
    np.testing.assert_allclose(data.X.power(2).sum(axis=1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(data.X.data, again.X.data)
    np.testing.assert_array_equal(data.Y.indices, again.Y.indices)


def test_a_ratio_above_one_means_faster_than_the_peer():
    assert Row("stage", "work", ours=2.0, peer="other", theirs=6.0).ratio == 3.0
    assert Row("stage", "work", ours=2.0).ratio is None


def test_rates_are_held_against_the_machines_own():
    machine = Machine(gemm=100e9, memory=10e9)
    assert machine.share(flops=5e9, seconds=0.1) == "50.0 Gflop/s, 50 % of GEMM"
    assert machine.traffic(moved=1e9, seconds=0.2) == "5.0 GB/s, 50 % of copy"


def test_the_uncounted_first_call_does_not_enter_the_median():
    calls = []
    median_seconds(lambda: calls.append(1), repeats=3)
    assert len(calls) == 4


def test_both_oracles_of_the_pymanopt_rows_are_the_same_function():
    Y = bibtex_like().Y[:300]
    known = find_neighbours(Y, NeighbourSettings(count=20)).symmetrised(np.arange(300, dtype="i4"))
    Z = np.random.default_rng(0).standard_normal((300, 8))
    (cost, gradient), (compiled_cost, compiled_gradient) = (
        oracle(known) for oracle in (_numpy_oracle, _compiled_oracle)
    )
    assert compiled_cost(Z) == pytest.approx(cost(Z), rel=1e-5)
    exact = gradient(Z)
    np.testing.assert_allclose(compiled_gradient(Z), exact, atol=1e-4 * np.abs(exact).max())


def test_every_stage_has_its_row():
    rows = list(bench_stages(bibtex_like(), Machine(1e11, 1e10), repeats=1))
    assert [row.stage for row in rows] == ["neighbours", "regression", "vote"]
    assert all(row.ours > 0 and row.ratio for row in rows)


def test_the_completion_rows_compare_equal_numbers_of_steps(monkeypatch):
    for name, value in (("RANK", 8), ("ITERATIONS", 3), ("NUMPY_ITERATIONS", 2)):
        monkeypatch.setattr(completion, name, value)
    rows = list(completion.bench_completion(bibtex_like(), Machine(1e11, 1e10), repeats=1))
    assert [row.stage for row in rows] == ["completion"] * 3 + ["kernel"] * 2 + ["completion"]
    assert all(row.ratio for row in rows if row.stage == "completion")
    # by the same search from the same start both take the same steps
    ours, theirs = rows[2].rate.split("; cost ")[1].split(" after 3, theirs ")
    assert float(ours) == pytest.approx(float(theirs), rel=1e-3)


def test_rxml_and_the_peer_are_scored_on_the_same_rows():
    pytest.importorskip("omikuji", reason="the extra [peers] is not installed")
    data = bibtex_like()
    train, test = (Dataset(data.X[rows], data.Y[rows]) for rows in (slice(400), slice(400, 500)))
    settings = LocalEmbeddingSettings(rank=10)
    (row,) = bench_real("made", train, test, settings, repeats=1)
    assert row.peer == "omikuji, its defaults"
    assert row.rate.startswith("P@1/3/5 ")


def test_the_command_prints_a_table_and_writes_csv(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MEGABYTES", 1)
    out = tmp_path / "rows.csv"
    result = CliRunner().invoke(
        app, ["bench", "--only", "reader", "--repeats", "1", "--out", str(out)]
    )
    assert result.exit_code == 0, result.output
    assert "scikit-learn" in result.output
    with out.open() as file:
        (row,) = csv.DictReader(file)
    assert float(row["ratio"]) == pytest.approx(float(row["theirs"]) / float(row["ours"]))


def test_an_unknown_part_is_refused_with_the_known_ones():
    result = CliRunner().invoke(app, ["bench", "--only", "parser"])
    assert result.exit_code == 2
    assert "expected one of reader, stages, completion" in result.output

"""``xcbench figure``: what it writes, what it lists as missing, and how it ends."""

import subprocess
import sys

import numpy as np
import pytest

from tests.conftest import tiny_text
from xcbench.bench import convergence
from xcbench.report.figures import read_costs

METHODS = """
methods:
  - {preset: rxml, label: fig1-paper, rank: 4, neighbours: {count: 5}}
  - {preset: rxml, label: fig1-spectral, rank: 4, neighbours: {count: 5}}
  - {preset: rxml, rank: 4, neighbours: {count: 5}}
sweep: {completion.iterations: [1, 2]}
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "my data" / "tiny"
    folder.mkdir(parents=True)
    for name, n, seed in (("train", 60, 1), ("test", 20, 2)):
        (folder / f"{name}.txt").write_text(tiny_text(n, seed))
    return folder.parent


@pytest.fixture
def short(monkeypatch):
    """A measurement of a few iterations; a list that counts the solvers' runs."""
    runs = []
    solve = convergence._solve

    def counted(solver, problem, iterations, seed):
        runs.append(solver)
        return solve(solver, problem, min(iterations, 3), seed)

    monkeypatch.setattr(convergence, "_solve", counted)
    return runs


def written(folder):
    return sorted(path.name for path in folder.iterdir())


def test_it_draws_what_runs_there_are_and_lists_the_rest(xcbench, config, data):
    assert xcbench("run", config(METHODS), "--data", data, "--quiet").exit_code == 0
    done = xcbench("figure", "1", "2", "time", "--data", data)
    assert done.exit_code == 0, done.output
    assert written(data.parent / "results" / "figures") == [
        "figure-1.png", "figure-1.svg", "figure-1.txt",
    ]  # fmt: skip
    assert "tiny: split 1, seed 0, 4 runs" in done.stdout
    missing = "xcbench run configs/figures/fig1-bibtex.yaml --data '"
    assert f"figure 1: bibtex: no runs of fig1-paper and no runs of fig1-spectral: {missing}" in (
        done.stderr
    )
    assert "figure 2: delicious: no runs of fig2-clusters-paper" in done.stderr
    assert "figure time: no runs of any method" in done.stderr


def test_files_go_where_out_says_and_hold_the_caption(xcbench, config, data, tmp_path):
    xcbench("run", config(METHODS), "--data", data, "--quiet")
    assert xcbench("figure", "1", "--out", tmp_path / "a" / "b").exit_code == 0
    folder = tmp_path / "a" / "b"
    assert written(folder) == ["figure-1.png", "figure-1.svg", "figure-1.txt"]
    assert (folder / "figure-1.png").read_bytes().startswith(b"\x89PNG")
    assert "tiny: split 1" in (folder / "figure-1.txt").read_text()
    first = (folder / "figure-1.svg").read_bytes()
    assert xcbench("figure", "1", "--out", folder).exit_code == 0
    assert (folder / "figure-1.svg").read_bytes() == first


def test_nothing_to_draw_is_an_error_and_writes_nothing(xcbench, tmp_path):
    (tmp_path / "results").mkdir()
    done = xcbench("figure", "1", "cost")
    assert done.exit_code == 1
    assert "nothing to draw" in done.stderr
    assert "figure cost: no measured costs" in done.stderr
    assert written(tmp_path / "results") == []


@pytest.mark.parametrize("damage", ["text", "folder"])
def test_a_damaged_measurement_is_missing_and_the_other_figures_are_drawn(
    xcbench, config, data, tmp_path, damage
):
    xcbench("run", config(METHODS), "--data", data, "--quiet")
    path = tmp_path / "results" / "figures" / "cost.csv"
    path.parent.mkdir()
    path.write_text("junk") if damage == "text" else path.mkdir()
    done = xcbench("figure", "1", "cost")
    assert done.exit_code == 0, done.output
    assert "figure cost: results/figures/cost.csv: " in done.stderr
    assert "--config configs/bibtex.yaml --force" in done.stderr
    assert xcbench("figure", "cost").exit_code == 1
    again = xcbench("figure", "cost", "--config", config("method: rxml"), "--data", data)
    assert again.exit_code == 2
    assert "--force measures again" in again.stderr


@pytest.fixture
def modes(xcbench, tmp_path, monkeypatch):
    """The folder of a finished run whose arrays are drawn."""
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "modes.yaml"
    path.write_text(
        "task: {kind: compressed_modes, modes: 2}\ndataset: {line: 40}\n"
        "method: {preset: modes-soc, iterations: 3}\nexecutor: {backend: inline}\n"
    )
    assert xcbench("run", path, "--quiet").exit_code == 0
    (folder,) = tmp_path.glob("results/runs/*/*/")
    return folder


@pytest.mark.parametrize("damage", ["other arrays", "other values", "no archive", "gone"])
def test_arrays_that_are_not_the_runs_are_left_out_and_named(modes, xcbench, tmp_path, damage):
    assert xcbench("figure", "modes").exit_code == 0
    path = modes / "predictions.npz"
    if damage == "other arrays":
        np.savez(path, something=np.zeros(3))
    elif damage == "other values":
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **arrays | {"modes": arrays["modes"] + 1})
    elif damage == "no archive":
        path.write_bytes(b"damaged")
    else:
        path.unlink()
    drawn = xcbench("figure", "modes", "modes-mesh")
    run_id = f"line-40/{modes.name}"
    assert drawn.exit_code == 1, drawn.output
    assert drawn.stderr.count(f"left out of the figures: {run_id}: ") == 1
    assert "predictions.npz: is " in drawn.stderr
    assert xcbench("report").exit_code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"figures, run {run_id}: " in page


def test_arrays_that_a_killed_process_has_not_put_into_place_are_drawn(modes, xcbench):
    (modes / ".partial").mkdir()
    for name in ("result.json", "predictions.npz"):
        (modes / name).rename(modes / ".partial" / name)
    assert xcbench("figure", "modes").exit_code == 0


def test_a_place_that_cannot_be_written_is_an_error(xcbench, config, data, tmp_path):
    xcbench("run", config(METHODS), "--data", data, "--quiet")
    (tmp_path / "file").write_text("")
    (tmp_path / "out" / "figure-1.svg").mkdir(parents=True)
    for out in ("file", "file/below", "out"):
        done = xcbench("figure", "1", "--out", out)
        assert done.exit_code == 2
        assert f"error: {out}/figure-1.svg: cannot be written" in done.output
    assert written(tmp_path / "out") == ["figure-1.svg"]


def test_a_wrong_name_or_results_folder_is_a_usage_error(xcbench):
    assert xcbench("figure", "3").exit_code == 2
    done = xcbench("figure", "1", "--results", "nowhere")
    assert (done.exit_code, "no such results folder" in done.stderr) == (2, True)
    assert xcbench("figure", "cost", "--results", "nowhere").exit_code == 2


def test_costs_are_measured_once_and_again_when_forced(xcbench, config, data, short):
    call = ("figure", "cost", "--config", config(METHODS.split("sweep")[0]), "--data", data)
    done = xcbench(*call)
    assert done.exit_code == 0, done.output
    folder = data.parent / "results" / "figures"
    assert written(folder) == [
        "cost.csv", "figure-cost.png", "figure-cost.svg", "figure-cost.txt",
    ]  # fmt: skip
    rows = read_costs(folder / "cost.csv")
    assert {row["solver"] for row in rows} == {"rcg-spectral", "rcg-random", "svp", "madmm"}
    assert "60 points" in done.stdout
    runs = len(short)
    assert xcbench(*call).exit_code == xcbench("figure", "cost").exit_code == 0
    assert len(short) == runs
    assert xcbench(*call, "--force").exit_code == 0
    assert len(short) == 2 * runs


def test_a_measurement_of_another_problem_is_not_shown_for_a_configs(
    xcbench, config, data, short, tmp_path
):
    call = ("figure", "cost", "--data", data, "--config")
    method = "method: {preset: rxml, rank: 4, neighbours: {count: 5}}"
    assert xcbench(*call, config(method)).exit_code == 0
    kept = (tmp_path / "results" / "figures" / "cost.csv").read_text()
    for change, said in (
        ("seed: 3", "seed 0; "), ("splits: [2]", "split 1; "),
        ("dataset: {name: other}", "dataset tiny; "),
    ):  # fmt: skip
        other = tmp_path / "other.yaml"
        other.write_text(
            f"{'' if 'name' in change else 'dataset: {name: tiny}'}\n{change}\n{method}"
        )
        done = xcbench(*call, other)
        assert done.exit_code == 2, done.output
        assert f"cost.csv is of {said}" in done.stderr
        assert "--force measures again" in done.stderr
    done = xcbench(*call, config(method.replace("rank: 4", "rank: 5"), "r.yaml"))
    assert "cost.csv is of rank 4; " in done.stderr
    assert (tmp_path / "results" / "figures" / "cost.csv").read_text() == kept


def test_a_config_without_rxml_has_no_problem_to_measure(xcbench, config, data):
    done = xcbench("figure", "cost", "--config", config("method: sleec"), "--data", data)
    assert done.exit_code == 2
    assert "no method `rxml`" in done.stderr


def test_missing_data_of_a_measurement_is_a_data_error(xcbench, config, tmp_path):
    done = xcbench("figure", "cost", "--config", config("method: rxml"), "--data", tmp_path)
    assert (done.exit_code, "tiny" in done.stderr) == (3, True)


def test_neither_help_nor_the_report_loads_matplotlib_before_it_draws():
    code = (
        "import sys, xcbench.cli.main, xcbench.report.figures;sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

"""Robust embedding: which runs are drawn, and that marks are the arrays' numbers."""

import numpy as np
import pytest

from tests.report.figures.conftest import made_row
from xcbench.report.figures.robust_embedding import (
    figure_robust_embedding,
    missing_robust_embedding,
)

METHODS = {
    "embedding-classical-mds": ("embedding_classical_mds", 60.0),
    "embedding-madmm": ("embedding_madmm", 0.5),
    "embedding-madmm-paper": ("embedding_madmm", 0.7),
    "embedding-subgradient": ("embedding_subgradient", 0.2),
}
TRUTH = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 5.0]])


def run(method: str, doubled: float = 5.0, n: int = 4, seed: int = 0, **changes):
    model, error = METHODS[method]
    iterates = model != "embedding_classical_mds"
    return made_row(
        method, 0.0, f"us-cities-{n}", **{
            "run_id": f"{method}/{doubled:g}/{n}/{seed}", "seed": seed, "n_train": n,
            "task.kind": "robust_embedding", "task.doubled": [doubled],
            "task.doubling": "squared", "dataset.name": "us-cities", "dataset.rows": n,
            "method.model": model,
            "method.iterations": 500 if iterates else "", "cost": 10.0 + error,
            "median_error": error * (1 + doubled),
            "ms_per_iteration": 0.01 * n if iterates else "", **changes,
        }
    )  # fmt: skip


def arrays(run_id: str):
    method, _, _, seed = run_id.split("/")
    model, error = METHODS[method]
    costs = np.array([40.0, 30.0, 10.0 + error])
    if model == "embedding_classical_mds":
        costs = costs[:1]
    return {
        "truth": TRUTH, "aligned": TRUTH + error + float(seed), "costs": costs,
        "trace_seconds": 0.1 * np.arange(costs.size),
    }  # fmt: skip


@pytest.fixture
def rows():
    return [run(method, share, seed=seed) for method in METHODS for share in (1.0, 5.0, 20.0)
            for seed in (1, 0)]  # fmt: skip


def titles(figure) -> list[str]:
    return [axis.get_title("left") for axis in figure.axes if axis.get_title("left")]


def test_maps_are_those_of_one_job_with_the_papers_share(rows):
    drawing = figure_robust_embedding(rows, arrays)
    assert titles(drawing.figure) == [
        "(a) embedding-classical-mds", "(b) embedding-madmm", "(c) convergence", "(d) error",
    ]  # fmt: skip
    for axis, error in zip(drawing.figure.axes[:2], (60.0, 0.5), strict=True):
        true, found = (line for line in axis.lines if line.get_label() in ("true", "found"))
        np.testing.assert_allclose(true.get_xydata(), TRUTH)
        np.testing.assert_allclose(found.get_xydata(), TRUTH + error)
    assert "5 % of the squared distances are doubled: median error 360 km" in drawing.caption
    assert drawing.alt


def test_convergence_is_the_lowest_cost_so_far_against_time(rows):
    axis = figure_robust_embedding(rows, arrays).figure.axes[2]
    lines = {line.get_label(): line for line in axis.lines}
    assert sorted(lines) == ["embedding-madmm", "embedding-madmm-paper", "embedding-subgradient"]
    line = lines["embedding-madmm"]
    np.testing.assert_allclose(line.get_xdata(), [0.0, 0.1, 0.2])
    np.testing.assert_allclose(line.get_ydata(), [40 / 10.2 - 1, 30 / 10.2 - 1, 10.5 / 10.2 - 1])
    assert len({line.get_color() for line in lines.values()}) == 3


def test_errors_are_means_over_seeds_at_every_share(rows):
    axis = figure_robust_embedding(rows, arrays).figure.axes[3]
    line = next(line for line in axis.lines if line.get_label() == "embedding-classical-mds")
    np.testing.assert_allclose(line.get_xydata(), [[1.0, 120.0], [5.0, 360.0], [20.0, 1260.0]])


def test_times_are_drawn_once_there_are_several_sizes(rows):
    more = rows + [run("embedding-madmm", n=n) for n in (100, 1000)]
    figure = figure_robust_embedding(more, arrays).figure
    assert titles(figure)[-1] == "(e) time per iteration"
    (line,) = figure.axes[4].lines
    np.testing.assert_allclose(line.get_xydata(), [[4, 0.04], [100, 1.0], [1000, 10.0]])


def test_an_older_run_of_the_same_job_is_not_drawn():
    old = run("embedding-madmm", median_error=9.0, utc="2025-01-01T00:00:00+00:00")
    new = run("embedding-madmm", median_error=2.0)
    for rows in ([old, new], [new, old]):
        assert "median error 2 km" in figure_robust_embedding(rows, arrays).caption


@pytest.mark.parametrize("label", ["embedding-madmm", "embedding-madmm-timed"])
def test_short_runs_for_the_time_change_no_other_panel(rows, label):
    """Of the same places, share and seed, under the same label or another, and newer."""
    changes = {
        "method": label, "method.label": label, "method.iterations": 30,
        "utc": "2027-01-01T00:00:00+00:00", "median_error": 9.0,
    }  # fmt: skip
    timed = [run("embedding-madmm", n=n) | changes for n in (4, 100, 1000)]
    alone = figure_robust_embedding(rows, arrays)
    drawing = figure_robust_embedding([*rows, *timed], arrays)
    assert drawing.caption.startswith(alone.caption)
    times = drawing.figure.axes[4]
    (line,) = times.lines
    assert line.get_label() == label
    np.testing.assert_allclose(line.get_xdata(), [4, 100, 1000])


def test_of_two_configs_of_one_label_that_with_more_jobs_is_drawn_and_not_their_mean(rows):
    """A trial of one seed does not take the place of what was run for all."""
    trial = run("embedding-madmm", **{
        "method.rho": 1.0, "median_error": 9.0, "utc": "2027-01-01T00:00:00+00:00",
    })  # fmt: skip
    assert figure_robust_embedding([*rows, trial], arrays).caption == (
        figure_robust_embedding(rows, arrays).caption
    )


def test_of_as_many_jobs_the_longer_runs_are_drawn_then_the_newer():
    longer = run("embedding-madmm", median_error=3.0)
    short = run("embedding-madmm", median_error=9.0, **{"method.iterations": 30, "utc": "2027"})
    newer = run("embedding-madmm", median_error=5.0, **{"method.rho": 1.0, "utc": "2028"})
    for rows, error in (([longer, short], 3), ([short, longer], 3), ([newer, longer], 5)):
        assert f"median error {error} km" in figure_robust_embedding(rows, arrays).caption


def test_runs_of_other_tasks_and_unfinished_ones_are_left_alone():
    others = [made_row("rxml", 50.0), run("embedding-madmm", status="failed")]
    assert figure_robust_embedding(others, arrays) is None
    assert figure_robust_embedding([run("embedding-madmm")], lambda _: None) is None


def test_what_is_missing_comes_with_its_command(rows):
    assert [gap.command for gap in missing_robust_embedding([])] == [
        "xcbench run configs/embedding.yaml",
        "xcbench run configs/embedding-scaling.yaml",
    ]
    assert len(missing_robust_embedding(rows)) == 1
    assert missing_robust_embedding([*rows, run("embedding-madmm", n=100)]) == []

"""The solvers side by side: one problem, one cost, a clock that leaves the cost out."""

from itertools import groupby, pairwise

import numpy as np
import pytest

from tests.optim.conftest import dense, masked
from xcbench.bench import convergence
from xcbench.bench.convergence import Problem, Record, measure_convergence, problem_of
from xcbench.bench.synthetic import bibtex_like
from xcbench.config.methods import LocalEmbeddingSettings, NeighbourSettings
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion
from xcbench.optim.svp import singular_value_projection, spectral_factor

STEPS = {"rcg-spectral": 4, "rcg-random": 5, "svp": 3, "madmm": 2}


@pytest.fixture
def problem() -> Problem:
    return Problem(masked(n=60, r=4, share=0.4, noise=0.1, seed=0), rank=4, rho=10.0)


@pytest.fixture
def found(problem):
    """Rows by solver."""
    rows = measure_convergence(problem, seed=0, iterations=STEPS)
    return {name: list(group) for name, group in groupby(rows, key=lambda row: row["solver"])}


def test_costs_are_the_weighted_errors_on_omega(problem):
    known = problem.known
    Z = np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32)
    weights = dense(known, known.weights)
    errors = (dense(known, known.targets) - Z @ Z.T) * (weights > 0)
    squared, absolute = problem.costs(Z)
    assert squared == pytest.approx(np.sum(weights * errors**2), rel=1e-5)
    assert absolute == pytest.approx(np.sum(weights * np.abs(errors)), rel=1e-5)


def test_every_solver_states_its_start_and_every_step(found):
    assert list(found) == list(STEPS)
    for name, steps in STEPS.items():
        assert [row["iteration"] for row in found[name]] == list(range(steps + 1))


def test_times_do_not_run_backwards(found):
    for rows in found.values():
        seconds = [row["seconds"] for row in rows]
        assert seconds == sorted(seconds)
        assert seconds[0] >= 0


def test_riemannian_cg_never_raises_the_squared_cost(found):
    for name in ("rcg-spectral", "rcg-random"):
        costs = [row["squared_cost"] for row in found[name]]
        assert all(after < before for before, after in pairwise(costs))


def test_svp_starts_from_zero_and_madmm_where_spectral_cg_does(problem, found):
    known = problem.known
    zero = (float(known.weights @ known.targets**2), float(known.weights @ np.abs(known.targets)))
    first = {name: (r[0]["squared_cost"], r[0]["absolute_cost"]) for name, r in found.items()}
    assert first["svp"] == pytest.approx(zero, rel=1e-5)
    assert first["madmm"] == first["rcg-spectral"]


def test_last_rows_are_the_costs_of_what_the_solvers_return(problem, found):
    known, rng = problem.known, np.random.default_rng
    Z = singular_value_projection(known, 4, STEPS["svp"], rng(0))
    assert found["svp"][-1]["squared_cost"] == problem.costs(Z)[0]
    solution = conjugate_gradient(
        MaskedCompletion(known),
        spectral_factor(known, 4, rng(0))[0],
        manifold=PSDFixedRank(60, 4),
        iterations=STEPS["rcg-spectral"],
        tolerance=0.0,
    )
    assert found["rcg-spectral"][-1]["squared_cost"] == problem.costs(solution.point)[0]
    assert solution.cost == pytest.approx(problem.costs(solution.point)[0], rel=1e-4)


def test_the_clock_stands_still_while_costs_are_evaluated(problem, monkeypatch):
    now = 0.0
    monkeypatch.setattr(convergence, "perf_counter", lambda: now)

    class Slow(Problem):
        def costs(self, Z):
            nonlocal now
            now += 100.0
            return 1.0, 2.0

    record = Record(Slow(problem.known, problem.rank, problem.rho))
    for spent in (1.0, 2.0):
        now += spent
        record(np.zeros((60, 4), np.float32))
    assert record.rows == [(1.0, 1.0, 2.0), (3.0, 1.0, 2.0)]


def test_points_without_labels_take_no_part():
    Y = bibtex_like().Y[:50]
    Y = type(Y)(Y.toarray() * (np.arange(50) % 5 > 0)[:, None].astype(np.float32))
    settings = LocalEmbeddingSettings(rank=100, neighbours=NeighbourSettings(count=5))
    found = problem_of(Y, settings)
    assert (found.known.n, found.rank) == (40, 40)

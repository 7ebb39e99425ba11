"""The masked completion problem: cost, gradient, line, and the solver against pymanopt."""

import numpy as np
import pymanopt
import pytest
from pymanopt.manifolds import PSDFixedRank as PymanoptPSD
from pymanopt.optimizers import ConjugateGradient

from tests.optim.conftest import dense, masked
from xcbench.data.xc_text import read_xc
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.models.local_embedding.neighbours import (
    NeighbourSettings,
    find_neighbours,
    locality_order,
)
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion
from xcbench.optim.svp import spectral_factor


def cost64(known, Z):
    error = dense(known, known.targets) - np.triu(Z @ Z.T) * (dense(known, known.weights) > 0)
    return float(np.sum(dense(known, known.weights) * error**2))


def start(known, r, seed=0):
    return np.random.default_rng(seed).standard_normal((known.n, r)).astype(np.float32)


def test_cost_counts_a_mutual_pair_twice(known):
    Z = start(known, 4)
    assert MaskedCompletion(known).start(Z).cost == pytest.approx(cost64(known, Z), rel=1e-5)


def test_gradient_has_slope_two_and_is_horizontal(known):
    Z, U = start(known, 4), start(known, 4, seed=1)
    problem = MaskedCompletion(known)
    state = problem.start(Z)
    gradient = problem.gradient(state)
    slope = float(np.vdot(gradient.astype(float), U.astype(float)))
    base, Z, U = cost64(known, Z.astype(float)), Z.astype(float), U.astype(float)
    steps = np.logspace(-1, -3, 9)
    errors = [abs(cost64(known, Z + t * U) - base - t * slope) for t in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)
    cross = Z.T @ gradient
    np.testing.assert_allclose(cross, cross.T, atol=1e-3 * np.abs(cross).max())


@pytest.mark.parametrize("seed", range(5))
def test_exact_step_beats_two_hundred_grid_steps(known, seed):
    problem = MaskedCompletion(known)
    state = problem.start(start(known, 4, seed))
    line = problem.line(state, -problem.gradient(state))
    step = line.exact_step()
    grid = np.linspace(0.0, 4.0 * step, 201)[1:]
    assert line.cost(step) <= min(line.cost(t) for t in grid)
    assert line.cost(step) == pytest.approx(
        cost64(known, state.point - step * problem.gradient(state)), rel=1e-4
    )


def test_a_direction_that_overflows_gives_no_step(known):
    problem = MaskedCompletion(known)
    state = problem.start(start(known, 4))
    assert problem.line(state, np.full_like(state.point, 1e38)).exact_step() == 0.0


def test_a_move_keeps_the_residual_true_over_many_iterations(known):
    problem = MaskedCompletion(known)
    solution = conjugate_gradient(
        problem, start(known, 4), manifold=PSDFixedRank(known.n, 4), iterations=60, tolerance=0.0
    )
    assert solution.cost == pytest.approx(cost64(known, solution.point), rel=1e-3)
    assert np.all(np.diff(solution.costs) <= 0)


def test_complete_data_without_noise_are_recovered():
    known = masked(n=40, r=3, share=1.0, noise=0.0, seed=2)
    solution = conjugate_gradient(
        MaskedCompletion(known), start(known, 3), manifold=PSDFixedRank(40, 3), iterations=200
    )
    assert solution.cost < 1e-6 * solution.costs[0]


def pymanopt_cost(problem, Z, steps, beta):
    """Cost after ``steps`` steps; pymanopt counts its start as an iteration."""
    manifold = PymanoptPSD(*Z.shape)

    @pymanopt.function.numpy(manifold)
    def cost(Z):
        return problem.start(Z.astype(np.float32)).cost

    @pymanopt.function.numpy(manifold)
    def gradient(Z):
        return problem.gradient(problem.start(Z.astype(np.float32))).astype(float)

    optimizer = ConjugateGradient(
        max_iterations=steps + 1, verbosity=0, beta_rule=beta, min_gradient_norm=0, min_step_size=0
    )
    task = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
    return optimizer.run(task, initial_point=Z.astype(float)).cost


BETAS = [("hestenes_stiefel", "HestenesStiefel"), ("polak_ribiere", "PolakRibiere")]


def our_cost(problem, Z, steps, beta, line_search):
    solution = conjugate_gradient(
        problem, Z, manifold=PSDFixedRank(*Z.shape), iterations=steps, beta=beta,
        line_search=line_search, tolerance=0.0,
    )  # fmt: skip
    return solution.cost


@pytest.mark.parametrize(("beta", "theirs"), BETAS)
def test_armijo_ends_at_the_cost_of_pymanopt(known, beta, theirs):
    problem, Z = MaskedCompletion(known), start(known, 4)
    ours = our_cost(problem, Z, 20, beta, "armijo")
    assert ours == pytest.approx(pymanopt_cost(problem, Z, 20, theirs), rel=0.01)


@pytest.mark.parametrize(("beta", "theirs"), BETAS)
def test_exact_search_is_no_worse_than_pymanopt(known, beta, theirs):
    problem, Z = MaskedCompletion(known), start(known, 4)
    ours = our_cost(problem, Z, 20, beta, "exact")
    assert ours <= 1.01 * pymanopt_cost(problem, Z, 20, theirs)


@pytest.mark.realdata
def test_armijo_ends_at_the_cost_of_pymanopt_on_bibtex(data_root):
    Y = read_xc(data_root / "bibtex" / "train.txt.gz").Y
    lists = find_neighbours(Y, NeighbourSettings(count=50))
    known = lists.symmetrised(np.argsort(locality_order(Y)).astype(np.int32))
    problem = MaskedCompletion(known)
    Z = spectral_factor(known, 50, np.random.default_rng(0))[0]
    ours = our_cost(problem, Z, 30, "hestenes_stiefel", "armijo")
    assert ours == pytest.approx(pymanopt_cost(problem, Z, 30, "HestenesStiefel"), rel=0.01)

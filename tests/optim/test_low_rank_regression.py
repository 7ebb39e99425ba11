"""Fixed-rank least squares: equal to dense algebra, and never as large as n x l or d x l."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from tests.manifolds import laws
from xcbench.data.features import unit
from xcbench.data.xc_text import read_xc
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.low_rank_regression import LowRankRegression, closed_form
from xcbench.optim.whitening import CholeskyWhitening, NoWhitening, NystromWhitening

RIDGE = 0.7


def made(n: int, d: int, n_labels: int, seed: int = 0) -> tuple[sparse.csr_array, ...]:
    """Features and labels that depend on them, both sparse."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5)
    Y = X @ rng.standard_normal((d, n_labels)) + rng.standard_normal((n, n_labels)) > 1.5
    return sparse.csr_array(X), sparse.csr_array(Y.astype(np.float64))


def dense_cost(X, Y, ridge, W) -> float:
    return float(np.linalg.norm(X @ W - Y.toarray()) ** 2 + ridge * np.linalg.norm(W) ** 2)


@pytest.fixture(params=["none", "cholesky", "nystrom"])
def problem(request):
    X, Y = made(25, 10, 8)
    whitening = {
        "none": NoWhitening,
        "cholesky": lambda: CholeskyWhitening(X, RIDGE),
        "nystrom": lambda: NystromWhitening(X, RIDGE, 5, np.random.default_rng(1)),
    }[request.param]()
    return LowRankRegression(X, Y, RIDGE, whitening, 3)


def weights(problem, point) -> np.ndarray:
    return problem.whitening.to_weights(point.U * point.s) @ point.V.T


def dense_tangent(point, u) -> np.ndarray:
    return point.U @ u.M @ point.V.T + u.Up @ point.V.T + point.U @ u.Vp.T


def a_direction(problem, point, seed=2):
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((10, 8))
    return problem.manifold.project(point, G @ point.V, G.T @ point.U)


def test_cost_is_that_of_the_weights(problem):
    point = problem.manifold.random_point(np.random.default_rng(0))
    expected = dense_cost(problem.X, problem.Y, RIDGE, weights(problem, point))
    assert problem.start(point).cost == pytest.approx(expected, rel=1e-12)


def test_gradient_is_the_projected_dense_gradient_and_has_slope_two(problem):
    point = problem.manifold.random_point(np.random.default_rng(0))
    gradient = problem.gradient(problem.start(point))
    W = weights(problem, point)
    ambient = 2.0 * (problem.X.T @ (problem.X @ W - problem.Y.toarray()) + RIDGE * W)
    G = problem.whitening.to_whitened(ambient)
    expected = problem.manifold.project(point, G @ point.V, G.T @ point.U)
    np.testing.assert_allclose(
        dense_tangent(point, gradient), dense_tangent(point, expected), atol=1e-10
    )
    u = a_direction(problem, point)
    u = problem.manifold.combine(1.0 / problem.manifold.norm(point, u), u, 0.0, u)

    def cost(t: float) -> float:
        return problem.start(problem.manifold.retract(point, u, t)).cost

    laws.assert_gradient(cost, problem.manifold.inner(point, gradient, u), np.logspace(-2, -4, 9))


@pytest.mark.parametrize("t", [0.01, -0.4, 1.7])
def test_a_line_knows_cost_and_state_of_every_retracted_point(problem, t):
    point = problem.manifold.random_point(np.random.default_rng(0))
    u = a_direction(problem, point)
    line = problem.line(problem.start(point), u)
    moved = line.move(t)
    afresh = problem.start(problem.manifold.retract(point, u, t))
    assert line.cost(t) == pytest.approx(afresh.cost, rel=1e-10)
    assert moved.cost == pytest.approx(afresh.cost, rel=1e-10)
    for name in ("T", "XT", "gram", "cross"):
        np.testing.assert_allclose(
            np.abs(getattr(moved, name)), np.abs(getattr(afresh, name)), atol=1e-9
        )


def test_the_exact_step_beats_a_grid_of_200(problem):
    point = problem.scaled(problem.manifold.random_point(np.random.default_rng(0)))
    for _ in range(5):
        state = problem.start(point)
        gradient = problem.gradient(state)
        u = problem.manifold.combine(-1.0, gradient, 0.0, gradient)
        line = problem.line(state, u)
        t = line.exact_step()
        grid = min(line.cost(step) for step in t * np.linspace(0.01, 4.0, 200))
        assert line.cost(t) <= grid + 1e-3 * (state.cost - grid)
        point = line.move(t).point


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_scaling_finds_the_best_multiple_and_keeps_a_valid_point(problem, sign):
    point = problem.manifold.random_point(np.random.default_rng(0))
    point = point._replace(U=sign * point.U)
    best = problem.scaled(point)
    assert (best.s >= 0).all()
    cost = problem.start(best).cost
    for factor in (0.0, 0.9, 1.1):
        assert problem.start(best._replace(s=factor * best.s)).cost > cost


@pytest.mark.parametrize(
    ("shape", "ridge"),
    [
        ((25, 10, 8), 0.7),
        ((25, 10, 8), 0.0),
        ((9, 14, 8), 0.7),
        ((9, 14, 8), 0.0),
        ((9, 14, 20), 0.3),
    ],
)
@pytest.mark.parametrize("rank", [2, 8])
def test_closed_form_is_reduced_rank_regression(shape, ridge, rank):
    X, Y = made(*shape)
    A = np.vstack([X.toarray(), np.sqrt(ridge) * np.eye(shape[1])])
    B = np.vstack([Y.toarray(), np.zeros((shape[1], shape[2]))])
    full = np.linalg.lstsq(A, B, rcond=None)[0]
    _, _, right = np.linalg.svd(A @ full, full_matrices=False)
    expected = full @ right[:rank].T @ right[:rank]
    found = closed_form(X, Y, ridge, rank)
    np.testing.assert_allclose(found.weights @ found.V.T, expected, atol=1e-7)
    assert found.cost == pytest.approx(dense_cost(X, Y, ridge, expected), rel=1e-9)


def test_closed_form_without_labels_or_features_is_zero():
    X, Y = made(6, 4, 3)
    for features, labels in ((X, sparse.csr_array((6, 3))), (sparse.csr_array((6, 4)), Y)):
        found = closed_form(features, labels, 1.0, 2)
        assert not (found.weights @ found.V.T).any()
        assert found.cost == pytest.approx(labels.sum())


@pytest.mark.parametrize("beta", ["polak_ribiere", "hestenes_stiefel"])
@pytest.mark.parametrize("start", ["random", "spectral"])
def test_conjugate_gradients_reach_the_closed_form(problem, start, beta):
    rng = np.random.default_rng(3)
    if start == "spectral":
        point = problem.spectral_start(rng)
    else:
        point = problem.scaled(problem.manifold.random_point(rng))
    solution = conjugate_gradient(
        problem, point, manifold=problem.manifold, iterations=200, beta=beta, tolerance=1e-7
    )
    best = closed_form(problem.X, problem.Y, RIDGE, 3).cost
    assert solution.cost == pytest.approx(best, rel=1e-8)
    assert problem.start(solution.point).cost == pytest.approx(solution.cost, rel=1e-10)


def test_where_p_is_exact_the_spectral_start_is_the_solution():
    X, Y = made(25, 10, 8)
    problem = LowRankRegression(X, Y, RIDGE, CholeskyWhitening(X, RIDGE), 3)
    start = problem.start(problem.spectral_start(np.random.default_rng(0)))
    assert start.cost == pytest.approx(closed_form(X, Y, RIDGE, 3).cost, rel=1e-6)


def test_memory_of_a_solve_is_linear_in_points_features_and_labels():
    """n x l would take 2.4 GB here and d x l 1.6 GB."""
    rng = np.random.default_rng(4)
    n, d, n_labels = 3000, 2000, 100_000
    X = sparse.random_array((n, d), density=0.005, format="csr", rng=rng)
    Y = sparse.random_array((n, n_labels), density=3e-5, format="csr", rng=rng)
    tracemalloc.start()
    whitening = NystromWhitening(X, 1.0, 20, rng)
    problem = LowRankRegression(X, Y, 1.0, whitening, 3)
    start = problem.scaled(problem.manifold.random_point(rng))
    solution = conjugate_gradient(problem, start, manifold=problem.manifold, iterations=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert solution.iterations == 3
    assert peak < 60e6


@pytest.fixture(scope="module")
def bibtex(data_root):
    """Rank 50, ridge 1: the problem in whitened coordinates and the closed form's cost."""
    text = read_xc(data_root / "bibtex" / "train.txt.gz")
    X, Y = unit(text.X).astype(np.float64), text.Y.astype(np.float64)
    problem = LowRankRegression(X, Y, 1.0, CholeskyWhitening(X, 1.0), 50)
    return problem, closed_form(X, Y, 1.0, 50).cost


@pytest.mark.realdata
@pytest.mark.parametrize(("start", "iterations"), [("spectral", 28), ("random", 50)])
def test_on_bibtex_the_cost_is_the_closed_forms_to_one_in_a_million(bibtex, start, iterations):
    """It takes 24 iterations from the spectral start and 45 from a random one."""
    problem, best = bibtex
    rng = np.random.default_rng(0)
    if start == "spectral":
        point = problem.spectral_start(rng)
    else:
        point = problem.scaled(problem.manifold.random_point(rng))
    solution = conjugate_gradient(
        problem, point, manifold=problem.manifold, iterations=iterations, tolerance=0.0
    )
    assert best * (1 - 1e-9) <= solution.cost <= best * (1 + 1e-6)

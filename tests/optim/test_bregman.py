"""ITML: the optimality conditions of its convex problem, and a generic solver of it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from xcbench.optim.bregman import itml


def problem(seed: int = 0, m: int = 12, d: int = 4):
    rng = np.random.default_rng(seed)
    differences = rng.standard_normal((m, d))
    similar = np.arange(m) < m // 2
    distances = np.einsum("ij,ij->i", differences, differences)
    bounds = np.where(similar, np.quantile(distances, 0.2), np.quantile(distances, 0.8))
    return differences, bounds, similar


def violations(learned, differences, similar):
    """How far each distance is beyond the slack, as a share of it; negative where it is met."""
    distances = np.einsum("ij,jk,ik->i", differences, learned.metric, differences)
    return np.where(similar, 1.0, -1.0) * (distances / learned.slack - 1)


def check_optimality(learned, differences, bounds, similar, gamma, prior):
    """KKT: stationary in A and xi, feasible, complementary."""
    sign, multipliers = np.where(similar, 1.0, -1.0), learned.multipliers
    gathered = (differences * (sign * multipliers)[:, None]).T @ differences
    np.testing.assert_allclose(
        np.linalg.inv(learned.metric), np.linalg.inv(prior) + gathered, atol=1e-8
    )
    np.testing.assert_allclose(
        1 / learned.slack, 1 / bounds - sign * multipliers / gamma, rtol=1e-8
    )
    violation = violations(learned, differences, similar)
    assert violation.max() < 1e-6
    assert multipliers.min() >= 0
    np.testing.assert_allclose(multipliers * violation, 0.0, atol=1e-6)
    assert np.count_nonzero(multipliers > 1e-9) > 0


@pytest.mark.parametrize("variant", ["exact", "released"])
@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_exact_and_released_meet_the_optimality_conditions(gamma, variant):
    differences, bounds, similar = problem()
    prior = np.diag([1.0, 2.0, 0.5, 1.0])
    learned = itml(
        differences, bounds, similar, gamma=gamma, prior=prior, variant=variant, cycles=5000,
        tolerance=1e-10,
    )  # fmt: skip
    assert learned.converged
    check_optimality(learned, differences, bounds, similar, gamma, prior)


@pytest.mark.parametrize("gamma", [0.1, 10.0])
def test_the_printed_step_solves_the_problem_of_price_one_and_scaled_bounds(gamma):
    differences, bounds, similar = problem()
    limits = {"prior": np.eye(4), "cycles": 5000, "tolerance": 1e-10}
    printed = itml(differences, bounds, similar, gamma=gamma, variant="printed", **limits)
    assert printed.converged
    scaled = itml(differences, bounds / gamma, similar, gamma=1.0, **limits)
    check_optimality(scaled, differences, bounds / gamma, similar, 1.0, np.eye(4))
    np.testing.assert_allclose(printed.metric, scaled.metric, rtol=1e-10)
    stated = itml(differences, bounds, similar, gamma=gamma, **limits)
    assert np.abs(printed.metric - stated.metric).max() > 0.01


def reference(differences, bounds, similar, gamma, prior, variant, cycles):
    """The steps as the notes and the release write them, on A itself."""
    A, xi, multipliers = prior.copy(), bounds.copy(), np.zeros(bounds.size)
    for _ in range(cycles):
        for t, v in enumerate(differences):
            delta, p = (1.0 if similar[t] else -1.0), v @ A @ v
            if variant == "printed":
                alpha = min(multipliers[t], delta / 2 * (1 / p - gamma / xi[t]))
            else:
                alpha = min(multipliers[t], delta * gamma / (gamma + 1) * (1 / p - 1 / xi[t]))
            beta = delta * alpha / (1 - delta * alpha * p)
            xi[t] = gamma * xi[t] / (gamma + delta * alpha * xi[t])
            multipliers[t] -= alpha
            A = A + beta * A @ np.outer(v, v) @ A
    return A, xi, multipliers


@pytest.mark.parametrize("variant", ["exact", "released", "printed"])
def test_every_pass_is_that_of_the_formulas(variant):
    differences, bounds, similar = problem(3)
    prior = np.diag([1.0, 2.0, 0.5, 1.0])
    for cycles in (1, 2, 7):
        learned = itml(
            differences, bounds, similar, gamma=0.3, prior=prior, variant=variant, cycles=cycles,
            tolerance=0.0,
        )  # fmt: skip
        A, xi, multipliers = reference(differences, bounds, similar, 0.3, prior, variant, cycles)
        assert learned.cycles == cycles
        np.testing.assert_allclose(learned.metric, A, rtol=1e-10)
        np.testing.assert_allclose(learned.slack, xi, rtol=1e-10)
        np.testing.assert_allclose(learned.multipliers, multipliers, rtol=1e-10, atol=1e-13)


def test_variants_stop_by_their_own_rule():
    differences, bounds, similar = problem(m=60)
    ends = {
        variant: itml(
            differences, bounds, similar, gamma=1.0, prior=np.eye(4), variant=variant, cycles=500
        ).cycles
        for variant in ("exact", "released")
    }
    trace = [np.zeros(bounds.size)] + [
        reference(differences, bounds, similar, 1.0, np.eye(4), "exact", cycles)[2]
        for cycles in range(1, max(ends.values()) + 1)
    ]
    norm = np.linalg.norm
    released = [abs(b - a).sum() / (norm(a) + norm(b)) for a, b in pairwise(trace)]
    exact = [norm(b - a) / norm(b) for a, b in pairwise(trace)]
    assert ends["released"] == 1 + next(i for i, c in enumerate(released) if c <= 1e-3)
    assert ends["exact"] == 1 + next(i for i, c in enumerate(exact) if c <= 1e-3)
    assert ends["released"] != ends["exact"]


@pytest.mark.parametrize("gamma", [0.2, 1.0, 5.0])
def test_agrees_with_a_generic_convex_solver(gamma):
    differences, bounds, similar = problem(seed=1, m=6, d=3)
    prior = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]])
    inverse, sign = np.linalg.inv(prior), np.where(similar, 1.0, -1.0)
    lower = np.tril_indices(3)

    def unpacked(x):
        L = np.zeros((3, 3))
        L[lower] = x[:6]
        return L @ L.T, np.exp(x[6:])

    def objective(x):
        A, xi = unpacked(x)
        of_metric = np.trace(A @ inverse) - np.linalg.slogdet(A @ inverse)[1] - 3
        return of_metric + gamma * np.sum(xi / bounds - np.log(xi / bounds) - 1)

    def slackness(x):
        A, xi = unpacked(x)
        return sign * (xi - np.einsum("ij,jk,ik->i", differences, A, differences))

    start = np.concatenate([np.linalg.cholesky(prior)[lower], np.log(bounds)])
    solved = minimize(
        objective, start, method="SLSQP", constraints={"type": "ineq", "fun": slackness},
        options={"maxiter": 1000, "ftol": 1e-14},
    )  # fmt: skip
    A, xi = unpacked(solved.x)
    learned = itml(
        differences, bounds, similar, gamma=gamma, prior=prior, cycles=10_000, tolerance=1e-12
    )
    np.testing.assert_allclose(learned.metric, A, atol=1e-4)
    np.testing.assert_allclose(learned.slack, xi, atol=1e-4)
    assert np.abs(A - prior).max() > 0.05


@settings(deadline=None, max_examples=200)
@given(
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 6),
    m=st.integers(1, 15),
    gamma=st.floats(-9, 9).map(lambda power: 10.0**power),
    spread=st.floats(0, 3),
    unit=st.floats(-40, 40).map(lambda power: 10.0**power),
    variant=st.sampled_from(["exact", "released", "printed"]),
)
def test_the_metric_is_positive_definite_after_every_pass(seed, d, m, gamma, spread, unit, variant):
    rng = np.random.default_rng(seed)
    scale = unit * 10 ** rng.uniform(-spread, spread, d)
    differences = rng.standard_normal((m, d)) * scale
    differences[rng.random(m) < 0.2] = 0.0
    differences[rng.random(m) < 0.2] = differences[0]
    bounds = unit**2 * 10 ** rng.uniform(-2, 2, m)
    similar = rng.random(m) < 0.5
    for cycles in (1, 2, 5):
        learned = itml(
            differences, bounds, similar, gamma=gamma, prior=np.eye(d), variant=variant,
            cycles=cycles, tolerance=0.0,
        )  # fmt: skip
        assert np.array_equal(learned.metric, learned.metric.T)
        # Of a factor, where half the digits suffice; each feature in units of its own.
        rows = learned.factor / np.linalg.norm(learned.factor, axis=1)[:, None]
        assert np.linalg.svd(rows, compute_uv=False)[-1] > 0
        assert np.linalg.matrix_rank(rows) == d
        assert np.isfinite(learned.slack).all()
        assert learned.slack.min() > 0
        assert learned.multipliers.min() >= 0


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), power=st.floats(-1, 1))
def test_optimality_holds_whatever_the_pairs(seed, power):
    differences, bounds, similar = problem(seed)
    gamma = 10.0**power
    learned = itml(
        differences, bounds, similar, gamma=gamma, prior=np.eye(4), cycles=20_000, tolerance=1e-10
    )
    assert learned.converged
    check_optimality(learned, differences, bounds, similar, gamma, np.eye(4))


def test_the_factor_measures_the_distances_of_the_metric():
    differences, bounds, similar = problem()
    learned = itml(differences, bounds, similar, gamma=1.0, prior=np.eye(4))
    np.testing.assert_allclose(
        np.sum((differences @ learned.factor) ** 2, axis=1),
        np.einsum("ij,jk,ik->i", differences, learned.metric, differences),
        rtol=1e-12,
    )


def test_identical_points_change_nothing():
    differences, bounds, similar = problem()
    learned = itml(differences, bounds, similar, gamma=1.0, prior=np.eye(4))
    with_zero = itml(
        np.vstack([np.zeros(4), differences]), np.append(1.0, bounds), np.append(True, similar),
        gamma=1.0, prior=np.eye(4),
    )  # fmt: skip
    np.testing.assert_array_equal(with_zero.metric, learned.metric)
    assert with_zero.multipliers[0] == 0
    assert with_zero.slack[0] == 1.0


def test_a_pair_given_twice_is_two_constraints_of_the_same_problem():
    differences, bounds, similar = problem()
    differences = np.vstack([differences, differences[:3]])
    bounds, similar = np.append(bounds, bounds[:3]), np.append(similar, similar[:3])
    learned = itml(
        differences, bounds, similar, gamma=1.0, prior=np.eye(4), cycles=5000, tolerance=1e-10
    )
    check_optimality(learned, differences, bounds, similar, 1.0, np.eye(4))


def test_a_pair_both_similar_and_dissimilar_is_settled_by_the_slack():
    v = np.array([[1.0, 0.0], [1.0, 0.0]])
    learned = itml(
        v, np.array([0.5, 4.0]), np.array([True, False]), gamma=1.0, prior=np.eye(2), cycles=5000,
        tolerance=1e-12,
    )  # fmt: skip
    check_optimality(learned, v, np.array([0.5, 4.0]), np.array([True, False]), 1.0, np.eye(2))


def test_met_bounds_leave_the_prior_alone():
    differences, _, similar = problem()
    distances = np.einsum("ij,ij->i", differences, differences)
    bounds = np.where(similar, 2 * distances, distances / 2)
    learned = itml(differences, bounds, similar, gamma=1.0, prior=np.eye(4))
    np.testing.assert_array_equal(learned.metric, np.eye(4))
    assert learned.cycles == 1
    assert learned.converged


def test_without_pairs_the_metric_is_the_prior():
    prior = np.array([[2.0, 0.5], [0.5, 1.0]])
    learned = itml(np.empty((0, 2)), np.empty(0), np.empty(0, bool), gamma=1.0, prior=prior)
    np.testing.assert_allclose(learned.metric, prior, rtol=1e-15)


@pytest.mark.parametrize(("gamma", "bound"), [(0.0, 1.0), (np.nan, 1.0), (1.0, 0.0), (1.0, np.inf)])
def test_a_price_or_bound_that_is_not_positive_is_refused(gamma, bound):
    with pytest.raises(ValueError, match="must be positive"):
        itml(np.ones((1, 2)), np.array([bound]), np.array([True]), gamma=gamma, prior=np.eye(2))

"""Completion with absolute errors."""

from dataclasses import replace

import numpy as np

from tests.optim.conftest import dense, masked
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion
from xcbench.optim.robust_completion import AbsoluteCompletion, l1_completion
from xcbench.optim.svp import spectral_factor


def absolute_errors(known, Z) -> float:
    return float(known.weights @ np.abs(known.residual(Z)))


def spoiled(share: float = 0.1):
    """A completely known rank-3 matrix, and the same with a share of its entries grossly wrong."""
    clean = masked(n=50, r=3, share=1.0, noise=0.0, seed=0)
    rng = np.random.default_rng(1)
    targets = clean.targets.copy()
    wrong = rng.random(targets.size) < share
    targets[wrong] += 5.0 * rng.choice([-1, 1], wrong.sum()).astype(np.float32)
    return clean, replace(clean, targets=targets)


def test_gross_errors_are_ignored_where_squared_errors_follow_them():
    clean, known = spoiled()
    start, _ = spectral_factor(known, 3, np.random.default_rng(0))
    robust = l1_completion(known, start, rho=2.0, iterations=200)
    squared = conjugate_gradient(
        MaskedCompletion(known), start, manifold=PSDFixedRank(50, 3), iterations=200
    ).point
    truth = dense(clean, clean.targets)

    def error(Z):
        return np.linalg.norm(np.triu(Z @ Z.T) - truth) / np.linalg.norm(truth)

    assert error(robust) < 0.01
    assert error(squared) > 0.1
    assert absolute_errors(known, robust) < absolute_errors(known, squared)


def test_without_errors_the_matrix_is_recovered():
    clean, _ = spoiled(0.0)
    start, _ = spectral_factor(clean, 3, np.random.default_rng(0))
    Z = l1_completion(clean, start, rho=2.0, iterations=100)
    assert absolute_errors(clean, Z) < 1e-3 * float(clean.weights @ np.abs(clean.targets))


def test_products_are_found_once_a_point(monkeypatch):
    clean, _ = spoiled(0.1)
    start, _ = spectral_factor(clean, 3, np.random.default_rng(0))
    points, found = [], type(clean).residual

    def counted(self, point):
        points.append(point)
        return found(self, point)

    monkeypatch.setattr(type(clean), "residual", counted)
    l1_completion(clean, start, rho=5.0, iterations=4)
    # of the start and of what each round ends at; states along a line are moved to
    assert len({id(point) for point in points}) == len(points) == 5


def test_an_x_step_is_that_of_its_target_whatever_comes_later():
    clean, _ = spoiled(0.1)
    start, _ = spectral_factor(clean, 3, np.random.default_rng(0))
    problem = AbsoluteCompletion(clean)
    step = problem.augmented(clean.targets, 1.0)
    cost = step.start(start).cost
    problem.augmented(clean.targets + 1.0, 1.0)
    assert step.start(start).cost == cost


def test_no_rounds_leave_the_start():
    clean, _ = spoiled(0.0)
    start, _ = spectral_factor(clean, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(l1_completion(clean, start, rho=2.0, iterations=0), start)


def test_a_callback_sees_every_round_and_changes_nothing():
    _, known = spoiled()
    start = spectral_factor(known, 3, np.random.default_rng(0))[0]
    seen = []
    l1_completion(known, start, rho=5.0, iterations=3, callback=lambda Z: seen.append(Z.copy()))
    assert len(seen) == 3
    for rounds, point in enumerate(seen, start=1):
        np.testing.assert_array_equal(
            point, l1_completion(known, start, rho=5.0, iterations=rounds)
        )

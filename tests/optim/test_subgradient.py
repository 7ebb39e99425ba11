"""The subgradient method against its dense definition."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from tests.optim.split_problems import spoiled_distances
from xcbench.optim.distances import classical_scaling
from xcbench.optim.subgradient import subgradient_embedding


def dense_steps(D: np.ndarray, B: np.ndarray, step: float, iterations: int) -> list[np.ndarray]:
    """B after every step, by whole matrices and whole spectra."""
    n, found = len(B), []
    for k in range(1, iterations + 1):
        diagonal = np.diag(B)
        signs = np.sign(diagonal[:, None] + diagonal - 2 * B - D)
        np.fill_diagonal(signs, 0.0)
        B = B - step / (n * k**0.5) * (np.diag(signs.sum(axis=1)) - signs)
        values, vectors = np.linalg.eigh(B)
        B = (vectors[:, -2:] * np.maximum(values[-2:], 0.0)) @ vectors[:, -2:].T
        found.append(B)
    return found


def test_steps_are_those_of_the_dense_definition():
    _, D = spoiled_distances(15, 0.1)
    start = classical_scaling(squareform(D), 2)
    for iterations in (1, 2, 4):
        solution = subgradient_embedding(D, start, step=0.5, iterations=iterations)
        dense = dense_steps(squareform(D), start @ start.T, 0.5, iterations)
        costs = [np.abs(squareform(D) - from_gram(B)).sum() / 2 for B in dense]
        np.testing.assert_allclose(solution.costs[1:], costs, rtol=1e-8)
        best = dense[int(np.argmin(costs))]
        if min(costs) < solution.costs[0]:
            np.testing.assert_allclose(solution.point @ solution.point.T, best, atol=1e-8)


def from_gram(B: np.ndarray) -> np.ndarray:
    diagonal = np.diag(B)
    return diagonal[:, None] + diagonal - 2 * B


def test_the_best_point_is_kept_whatever_the_steps_do():
    _, D = spoiled_distances(30, 0.05)
    start = classical_scaling(squareform(D), 2)
    for step in (0.5, 50.0):
        solution = subgradient_embedding(D, start, step=step, iterations=40)
        assert solution.cost == min(solution.costs)
        found = np.abs(pdist(solution.point, "sqeuclidean") - D).sum()
        np.testing.assert_allclose(found, solution.cost)
        assert len(solution.costs) == len(solution.seconds) == 41
    # steps far too long never come below the start
    np.testing.assert_array_equal(solution.point, start)


def test_errors_shrink_with_many_steps():
    _, D = spoiled_distances(30, 0.05)
    solution = subgradient_embedding(D, classical_scaling(squareform(D), 2), step=2.0,
                                     iterations=300)  # fmt: skip
    assert solution.cost < 0.7 * solution.costs[0]


@pytest.mark.parametrize("start", [np.zeros((70, 2)), 100.0 * np.eye(70, 2)], ids=["0", "far"])
def test_from_one_place_and_from_afar_steps_are_the_dense_ones_and_repeat(start):
    """From one place all distances are too short, from afar too long."""
    _, D = spoiled_distances(70, 0.05)
    start = start - start.mean(axis=0)
    found = [subgradient_embedding(D, start, step=3.0, iterations=15) for _ in range(2)]
    assert found[0].costs == found[1].costs
    (first,) = dense_steps(squareform(D), start @ start.T, 3.0, 1)
    if start.any():
        expected = np.abs(squareform(D) - from_gram(first)).sum() / 2
        assert found[0].costs[1] == pytest.approx(expected)
    else:  # any plane is as good as any other
        assert np.isfinite(found[0].costs).all()


@pytest.mark.parametrize("n", [5, 7, 10, 20])
@pytest.mark.parametrize("step", [1e-6, 30.0, 100.0])
def test_long_and_short_steps_of_few_points_repeat_to_the_last_bit(n, step):
    for seed in range(3):
        _, D = spoiled_distances(n, 0.5, seed)
        start = classical_scaling(squareform(D), 2)
        first, second = (
            subgradient_embedding(D, start, step=step, iterations=60) for _ in range(2)
        )
        assert first.costs == second.costs
        assert first.cost <= first.costs[0]

"""Completion without side information equals the same problem with A = B = identity."""

import tracemalloc

import numpy as np
import pytest

from tests.optim.test_proximal_gradient import made, observed
from xcbench.optim import singular_value_thresholding as module
from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import Descent, continuation, shrunk
from xcbench.optim.side_information import SideInformation
from xcbench.optim.singular_value_thresholding import FullMatrix


@pytest.mark.parametrize("dense_numbers", [0, 1 << 20])
def test_partial_and_whole_decompositions_find_the_minimum(dense_numbers, monkeypatch):
    monkeypatch.setattr(module, "DENSE_NUMBERS", dense_numbers)
    _, _, M, mask = made()
    known = observed(M, mask)
    how = Descent(2.0, 1e-13, 3000)
    found = continuation(FullMatrix(known), [0.5, 0.2], how)
    other = continuation(SideInformation(known, np.eye(40), None), [0.5, 0.2], how)
    assert found.objectives[-1] == pytest.approx(other.objectives[-1], rel=1e-9)
    point = found.point
    X = (point.U * point.s) @ point.Vt
    np.testing.assert_allclose(X, other.point.matrix, atol=1e-4)
    np.testing.assert_allclose(point.U.T @ point.U, np.eye(point.rank), atol=1e-8)


def test_distances_are_those_of_the_dense_matrices():
    _, _, M, mask = made()
    problem = FullMatrix(observed(M, mask))
    one, two, three = (
        continuation(problem, [share], Descent(2.0, 0.0, 3)).point for share in (0.5, 0.3, 0.2)
    )
    dense = [(p.U * p.s) @ p.Vt for p in (one, two, three)]
    expected = np.linalg.norm(dense[0] - (1.5 * dense[1] - 0.5 * dense[2])) ** 2
    assert problem.squared_distance(one, two, three, 0.5) == pytest.approx(expected)


@pytest.mark.parametrize("above", [1, 8, 28, 29, 30], ids="{} singular values above".format)
def test_a_step_by_partial_decompositions_is_that_of_the_dense_matrix(above, monkeypatch):
    """All of them too, though no partial decomposition has the last."""
    monkeypatch.setattr(module, "DENSE_NUMBERS", 0)
    values = np.random.default_rng(0).standard_normal((40, 30))
    problem = FullMatrix(observed(values, np.ones(values.shape, bool)))
    s = np.append(np.linalg.svd(values, compute_uv=False), 0.0)
    penalty = (s[above - 1] + s[above]) / 2
    zero, asked = problem.zero(), []
    leading = problem._leading
    monkeypatch.setattr(
        problem, "_leading", lambda *args: asked.append(args[-1]) or leading(*args), raising=True
    )
    point = problem.step(zero, zero, 0.0, -problem.known.values, 1.0, penalty)
    U, s, Vt = shrunk(values, penalty)
    assert point.rank == above
    np.testing.assert_allclose((point.U * point.s) @ point.Vt, (U * s) @ Vt, atol=1e-10)
    assert asked == [5, 10, 20][: 1 if above < 5 else 2 if above < 10 else 3]


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (2, 9)])
def test_a_matrix_too_thin_for_partial_decompositions_is_completed(shape, monkeypatch):
    monkeypatch.setattr(module, "DENSE_NUMBERS", 0)
    values = np.random.default_rng(0).standard_normal(shape)
    problem = FullMatrix(observed(values, np.ones(shape, bool)))
    point = continuation(problem, [0.5, 0.1], Descent(2.0, 1e-14, 500)).point
    U, s, Vt = shrunk(values, 0.1 * np.linalg.norm(values, 2))
    np.testing.assert_allclose((point.U * point.s) @ point.Vt, (U * s) @ Vt, atol=1e-6)


def test_nothing_but_zeros_is_completed_with_zeros():
    known = Observed(np.arange(5), np.zeros(4, np.int32), np.zeros(4), 3)
    assert continuation(FullMatrix(known), [0.5], Descent()).point.rank == 0


def test_a_large_matrix_is_never_formed():
    """20,000 x 10,000 numbers would be 1.6 GB."""
    rng = np.random.default_rng(0)
    n, m = 20_000, 10_000
    columns = rng.integers(0, m, n).astype(np.int32)
    values = rng.standard_normal(n)
    values[:2] = 100.0, 90.0  # far above all other singular values
    known = Observed(np.arange(n + 1), columns, values, m)
    tracemalloc.start()
    try:
        point = continuation(FullMatrix(known), [0.5], Descent(2.0, 0.0, 1)).point
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (point.rank, peak < 60e6) == (2, True)

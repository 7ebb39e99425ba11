"""The accelerated descent with a trace norm: monotone, optimal, and exact where it can be."""

import numpy as np
import pytest

from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import Descent, continuation, proximal_gradient, shrunk
from xcbench.optim.side_information import SideInformation
from xcbench.optim.singular_value_thresholding import FullMatrix


def observed(M: np.ndarray, mask: np.ndarray) -> Observed:
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
    return Observed(indptr, np.nonzero(mask)[1].astype(np.int32), M[mask], M.shape[1])


def orthonormal(rng, n, r):
    return np.ascontiguousarray(np.linalg.qr(rng.standard_normal((n, r)))[0])


def made(seed=0, share=0.4):
    """A, B, M of 40 x 30 with noise, and what is observed of it."""
    rng = np.random.default_rng(seed)
    A, B = orthonormal(rng, 40, 8), orthonormal(rng, 30, 6)
    M = 10 * A @ rng.standard_normal((8, 2)) @ rng.standard_normal((2, 6)) @ B.T
    M += 0.1 * rng.standard_normal(M.shape)
    mask = rng.random(M.shape) < share
    return A, B, M, mask


@pytest.mark.parametrize("kind", ["with side", "identity", "without"])
def test_the_objective_never_rises_though_momentum_alone_would_make_it(kind):
    A, B, M, mask = made()
    known = observed(M, mask)
    problem = {
        "with side": SideInformation(known, A, B),
        "identity": SideInformation(known, A, None),
        "without": FullMatrix(known),
    }[kind]
    penalty = 1e-3 * problem.largest_penalty
    solution = proximal_gradient(
        problem, problem.zero(), penalty, problem.curvature, Descent(2.0, 0.0, 400)
    )
    assert (np.diff(solution.objectives) <= 0).all()
    assert solution.restarts > 0
    assert solution.L <= 1.0


@pytest.mark.parametrize("growth", [1.2, 3.0])
def test_the_solution_meets_the_optimality_conditions(growth):
    """The gradient is penalty times a subgradient: -U V^T, and at most 1 long elsewhere."""
    A, B, M, mask = made()
    problem = SideInformation(observed(M, mask), A, B)
    penalty = 0.2 * problem.largest_penalty
    how = Descent(growth, 1e-15, 5000)
    Z = proximal_gradient(problem, problem.zero(), penalty, 0.1, how).point.matrix
    gradient = A.T @ (mask * (A @ Z @ B.T - M)) @ B
    U, s, Vt = np.linalg.svd(Z)
    r = int((s > 1e-9).sum())
    assert 0 < r < 6
    inside = U[:, :r].T @ gradient @ Vt[:r].T
    np.testing.assert_allclose(inside, -penalty * np.eye(r), atol=1e-5 * penalty)
    rest = gradient + penalty * U[:, :r] @ Vt[:r]
    assert np.linalg.norm(rest, 2) <= penalty * (1 + 1e-5)


def test_the_largest_penalty_gives_zero_and_a_smaller_one_does_not():
    A, B, M, mask = made()
    for problem in (SideInformation(observed(M, mask), A, B), FullMatrix(observed(M, mask))):
        for share, is_zero in ((1.0 + 1e-9, True), (0.99, False)):
            point = continuation(problem, [share], Descent()).point
            assert (point.trace_norm == 0) == is_zero


def test_a_path_ends_where_it_is_told_to():
    A, B, M, mask = made()
    seen = []

    def visit(solution):
        seen.append(solution)
        return len(seen) < 2

    problem = SideInformation(observed(M, mask), A, B)
    assert continuation(problem, [0.5, 0.2, 0.1], Descent(), visit) is seen[1]


@pytest.mark.parametrize("shape", [(5, 9), (9, 5), (1, 4)])
@pytest.mark.parametrize("threshold", [0.0, 1e-9, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shrinking_is_that_of_the_singular_values(shape, threshold, dtype):
    X = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    U, s, Vt = shrunk(X, threshold)
    assert U.dtype == s.dtype == Vt.dtype == dtype
    left, values, right = np.linalg.svd(X.astype(float), full_matrices=False)
    expected = (left * np.maximum(values - threshold, 0)) @ right
    np.testing.assert_allclose((U * s) @ Vt, expected, atol=1e-10 if dtype == np.float64 else 1e-5)
    assert (np.diff(s) <= 0).all()
    assert (s > 0).all()


@pytest.mark.parametrize(("threshold", "formed"), [(0.0, 0), (1e-7, 0), (0.5, 1)])
def test_no_gram_matrix_is_formed_for_a_threshold_that_is_below_its_digits(
    threshold, formed, monkeypatch
):
    eigh, calls = np.linalg.eigh, []
    monkeypatch.setattr(np.linalg, "eigh", lambda gram: calls.append(gram) or eigh(gram))
    shrunk(np.random.default_rng(0).standard_normal((9, 5)), threshold)
    assert len(calls) == formed

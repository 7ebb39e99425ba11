"""One-vs-rest squared hinge: against LIBLINEAR, its first step's closed form, and optimality."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from xcbench.kernels.csr import csr_parts
from xcbench.optim.squared_hinge import RareLabels, truncated_newton

SHIFT = 0.5


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    A = rng.random((120, 15)) * (rng.random((120, 15)) < 0.4)
    teacher = rng.normal(size=(15, 5))
    positive = (A @ teacher + 0.3 * rng.normal(size=(120, 5)) > 0.6).astype(np.uint8)
    A = sparse.csr_array(A.astype(np.float32))
    return A, positive


def with_intercept(A):
    return np.column_stack([A.toarray(), np.ones(A.shape[0])]).astype(np.float64)


def fit(A, positive, shift=SHIFT, rounds=20, iterations=40):
    return truncated_newton(csr_parts(A), A.shape[1], positive, shift, rounds, iterations)


def test_reaches_liblinears_minimum(problem):
    A, positive = problem
    W = fit(A, positive)
    for label in range(positive.shape[1]):
        # LIBLINEAR: 1/2 |w|^2 + C sum of squares; ours divided by the shift has C = 1 / (2 shift)
        svm = LinearSVC(
            C=1 / (2 * SHIFT), fit_intercept=False, dual=False, tol=1e-8, max_iter=10_000
        )
        svm.fit(with_intercept(A), positive[:, label])
        np.testing.assert_allclose(W[:, label], svm.coef_[0], atol=2e-4)


def test_gradient_vanishes_at_the_minimum(problem):
    A, positive = problem
    W = fit(A, positive).astype(np.float64)
    y, full = 2.0 * positive - 1, with_intercept(A)
    violated = np.minimum(y * (full @ W) - 1, 0)
    gradient = SHIFT * W + full.T @ (y * violated)
    assert np.abs(gradient).max() < 1e-3


def test_the_first_step_is_ridge_regression_to_signs(problem):
    A, positive = problem
    W = fit(A, positive, rounds=1, iterations=60)
    full = with_intercept(A)
    normal = full.T @ full + SHIFT * np.eye(full.shape[1])
    np.testing.assert_allclose(W, np.linalg.solve(normal, full.T @ (2.0 * positive - 1)), atol=1e-4)


def test_a_label_does_not_depend_on_the_others_of_its_block(problem):
    A, positive = problem
    together = fit(A, positive, rounds=3, iterations=4)
    for label in range(positive.shape[1]):
        alone = fit(A, np.ascontiguousarray(positive[:, [label]]), rounds=3, iterations=4)
        np.testing.assert_allclose(alone[:, 0], together[:, label], atol=1e-4)


@pytest.mark.parametrize("value", [0, 1])
def test_a_label_that_all_rows_have_or_none_is_harmless(problem, value):
    A, positive = problem
    W = fit(A, np.full_like(positive, value), rounds=3, iterations=50)
    margins = with_intercept(A) @ W
    assert np.all(np.isfinite(W))
    assert np.all(np.sign(margins) == (1 if value else -1))


def test_a_rare_label_is_fitted_on_the_features_of_its_rows(problem):
    A, positive = problem
    rare = RareLabels(A)
    # Between its first iteration and its minimum float32 conjugate gradients magnify rounding.
    for label, rounds, iterations, atol in ((0, 2, 1, 1e-5), (1, 3, 4, 5e-3), (2, 5, 30, 1e-5)):
        few = np.flatnonzero(positive[:, label])[:2].astype(np.int32)
        features, cost = rare.features(few)
        assert sorted(features) == np.flatnonzero(A.toarray()[few].any(axis=0)).tolist()
        assert 0 < features.size < A.shape[1]
        own = sparse.csr_array(A.toarray()[:, features])
        assert cost == own.nnz
        chosen = np.zeros((A.shape[0], 1), np.uint8)
        chosen[few] = 1
        expected = truncated_newton(
            csr_parts(own), features.size, chosen, SHIFT, rounds, iterations
        )
        found = rare.fit(features, few, SHIFT, rounds, iterations)
        np.testing.assert_allclose(found, expected[:, 0], atol=atol)


@pytest.mark.parametrize("positives", [[], [3]])
def test_a_rare_label_without_rows_or_features_is_harmless(problem, positives):
    A, _ = problem
    dense = A.toarray()
    dense[3] = 0  # a row without features
    rare = RareLabels(sparse.csr_array(dense))
    positives = np.array(positives, np.int32)
    features, cost = rare.features(positives)
    assert features.size == cost == 0
    w = rare.fit(features, positives, SHIFT, 3, 4)
    assert w.shape == (1,)
    assert -1.01 < w[0] < -0.9

"""One-vs-rest squared hinge: against LIBLINEAR, its first step's closed form, and optimality."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from xcbench.kernels.csr import csr_parts
from xcbench.optim import squared_hinge
from xcbench.optim.squared_hinge import OwnFeatures, Steps, truncated_newton

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
    return truncated_newton(csr_parts(A), A.shape[1], positive, Steps(shift, rounds, iterations))


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


def test_labels_have_weights_on_the_features_they_may_have(problem):
    A, positive = problem
    own = np.random.default_rng(0).random((A.shape[1] + 1, positive.shape[1])) < 0.5
    own[-1] = True
    steps = Steps(SHIFT, 20, 40)
    W = truncated_newton(csr_parts(A), A.shape[1], positive, steps, own=own.astype(np.float32))
    for label in range(positive.shape[1]):
        few = sparse.csr_array(A.toarray() * own[:-1, label])
        alone = fit(few, np.ascontiguousarray(positive[:, [label]]))
        np.testing.assert_allclose(W[:, label], np.where(own[:, label], alone[:, 0], 0), atol=1e-3)


@pytest.mark.parametrize("count", [0, 1, 30])
def test_the_last_row_can_stand_for_many(problem, count):
    A, positive = problem
    dense, rows = A.toarray(), np.append(np.arange(119), np.full(count, 119))
    steps = Steps(SHIFT, 20, 40)
    found = truncated_newton(csr_parts(A), A.shape[1], positive, steps, last_counts=count)
    repeated = fit(sparse.csr_array(dense[rows]), positive[rows])
    np.testing.assert_allclose(found, repeated, atol=1e-3)


@pytest.fixture(params=["alone", "together"])
def way(request, monkeypatch):
    """Labels are fitted one by one, or as a block."""
    cost = {"alone": 10**9, "together": 0}[request.param]
    monkeypatch.setattr(squared_hinge, "_BLOCK_ENTRY", cost)
    monkeypatch.setattr(squared_hinge, "_BLOCK_ROW", cost)


@pytest.mark.usefixtures("way")
# Between its first iteration and its minimum float32 conjugate gradients magnify rounding.
@pytest.mark.parametrize(
    ("rounds", "iterations", "atol"), [(2, 1, 1e-5), (3, 4, 5e-3), (5, 30, 1e-5)]
)
def test_a_label_is_fitted_on_the_features_of_its_rows(problem, rounds, iterations, atol):
    A, positive = problem
    # Rows that have none of the features of any of the labels.
    A = sparse.csr_array(np.vstack([A.toarray(), np.zeros((40, 15))]).astype(np.float32))
    dense, own = A.toarray(), OwnFeatures(A)
    few = [np.flatnonzero(positive[:, label])[:2].astype(np.int32) for label in range(5)]
    found = own.fit(few, Steps(SHIFT, rounds, iterations))
    for rows, (features, w) in zip(few, found, strict=True):
        assert sorted(features) == np.flatnonzero(dense[rows].any(axis=0)).tolist()
        assert 0 < features.size < A.shape[1]
        on_own = sparse.csr_array(dense[:, features])
        assert own.cost(rows) == on_own.nnz
        chosen = np.zeros((A.shape[0], 1), np.uint8)
        chosen[rows] = 1
        expected = fit(on_own, chosen, rounds=rounds, iterations=iterations)
        np.testing.assert_allclose(w, expected[:, 0], atol=atol)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("lift", [0.5, 1.0, 1.5, 3.0])
def test_features_hardly_more_frequent_in_a_labels_rows_are_left_out(problem, lift):
    A, positive = problem
    has = A.toarray() != 0
    own = OwnFeatures(A, lift)
    labels = [np.flatnonzero(positive[:, label]).astype(np.int32) for label in range(5)]
    for rows, (features, w) in zip(labels, own.fit(labels, Steps(SHIFT, 3, 4)), strict=True):
        met = has[rows].any(axis=0)
        expected = met & (has[rows].mean(axis=0) >= lift * has.mean(axis=0))
        assert sorted(features) == np.flatnonzero(expected).tolist()
        assert own.cost(rows) == has[:, expected].sum()
        assert w.shape == (features.size + 1,)


@pytest.mark.usefixtures("way")
def test_labels_without_rows_or_features_are_harmless(problem):
    A, _ = problem
    dense = A.toarray()
    dense[3] = 0  # a row without features
    own = OwnFeatures(sparse.csr_array(dense))
    labels = [np.array(rows, np.int32) for rows in ([], [3])]
    for positives, (features, w) in zip(labels, own.fit(labels, Steps(SHIFT, 3, 4)), strict=True):
        assert features.size == own.cost(positives) == 0
        assert w.shape == (1,)
        assert -1.01 < w[0] < -0.9


def test_a_gradient_that_has_vanished_ends_a_step(problem, monkeypatch):
    A, positive = problem
    calls = []
    curvature = squared_hinge.kernels.curvature
    monkeypatch.setattr(
        squared_hinge.kernels, "curvature", lambda *x: (calls.append(1), curvature(*x))
    )
    found = []
    for tolerance in (0.0, 1e-6):
        calls.clear()
        steps = Steps(1.0, 8, 40, tolerance)
        found.append(truncated_newton(csr_parts(A), A.shape[1], positive, steps))
        found.append(len(calls))
    np.testing.assert_allclose(found[2], found[0], atol=1e-4)
    assert found[1] == 320
    assert found[3] < 160

"""Ridge and L1 regression against closed forms and optimality conditions."""

import numpy as np
import pytest
from scipy import sparse

from xcbench.optim import ridge
from xcbench.optim.admm import l1_regression
from xcbench.optim.ridge import RidgeSolver, SparseOperator


def features(n: int, d: int, seed: int = 0) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    return sparse.csr_array(
        (rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.3)).astype(np.float32)
    )


def closed_form(A: sparse.csr_array, B: np.ndarray, shift: float) -> np.ndarray:
    dense = A.toarray().astype(float)
    return np.linalg.solve(dense.T @ dense + shift * np.eye(A.shape[1]), dense.T @ B)


@pytest.mark.parametrize("direct", [True, False], ids=["cholesky", "conjugate gradients"])
@pytest.mark.parametrize("shape", [(50, 20), (20, 50), (30, 30)], ids=str)
def test_solution_is_the_closed_form(shape, direct, monkeypatch):
    if not direct:
        monkeypatch.setattr(ridge, "DIRECT_LIMIT", 0)
    A = features(*shape)
    B = np.random.default_rng(1).standard_normal((shape[0], 3)).astype(np.float32)
    V = RidgeSolver(SparseOperator(A), 0.5).solve(B)
    expected = closed_form(A, B, 0.5)
    np.testing.assert_allclose(V, expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("shape", [(300, 90), (90, 300)], ids=str)
@pytest.mark.parametrize("columns", [1, 7, 64])
def test_conjugate_gradients_meet_their_tolerance_column_by_column(shape, columns, monkeypatch):
    monkeypatch.setattr(ridge, "DIRECT_LIMIT", 0)
    monkeypatch.setattr(ridge, "CG_COLUMNS", columns)
    A, rng = features(*shape), np.random.default_rng(1)
    # columns of very unequal size, one of them zero
    B = (rng.standard_normal((shape[0], 20)) * np.logspace(-4, 4, 20)).astype(np.float32)
    B[:, 3] = 0
    dense, shift = A.toarray().astype(float), 0.3
    V = RidgeSolver(SparseOperator(A), shift).solve(B)
    solution = closed_form(A, B, shift)
    assert np.all(V[:, 3] == 0)
    # |V - V*| <= |residual| / shift, and of the dual system |A^T| / shift times that
    wide = shape[0] < shape[1]
    right = B if wide else dense.T @ B
    bound = 1e-4 * np.linalg.norm(right, axis=0) / shift
    bound *= np.linalg.norm(dense, 2) if wide else 1
    assert np.all(np.linalg.norm(V - solution, axis=0) <= 1.1 * bound)


def test_conjugate_gradients_work_in_the_smaller_of_the_two_systems(monkeypatch):
    monkeypatch.setattr(ridge, "DIRECT_LIMIT", 0)
    sizes = []
    kernel = ridge.sparse_dense.gram_product
    monkeypatch.setattr(
        ridge.sparse_dense,
        "gram_product",
        lambda *parts: (sizes.append(len(parts[-1])), kernel(*parts)),
    )
    for shape in ((40, 15), (15, 40)):
        RidgeSolver(SparseOperator(features(*shape)), 1.0).solve(np.ones((shape[0], 2), np.float32))
    assert set(sizes) == {15}


def test_collinear_features_that_float32_cannot_factor_are_solved_in_float64():
    rng = np.random.default_rng(0)
    half = 100.0 * rng.standard_normal((80, 30))
    A = sparse.csr_array(np.hstack([half, half]).astype(np.float32))  # every column twice
    B = rng.standard_normal((80, 2)).astype(np.float32)
    V = RidgeSolver(SparseOperator(A), 0.01).solve(B)
    expected = closed_form(A, B, 0.01)
    np.testing.assert_allclose(A @ V, A @ expected, atol=1e-3)


def test_zero_targets_give_zero_weights_by_conjugate_gradients(monkeypatch):
    monkeypatch.setattr(ridge, "DIRECT_LIMIT", 0)
    V = RidgeSolver(SparseOperator(features(10, 8)), 1.0).solve(np.zeros((10, 2), np.float32))
    np.testing.assert_array_equal(V, 0.0)


def test_admm_without_l1_is_ridge():
    A, rng = features(40, 15), np.random.default_rng(2)
    B = rng.standard_normal((40, 3)).astype(np.float32)
    V = l1_regression(
        SparseOperator(A), B, shift=0.7, l1=0.0, rho=1.0, iterations=60, exact_threshold=True
    )
    np.testing.assert_allclose(V, closed_form(A, B, 0.7), atol=1e-3)


@pytest.mark.parametrize(("threshold", "l1"), [("exact", 0.8), ("printed", 0.4)])
def test_admm_meets_the_optimality_conditions(threshold, l1):
    """0 in -2 A^T(B - AV) + 2 shift V + l1 A^T sign(AV); the printed threshold doubles l1."""
    A = features(12, 30)  # wide: A V can reach zero exactly
    B = np.random.default_rng(3).standard_normal((12, 4)).astype(np.float32)
    shift, rho = 0.5, 1.0
    V = l1_regression(
        SparseOperator(A), B, shift=shift, l1=l1, rho=rho, iterations=2000,
        exact_threshold=threshold == "exact",
    ).astype(float)  # fmt: skip
    dense = A.toarray().astype(float)
    fitted = dense @ V
    # Solve for the subgradient s: A^T (2 (AV - B) + 0.8 s) = -2 shift V, with s = sign where AV !=
    # 0.
    active = np.abs(fitted) > 1e-3
    right = -2 * shift * V - dense.T @ (2 * (fitted - B))
    s = np.linalg.lstsq(dense.T, right / 0.8, rcond=None)[0]
    np.testing.assert_allclose(0.8 * dense.T @ s, right, atol=2e-3)
    assert active.any()
    assert not active.all()
    np.testing.assert_allclose(s[active], np.sign(fitted[active]), atol=2e-2)
    assert np.all(np.abs(s[~active]) <= 1 + 2e-2)

"""Proximal operators against their duals and against what they are to minimise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from xcbench.optim.prox import l21_norm, nuclear_norm, prox_l1, prox_l21, prox_nuclear


def shorten(vector: np.ndarray, radius: float) -> np.ndarray:
    length = np.linalg.norm(vector)
    return vector * (radius / length) if length > radius else vector


def clip_singular_values(V: np.ndarray, radius: float) -> np.ndarray:
    """Projection on the spectral ball by the eigenvalues of V^T V, no decomposition of V."""
    values, vectors = np.linalg.eigh(V.T @ V)
    shrink = np.minimum(1.0, radius / np.sqrt(np.maximum(values, 1e-300)))
    return V @ (vectors * shrink) @ vectors.T


# prox, norm, projection on the ball of the given radius of the dual norm
NORMS = {
    "l1": (prox_l1, lambda Z: np.abs(Z).sum(), lambda V, r: np.clip(V, -r, r)),
    "l21 of columns": (
        lambda V, t: prox_l21(V, t, 0),
        lambda Z: l21_norm(Z, 0),
        lambda V, r: np.stack([shorten(v, r) for v in V.T], 1),
    ),
    "l21 of rows": (
        lambda V, t: prox_l21(V, t, 1),
        lambda Z: l21_norm(Z, 1),
        lambda V, r: np.stack([shorten(v, r) for v in V]),
    ),
    "nuclear": (prox_nuclear, nuclear_norm, clip_singular_values),
}

matrices = arrays(np.float64, (4, 3), elements=st.floats(-10, 10, allow_subnormal=False))


@pytest.mark.parametrize("name", NORMS)
@given(V=matrices, step=st.floats(1e-3, 20))
def test_moreau_identity(name, V, step):
    """v = prox_{t g}(v) + t prox_{g*/t}(v/t), where g* is 0 on the dual ball and inf outside."""
    prox, _, dual_ball = NORMS[name]
    np.testing.assert_allclose(prox(V, step) + step * dual_ball(V / step, 1.0), V, atol=1e-6)


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("step", [0.1, 1.0, 3.0])
def test_no_other_point_is_better(name, step):
    prox, norm, _ = NORMS[name]
    rng = np.random.default_rng(0)
    V = rng.standard_normal((4, 3)) * [[3.0], [1.0], [0.3], [2.0]]

    def value(z: np.ndarray) -> float:
        Z = z.reshape(V.shape)
        return step * norm(Z) + 0.5 * float(np.sum((Z - V) ** 2))

    best = prox(V, step)
    found = minimize(value, V.ravel(), method="Powell", options={"maxiter": 20}).fun
    assert value(best) <= found + 1e-9
    for scale in (1e-1, 1e-3, 1e-5):
        for _ in range(50):
            assert value(best) <= value(best + scale * rng.standard_normal(V.shape)) + 1e-12


@pytest.mark.parametrize("name", NORMS)
def test_step_zero_zero_rows_and_dtype(name):
    prox = NORMS[name][0]
    V = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    V[2], V[:, 1] = 0.0, 0.0
    before = V.copy()
    np.testing.assert_allclose(prox(V, 0.0), V, atol=1e-6)
    for step in (0.3, 1e6):
        assert prox(V, step).dtype == np.float32
        np.testing.assert_allclose(prox(V, step)[2], 0.0, atol=1e-7)
    np.testing.assert_allclose(prox(V, 1e6), 0.0, atol=1e-7)
    np.testing.assert_array_equal(V, before)


def test_small_entries_become_exactly_zero():
    np.testing.assert_array_equal(prox_l1(np.array([0.5, -0.5, 2.0]), 1.0), [0.0, 0.0, 1.0])
    rows = prox_l21(np.array([[0.3, 0.4], [3.0, 4.0]]), 1.0, axis=1)
    np.testing.assert_array_equal(rows[0], 0.0)
    np.testing.assert_allclose(rows[1], [2.4, 3.2])


def test_l1_takes_a_weight_for_every_entry():
    V, weights = np.array([[3.0, 3.0], [-3.0, -3.0]]), np.array([[1.0], [2.0]])
    np.testing.assert_array_equal(prox_l1(V, weights), [[2.0, 2.0], [-1.0, -1.0]])


def test_norms_add_up_what_they_say():
    V = np.array([[3.0, 0.0], [4.0, 2.0]])
    assert l21_norm(V, 0) == pytest.approx(5.0 + 2.0)
    assert l21_norm(V, 1) == pytest.approx(3.0 + 20**0.5)
    assert nuclear_norm(np.diag([1.0, -2.0])) == pytest.approx(3.0)

"""Randomised approximations against dense decompositions."""

import numpy as np
import pytest

from xcbench.optim.randomized import nystrom, randomized_svd


@pytest.mark.parametrize("shape", [(40, 30), (30, 40), (12, 40), (40, 8)])
def test_svd_of_a_matrix_of_low_rank_is_exact(shape):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((shape[0], 4)) @ rng.standard_normal((4, shape[1]))
    U, s, V = randomized_svd(lambda Q: A @ Q, lambda Q: A.T @ Q, shape[1], 4, rng)
    np.testing.assert_allclose((U * s) @ V.T, A, atol=1e-10)
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)


def test_svd_finds_leading_values_over_a_slow_tail():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((200, 100))
    A[:, :5] *= 4.0
    _, s, _ = randomized_svd(lambda Q: A @ Q, lambda Q: A.T @ Q, 100, 5, rng)
    np.testing.assert_allclose(s, np.linalg.svd(A)[1][:5], rtol=1e-3)


def test_svd_of_nothing_is_nothing():
    A = np.zeros((6, 5))
    U, s, V = randomized_svd(lambda Q: A @ Q, lambda Q: A.T @ Q, 5, 2, np.random.default_rng(0))
    assert s.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(U.T @ U, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(2), atol=1e-12)


def test_nystrom_is_exact_once_its_rank_reaches_the_matrixs():
    rng = np.random.default_rng(2)
    B = rng.standard_normal((20, 6))
    A = B @ B.T
    Q, values = nystrom(lambda thin: A @ thin, 20, 8, rng)
    np.testing.assert_allclose((Q * values) @ Q.T, A, atol=1e-6)
    np.testing.assert_allclose(Q.T @ Q, np.eye(8), atol=1e-10)


def test_nystrom_never_exceeds_the_matrix():
    rng = np.random.default_rng(3)
    B = rng.standard_normal((30, 30))
    A = B @ B.T
    Q, values = nystrom(lambda thin: A @ thin, 30, 10, rng)
    assert np.linalg.eigvalsh(A - (Q * values) @ Q.T)[0] > -1e-6

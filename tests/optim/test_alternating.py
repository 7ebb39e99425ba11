"""The completion of SLEEC's release."""

import numpy as np
from scipy import sparse

from xcbench.optim.alternating import alternating_gradient


def problem(n: int = 40, r: int = 3, share: float = 0.5) -> sparse.csr_array:
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((n, r)) / np.sqrt(r)
    mask = rng.random((n, n)) < share
    rows, columns = np.nonzero(mask)
    values = (Z @ Z.T)[rows, columns].astype(np.float32)
    return sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=(n, n)))


def test_steps_reduce_the_residual_of_the_svd_start():
    known = problem()
    rng = np.random.default_rng
    # U of the start is a singular basis scaled; more steps move it away from there
    start = alternating_gradient(known, 3, 0, rng(0))
    moved = alternating_gradient(known, 3, 200, rng(0))
    dense = known.toarray()
    values = np.linalg.svd(dense, compute_uv=False)
    np.testing.assert_allclose(
        np.abs(np.linalg.norm(start, axis=0)), np.sort(np.sqrt(values[:3])), rtol=1e-3
    )
    rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))

    def best_rms(U):
        # each column of V solved for exactly: how well rows of U can explain what is known
        fitted = np.zeros(known.nnz)
        for j in range(known.shape[1]):
            at = known.indices == j
            fitted[at] = U[rows[at]] @ np.linalg.lstsq(U[rows[at]], known.data[at], rcond=None)[0]
        return np.sqrt(np.mean((known.data - fitted) ** 2))

    assert best_rms(moved) < 0.5 * best_rms(start)


def test_rank_of_the_full_size_is_allowed():
    known = problem(n=6)
    assert alternating_gradient(known, 6, 3, np.random.default_rng(0)).shape == (6, 6)


def test_one_step_is_that_of_the_release():
    known = problem()
    dense, mask = known.toarray(), known.toarray() != 0
    left, values, right = np.linalg.svd(dense)
    U, V = left[:, :3] * np.sqrt(values[:3]), right[:3].T * np.sqrt(values[:3])
    eta = 1.0 / (0.3 * np.linalg.norm(dense))
    U = U + eta * (mask * (dense - U @ V.T)) @ V
    found = alternating_gradient(known, 3, 1, np.random.default_rng(0))
    # factors are known up to the sign of each column, and in which order svds lists them
    np.testing.assert_allclose(found @ found.T, U @ U.T, atol=1e-3)


def test_it_stops_where_the_residual_no_longer_falls():
    known = problem()
    long = alternating_gradient(known, 3, 5000, np.random.default_rng(0))
    longer = alternating_gradient(known, 3, 6000, np.random.default_rng(0))
    np.testing.assert_array_equal(long, longer)


def test_a_callback_sees_both_factors_after_every_pair_of_steps_and_changes_nothing():
    known = problem()
    seen = []
    alternating_gradient(
        known, 3, 2, np.random.default_rng(0), lambda factors: seen.append(factors[0].copy())
    )
    assert len(seen) == 2
    for steps, U in enumerate(seen, start=1):
        alone = alternating_gradient(known, 3, steps, np.random.default_rng(0))
        np.testing.assert_array_equal(U, alone)

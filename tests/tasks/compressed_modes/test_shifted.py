from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from xcbench.data.surfaces.laplacian import line_laplacian
from xcbench.tasks.compressed_modes.shifted import shifted_solver


@pytest.mark.parametrize("shift", [1e-3, 10.0])
def test_it_solves_what_a_dense_solver_does(shift: float) -> None:
    """On a graph whose matrix has no order that leaves it a band."""
    rng = np.random.default_rng(0)
    edges = sparse.random_array((40, 40), density=0.1, rng=rng)
    weights = edges + edges.T + sparse.csr_array(line_laplacian(40)).power(2)
    energy = sparse.csr_array(sparse.diags_array(weights.sum(axis=1)) - weights)
    right = rng.standard_normal((40, 3))
    expected = np.linalg.solve(2.0 * energy.toarray() + shift * np.eye(40), right)
    np.testing.assert_allclose(shifted_solver(energy, shift)(right), expected, rtol=1e-8)

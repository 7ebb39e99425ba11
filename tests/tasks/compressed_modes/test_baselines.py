from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from xcbench.config.compressed_modes import NeumannModesSettings, SocModesSettings
from xcbench.data.surfaces.laplacian import line_laplacian
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.madmm import SMALL_RESIDUALS
from xcbench.tasks.compressed_modes.baselines import neumann, soc
from xcbench.tasks.compressed_modes.problem import modes_cost

N, K = 40, 3
METHODS = [
    (soc, SocModesSettings(rho=0.5, orthogonal_rho=1.0, iterations=4000)),
    (neumann, NeumannModesSettings(rho=1.0, iterations=4000)),
    (neumann, NeumannModesSettings(rho=1.0, iterations=4000, adapt=True)),
]


@pytest.fixture
def start() -> np.ndarray:
    return Stiefel(N, K).random_point(np.random.default_rng(0))


@pytest.mark.parametrize(("method", "settings"), METHODS)
def test_without_absolute_values_the_answer_is_the_lowest_eigenvectors(
    method, settings, start: np.ndarray
) -> None:
    energy = line_laplacian(N)
    found = method(energy, 0.0, start, settings)
    values, vectors = eigh(energy.toarray(), subset_by_index=(0, K - 1))
    assert found.costs[-1] == pytest.approx(values.sum(), rel=1e-3)
    assert np.linalg.norm(vectors.T @ found.point) == pytest.approx(K**0.5, rel=1e-4)


@pytest.mark.parametrize(("method", "settings"), METHODS[:2])
def test_where_they_stop_the_copies_agree(method, settings, start: np.ndarray) -> None:
    energy = line_laplacian(N)
    found = method(energy, 0.02, start, settings)
    assert found.reason == SMALL_RESIDUALS
    np.testing.assert_allclose(found.split, found.point, atol=1e-2)
    np.testing.assert_allclose(found.point.T @ found.point, np.eye(K), atol=1e-10)
    assert np.mean(found.split == 0) > 0.2
    assert found.costs[-1] == pytest.approx(modes_cost(energy, 0.02, found.point))
    assert len(found.costs) == len(found.seconds) == found.iterations + 1
    assert len(found.primal) == len(found.dual_residuals) == found.iterations


def test_adapting_keeps_the_fixed_point(start: np.ndarray) -> None:
    """From a penalty that is far off, adapting gets where the fitting penalty does."""
    energy = line_laplacian(N)
    settings = NeumannModesSettings(rho=1.0, iterations=4000)
    far = NeumannModesSettings(rho=1e3, adapt=True, iterations=4000)
    costs = [neumann(energy, 0.02, start, each).costs[-1] for each in (settings, far)]
    assert costs[0] == pytest.approx(costs[1], rel=0.01)

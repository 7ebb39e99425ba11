from __future__ import annotations

import numpy as np

from xcbench.tasks.compressed_modes import polish
from xcbench.tasks.compressed_modes.polish import orthogonality, orthonormal_on_support


def test_overlapping_columns_become_orthonormal_and_keep_their_zeros() -> None:
    rng = np.random.default_rng(0)
    exact = np.linalg.qr(rng.standard_normal((6, 3)))[0]
    modes = np.zeros((20, 5))
    modes[2:8, :3] = exact
    modes[10:14, 3] = 0.5
    modes[12:19, 4] = rng.standard_normal(7) * [0.01, 0.01, 1, 1, 1, 1, 1]
    modes[:, 4] /= np.linalg.norm(modes[:, 4])
    found = orthonormal_on_support(modes + 1e-2 * rng.standard_normal(modes.shape) * (modes != 0))
    assert np.array_equal(found == 0, modes == 0)
    assert orthogonality(found) < 1e-12
    assert np.abs(found - modes).max() < 0.05


def test_columns_apart_are_scaled_to_length_one() -> None:
    modes = np.zeros((9, 2))
    modes[:3, 0], modes[5:, 1] = [1.0, 2.0, 1.0], 0.3
    found = orthonormal_on_support(modes)
    np.testing.assert_allclose(found, modes / np.linalg.norm(modes, axis=0), atol=1e-12)


def test_an_orthonormal_matrix_is_left_alone() -> None:
    modes = np.eye(4)[:, :2]
    assert orthonormal_on_support(modes) is modes


def test_a_shared_entry_fades_as_orthogonality_asks() -> None:
    """Two columns that meet in one entry: one of the two has to vanish there."""
    modes = np.zeros((5, 2))
    modes[:3, 0], modes[2:, 1] = [0.7, 0.7, 0.1], [0.1, 0.7, 0.7]
    assert orthogonality(orthonormal_on_support(modes)) < 1e-6


def test_steps_are_the_shortest_of_all_equations_and_take_only_those_of_a_common_row() -> None:
    """Against dense least squares on every pair of columns."""
    rng = np.random.default_rng(3)
    modes = np.zeros((30, 8))
    for j in range(8):  # each meets its neighbours alone
        modes[3 * j : 3 * j + 7, j] = rng.standard_normal(7)
    modes /= np.linalg.norm(modes, axis=0)
    kept = np.argwhere(modes)
    jacobian, gap = [], []
    for a in range(8):
        for b in range(a, 8):
            row = [modes[i, b] * (j == a) + modes[i, a] * (j == b) for i, j in kept]
            jacobian.append(row)
            gap.append(float(a == b) - modes[:, a] @ modes[:, b])
    change = np.linalg.lstsq(np.array(jacobian), np.array(gap), rcond=None)[0]
    equations = polish._Equations(modes != 0)
    found = modes.copy()
    equations.step(found)
    np.testing.assert_allclose(found[modes != 0] - modes[modes != 0], change, atol=1e-9)
    assert not found[modes == 0].any()
    overlaps = np.count_nonzero(np.triu((modes != 0).T.astype(int) @ (modes != 0)))
    assert equations._a.size == overlaps < 36


def test_modes_with_hardly_a_zero_are_left_as_they_are(monkeypatch) -> None:
    modes = np.random.default_rng(4).standard_normal((9, 3))
    monkeypatch.setattr(polish, "MOST_TRIPLES", 9 * 27)
    assert orthogonality(orthonormal_on_support(modes)) < 1e-12
    monkeypatch.setattr(polish, "MOST_TRIPLES", 9 * 27 - 1)
    assert orthonormal_on_support(modes) is modes


def test_what_cannot_be_made_orthonormal_is_no_error() -> None:
    assert orthogonality(orthonormal_on_support(np.zeros((4, 2)))) == 1.0
    same_entry = np.zeros((4, 2))
    same_entry[1] = 1.0
    assert orthogonality(orthonormal_on_support(same_entry)) > 0.1

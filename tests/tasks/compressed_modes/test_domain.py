from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from xcbench.config.compressed_modes import CompressedModesDataset
from xcbench.errors import DataError
from xcbench.tasks.compressed_modes.domain import open_domain


def square(width: int, scale: float) -> str:
    """OBJ text of a flat square of ``width`` x ``width`` squares."""
    at = range(width + 1)
    lines = [f"v {scale * x / width} {scale * y / width} 0" for x in at for y in at]
    for x in range(width):
        for y in range(width):
            a = x * (width + 1) + y + 1
            lines.append(f"f {a} {a + width + 1} {a + width + 2} {a + 1}")
    return "\n".join(lines)


@pytest.mark.parametrize("n", [200, 400])
def test_energies_of_the_line_are_those_of_cosines(n: int) -> None:
    domain = open_domain(CompressedModesDataset(line=n, measure=5.0), Path())
    values = np.linalg.eigvalsh(domain.energy.toarray())[:4]
    np.testing.assert_allclose(values, (np.pi * np.arange(4) / 5.0) ** 2, rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_energies_of_a_mesh_are_of_its_measure_whatever_its_scale(
    tmp_path: Path, scale: float
) -> None:
    (tmp_path / "square.obj").write_text(square(24, scale))
    domain = open_domain(CompressedModesDataset(mesh="square", measure=4.0), tmp_path)
    assert domain.path == tmp_path / "square.obj"
    assert domain.n * domain.spacing == pytest.approx(4.0)
    values = np.linalg.eigvalsh(domain.energy.toarray())[:3]
    # Of a square with sides of 2; equal vertices at its edge count for more than their area.
    np.testing.assert_allclose(values, np.array([0, 1, 1]) * (np.pi / 2) ** 2, rtol=0.1, atol=1e-9)


def test_a_mesh_without_area_is_refused(tmp_path: Path) -> None:
    lines = [f"v {x} 0 0" for x in range(5)] + [f"f {i} {i + 1} {i + 2}" for i in (1, 2, 3)]
    (tmp_path / "flat.obj").write_text("\n".join(lines))
    with pytest.raises(DataError, match=r"flat\.obj: found no triangle with .* and around 4 more"):
        open_domain(CompressedModesDataset(mesh="flat"), tmp_path)


def test_the_weight_makes_sums_of_absolute_values_integrals() -> None:
    """Of a constant mode psi = 1 / sqrt(M) on a line of length M, int |psi| = sqrt(M)."""
    domain = open_domain(CompressedModesDataset(line=77, measure=9.0), Path())
    mode = np.full(77, 77**-0.5)
    assert domain.weight(2.0) * np.abs(mode).sum() == pytest.approx(2.0 * 3.0)

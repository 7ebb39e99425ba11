from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from xcbench.data.surfaces.laplacian import cotangent_laplacian, line_laplacian, require_areas
from xcbench.data.surfaces.mesh import Mesh, find_mesh, read_obj
from xcbench.errors import DataError


def grid(width: int, rng: np.random.Generator) -> Mesh:
    """A planar mesh of a square with its points shaken."""
    x, y = np.meshgrid(np.arange(width), np.arange(width), indexing="ij")
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1).astype(np.float64)
    vertices[:, :2] += rng.uniform(-0.2, 0.2, (x.size, 2))
    at = np.arange(x.size).reshape(width, width)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return Mesh(vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def icosphere(rounds: int) -> Mesh:
    """The unit sphere: an icosahedron whose triangles are split in four again and again."""
    g = (1 + 5**0.5) / 2
    vertices = [(0, s, t * g) for s in (1, -1) for t in (1, -1)]
    points = np.array([v[i:] + v[:i] for v in vertices for i in range(3)], dtype=np.float64)
    points /= np.linalg.norm(points[0])
    near = np.isclose(points @ points.T, g / (1 + g * g))
    triangles = [
        (i, j, k)
        for i in range(12)
        for j in range(i)
        for k in range(j)
        if near[i, j] and near[j, k] and near[i, k]
    ]
    for _ in range(rounds):
        known: dict[tuple[int, int], int] = {}
        rows = list(points)

        def middle(i, j, known=known, rows=rows):
            key = (min(i, j), max(i, j))
            if key not in known:
                known[key] = len(rows)
                half = rows[i] + rows[j]
                rows.append(half / np.linalg.norm(half))
            return known[key]

        split = []
        for i, j, k in triangles:
            a, b, c = middle(i, j), middle(j, k), middle(k, i)
            split += [(i, a, c), (j, b, a), (k, c, b), (a, b, c)]
        points, triangles = np.array(rows), split
    return Mesh(points, np.array(triangles, dtype=np.int32))


def test_the_line_has_the_eigenvalues_of_its_closed_form() -> None:
    n = 12
    laplacian = line_laplacian(n)
    assert laplacian.nnz == 3 * n - 2
    expected = 2 - 2 * np.cos(np.pi * np.arange(n) / n)
    np.testing.assert_allclose(np.linalg.eigvalsh(laplacian.toarray()), expected, atol=1e-12)


def test_the_line_needs_two_vertices() -> None:
    with pytest.raises(ValueError, match="n is 1"):
        line_laplacian(1)


def test_weights_and_areas_are_those_of_angles_taken_one_by_one() -> None:
    rng = np.random.default_rng(0)
    mesh = Mesh(rng.standard_normal((7, 3)), np.array([[0, 1, 2], [2, 1, 3], [4, 5, 6], [0, 2, 6]]))
    stiffness, areas = np.zeros((7, 7)), np.zeros(7)
    for triangle in mesh.triangles:
        for turn in range(3):
            a, b, c = np.roll(triangle, turn)
            p, q = mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]
            angle = np.arccos(p @ q / np.linalg.norm(p) / np.linalg.norm(q))
            half = 0.5 / np.tan(angle)
            stiffness[b, c] -= half
            stiffness[c, b] -= half
            stiffness[[b, c], [b, c]] += half
            areas[a] += np.linalg.norm(p) * np.linalg.norm(q) * np.sin(angle) / 6
    found, found_areas = cotangent_laplacian(mesh)
    np.testing.assert_allclose(found.toarray(), stiffness, atol=1e-12)
    np.testing.assert_allclose(found_areas, areas, atol=1e-12)


def test_energy_is_the_integral_of_the_squared_gradient() -> None:
    """Of a linear function on a planar mesh: its squared slope times the area."""
    mesh = grid(6, np.random.default_rng(1))
    stiffness, areas = cotangent_laplacian(mesh)
    slope = np.array([0.3, -2.0, 0.0])
    values = mesh.vertices @ slope
    assert values @ stiffness @ values == pytest.approx(slope @ slope * areas.sum())


def test_linear_functions_are_harmonic_inside() -> None:
    mesh = grid(6, np.random.default_rng(2))
    stiffness, _ = cotangent_laplacian(mesh)
    image = (stiffness @ (mesh.vertices @ [1.0, 2.0, 0.0])).reshape(6, 6)
    np.testing.assert_allclose(image[1:-1, 1:-1], 0.0, atol=1e-12)
    assert np.abs(image[0]).max() > 0.1


def test_symmetric_semidefinite_and_blind_to_constants() -> None:
    rng = np.random.default_rng(3)
    vertices = rng.standard_normal((30, 3))  # angles of all sorts, obtuse ones too
    triangles = np.array([rng.permutation(30)[:3] for _ in range(60)])
    stiffness, areas = cotangent_laplacian(Mesh(vertices, triangles))
    assert abs(stiffness - stiffness.T).max() == 0
    np.testing.assert_allclose(stiffness @ np.ones(30), 0.0, atol=1e-11)
    assert np.linalg.eigvalsh(stiffness.toarray())[0] > -1e-11
    assert np.all(areas >= 0)


def test_a_triangle_without_area_is_left_out() -> None:
    mesh = grid(4, np.random.default_rng(4))
    flat = np.concatenate([mesh.vertices, 2 * mesh.vertices[1:2] - mesh.vertices[:1]])
    with_flat = Mesh(flat, np.concatenate([mesh.triangles, [[0, 1, 16]]]))
    found, areas = cotangent_laplacian(with_flat)
    expected, expected_areas = cotangent_laplacian(mesh)
    np.testing.assert_array_equal(found.toarray()[:16, :16], expected.toarray())
    assert areas.tolist() == [*expected_areas, 0.0]
    require_areas(mesh, expected_areas, "grid")
    place = ", ".join(f"{x:g}" for x in flat[16])
    with pytest.raises(DataError) as caught:
        require_areas(with_flat, areas, "grid")
    expected_text = f"grid: found no triangle with an area around the vertex at ({place}); expected"
    assert str(caught.value).startswith(expected_text)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_meshes_of_any_size_a_file_may_have_have_areas(size: float) -> None:
    mesh = grid(4, np.random.default_rng(5))
    expected, expected_areas = cotangent_laplacian(mesh)
    found, areas = cotangent_laplacian(Mesh(size * mesh.vertices, mesh.triangles))
    np.testing.assert_allclose(areas, size**2 * expected_areas)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)


def test_the_sphere_has_the_eigenvalues_of_spherical_harmonics() -> None:
    stiffness, areas = cotangent_laplacian(icosphere(3))
    assert areas.sum() == pytest.approx(4 * np.pi, rel=0.01)
    values = eigh(stiffness.toarray(), np.diag(areas), eigvals_only=True, subset_by_index=(0, 15))
    expected = np.repeat([0, 2, 6, 12], [1, 3, 5, 7])
    np.testing.assert_allclose(values, expected, rtol=0.02, atol=1e-10)


@pytest.mark.realdata
def test_a_closed_mesh_has_one_constant(data_root: Path) -> None:
    stiffness, areas = cotangent_laplacian(read_obj(find_mesh("meshes/spot", data_root)))
    values = eigsh(stiffness, k=2, sigma=-1e-3, return_eigenvectors=False)
    assert abs(values).min() < 1e-10
    assert abs(values).max() > 1e-4
    assert areas.min() > 0

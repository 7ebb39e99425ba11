"""Poses with their bases, and the functions matched on them."""

import numpy as np
import pytest
from scipy import linalg

from tests.tasks.functional_correspondence.conftest import scene_of
from xcbench.data.surfaces.deformation import edge_graph
from xcbench.data.surfaces.laplacian import cotangent_laplacian
from xcbench.data.surfaces.mesh import Mesh
from xcbench.tasks.functional_correspondence.shapes import (
    distances_from,
    farthest_points,
    laplacian_basis,
    pieces,
)


def test_bases_are_the_first_eigenvectors_and_orthonormal_under_the_areas(contaminated):
    for shape in contaminated.shapes:
        stiffness, areas = cotangent_laplacian(shape.mesh)
        gram = shape.basis.T @ (areas[:, None] * shape.basis)
        np.testing.assert_allclose(gram, np.eye(12), atol=1e-10)
        expected = linalg.eigh(
            stiffness.toarray(), np.diag(areas), eigvals_only=True, subset_by_index=(0, 11)
        )
        np.testing.assert_allclose(shape.eigenvalues, expected, atol=1e-8)
        energy = shape.basis.T @ (stiffness @ shape.basis)
        np.testing.assert_allclose(energy, np.diag(expected), atol=1e-8)
        assert areas.sum() == pytest.approx(1.0)


def test_a_basis_is_the_same_every_time(sphere):
    first, second = laplacian_basis(sphere, 8)[0], laplacian_basis(sphere, 8)[0]
    np.testing.assert_array_equal(first, second)


def test_the_truth_leads_to_the_same_place(sphere, isometric):
    lengths = [
        np.linalg.norm(s.mesh.vertices[s.places[:-1]] - s.mesh.vertices[s.places[1:]], axis=1)
        for s in isometric.shapes
    ]
    np.testing.assert_allclose(lengths[0], lengths[1])
    for shape in isometric.shapes:
        np.testing.assert_array_equal(shape.original[shape.places], np.arange(len(shape.places)))
        assert (shape.original != np.arange(len(shape.places))).mean() > 0.9
        assert shape.distortion < 1e-12
    assert (isometric.shapes[0].original != isometric.shapes[1].original).any()


def test_functions_are_heat_around_one_place_but_for_the_outliers(sphere):
    scene = scene_of(sphere, shapes=3, deformation=0.2, outliers=15.0)
    matches, shapes = scene.matches, scene.shapes
    assert matches.outliers.sum(axis=1).tolist() == [3, 3, 3]
    time = 1.0 / np.mean([shape.eigenvalues[-1] for shape in shapes])
    heat = [np.exp(-time * shape.eigenvalues) * shape.basis for shape in shapes]
    for pair, (i, j) in enumerate(zip(matches.first, matches.second, strict=True)):
        for f in range(20):
            place = np.flatnonzero((heat[i] == matches.F[pair, f]).all(axis=1))
            image = np.flatnonzero((heat[j] == matches.G[pair, f]).all(axis=1))
            same = shapes[i].original[place] == shapes[j].original[image]
            assert same.tolist() == [not matches.outliers[pair, f]]


def test_diffused_coefficients_are_those_of_a_heat_equation(sphere, isometric):
    """Against implicit time steps of the dense equation areas u' = -stiffness u from a point."""
    shape, matches = isometric.shapes[0], isometric.matches
    stiffness, areas = cotangent_laplacian(shape.mesh)
    time = 1.0 / np.mean([s.eigenvalues[-1] for s in isometric.shapes])
    seed = int(np.argmin(np.abs(shape.basis * np.exp(-time * shape.eigenvalues)
                                - matches.F[0, 0]).max(axis=1)))  # fmt: skip
    u = np.zeros(len(areas))
    u[seed] = 1.0 / areas[seed]
    steps = 400
    step = linalg.inv(np.diag(areas) + time / steps * stiffness.toarray()) * areas
    for _ in range(steps):
        u = step @ u
    np.testing.assert_allclose(shape.basis.T @ (areas * u), matches.F[0, 0], atol=0.01)


def test_more_shapes_leave_the_first_ones_as_they_are(sphere):
    two, three = (scene_of(sphere, shapes=count, deformation=0.5) for count in (2, 3))
    for a, b in zip(two.shapes, three.shapes, strict=False):
        np.testing.assert_array_equal(a.mesh.vertices, b.mesh.vertices)
    np.testing.assert_array_equal(two.points, three.points)


def test_farthest_points_are_farthest(sphere):
    graph = edge_graph(sphere)
    chosen = farthest_points(graph, 10, 5)
    away = distances_from(graph, chosen)
    assert chosen[0] == 5
    for i in range(1, 10):
        nearest = away[:i].min(axis=0)
        assert nearest[chosen[i]] == nearest.max()


def test_paths_along_a_strip_have_the_lengths_of_its_edges():
    vertices = np.array([[i / 2, i % 2, 0.0] for i in range(6)])
    strip = Mesh(vertices, np.array([[i, i + 1, i + 2] for i in range(4)], np.int32))
    np.testing.assert_allclose(
        distances_from(edge_graph(strip), np.array([0]))[0, [0, 1, 2, 4]],
        [0.0, np.hypot(0.5, 1), 1.0, 2.0],
    )


def test_pieces_are_counted(sphere):
    n = len(sphere.vertices)
    twice = Mesh(
        np.vstack([sphere.vertices, sphere.vertices + 5.0]),
        np.vstack([sphere.triangles, sphere.triangles + np.int32(n)]),
    )
    assert (pieces(sphere), pieces(twice)) == (1, 2)

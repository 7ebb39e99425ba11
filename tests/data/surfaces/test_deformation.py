"""Poses of a mesh: how near to isometric they are, and that a numbering tells nothing."""

import numpy as np
import pytest

from xcbench.data.surfaces.deformation import (
    _bent,
    _twisted,
    deformed,
    edge_distortion,
    edge_graph,
    edges_of,
    renumbered,
)
from xcbench.data.surfaces.mesh import Mesh


def sheet(n: int = 9) -> Mesh:
    """A flat square of n x n vertices, side 1."""
    x, y = (grid.ravel() for grid in np.meshgrid(*[np.linspace(0.0, 1.0, n)] * 2))
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + n + 1])
    upper = np.column_stack([corner, corner + n + 1, corner + n])
    vertices = np.column_stack([x, y, np.zeros(n * n)])
    return Mesh(vertices, np.vstack([lower, upper]).astype(np.int32))


def test_strength_0_turns_and_shifts_only():
    mesh = sheet()
    pose = deformed(mesh, 0.0, np.random.default_rng(0))
    assert edge_distortion(mesh, pose) < 1e-12
    ends = (mesh.vertices[0] - mesh.vertices[-1], pose.vertices[0] - pose.vertices[-1])
    assert np.linalg.norm(ends[0]) == pytest.approx(np.linalg.norm(ends[1]))
    assert np.abs(ends[0] - ends[1]).max() > 0.1


def test_a_pose_keeps_the_inside_inside():
    mesh = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3]], np.int32))
    for seed in range(8):
        pose = deformed(mesh, 0.0, np.random.default_rng(seed)).vertices
        assert np.linalg.det(pose[1:] - pose[0]) == pytest.approx(1.0)


def test_distortion_grows_with_strength_and_stays_small():
    mesh = sheet()
    found = [
        np.mean([edge_distortion(mesh, deformed(mesh, s, np.random.default_rng(i)))
                 for i in range(8)])
        for s in (0.1, 0.3, 1.0)
    ]  # fmt: skip
    assert 0.0 < found[0] < found[1] < found[2] < 0.2


def test_the_distortion_of_a_mesh_twice_as_large_is_1():
    mesh = sheet()
    assert edge_distortion(mesh, Mesh(2.0 * mesh.vertices, mesh.triangles)) == pytest.approx(1.0)


def test_bending_keeps_the_neutral_axis_length_and_turns_its_end():
    z = np.linspace(-0.5, 0.5, 401)
    arc = _bent(np.column_stack([0 * z, 0 * z, z]), 1.2)
    assert np.linalg.norm(np.diff(arc, axis=0), axis=1).sum() == pytest.approx(1.0, abs=1e-5)
    ends = np.diff(arc, axis=0)[[0, -1]]
    cosine = ends[0] @ ends[1] / np.prod(np.linalg.norm(ends, axis=1))
    assert np.arccos(cosine) == pytest.approx(1.2, abs=0.01)


def test_thickness_stays_square_to_a_bent_axis():
    step = 1e-5
    points = np.array([[0.0, 0.0, 0.3], [step, 0.0, 0.3], [0.0, 0.0, 0.3 + step]])
    bent = _bent(points, 1.2)
    across, along = bent[1] - bent[0], bent[2] - bent[0]
    assert abs(across @ along) < 1e-3 * step**2
    assert np.linalg.norm(across) == pytest.approx(step)


def test_twisting_turns_slices_against_each_other():
    points = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    low, high = _twisted(points, np.pi / 2)
    np.testing.assert_allclose(low, [1.0, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(high, [0.0, 1.0, 1.0], atol=1e-15)


def test_another_numbering_is_the_same_surface_and_leaks_no_order():
    mesh = sheet(5)
    order = np.random.default_rng(1).permutation(len(mesh.vertices))
    other = renumbered(mesh, order)
    np.testing.assert_array_equal(other.vertices, mesh.vertices[order])
    np.testing.assert_allclose(
        edge_graph(other).toarray() + edge_graph(other).toarray().T,
        (edge_graph(mesh).toarray() + edge_graph(mesh).toarray().T)[np.ix_(order, order)],
    )
    # Whatever order the triangles had before, they come out alike; normals keep their side.
    shuffled = Mesh(mesh.vertices, np.roll(mesh.triangles, 1, axis=1)[::-1])
    np.testing.assert_array_equal(renumbered(shuffled, order).triangles, other.triangles)
    corners = other.corners
    assert (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0).all()


def test_each_edge_is_listed_once():
    edges, lengths = edges_of(sheet(3))
    assert len(edges) == 12 + 4
    assert len({tuple(edge) for edge in edges.tolist()}) == len(edges)
    assert sorted(set(np.round(lengths, 12))) == [0.5, round(0.5**0.5, 12)]


def test_the_same_seed_gives_the_same_pose():
    first, second, other = (
        deformed(sheet(), 1.0, np.random.default_rng(seed)).vertices for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - other).max() > 0.01

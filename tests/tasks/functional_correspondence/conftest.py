"""A small surface without symmetries, its poses, and matches on them."""

from __future__ import annotations

import numpy as np
import pytest

from xcbench.config.functional_correspondence import (
    FunctionalCorrespondenceDataset,
    FunctionalCorrespondenceTask,
)
from xcbench.data.surfaces.mesh import Mesh
from xcbench.tasks.functional_correspondence import Scene, make_scene
from xcbench.tasks.functional_correspondence.problem import CoupledDiagonalisation

BASIS = 12


def bumpy_sphere(rings: int = 16, around: int = 24) -> Mesh:
    """A sphere of parallels and meridians, with bumps that no symmetry maps to one another."""
    heights = np.linspace(0.0, np.pi, rings + 2)[1:-1]
    angles = np.arange(around) * 2.0 * np.pi / around
    theta, phi = (grid.ravel() for grid in np.meshgrid(heights, angles, indexing="ij"))
    ring = np.column_stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)]
    )
    points = np.vstack([ring, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    centres = np.random.default_rng(4).standard_normal((5, 3))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    bumps = np.exp(6.0 * (points @ centres.T - 1.0)) @ np.array([0.9, 0.6, -0.4, 0.5, 0.3])
    points = points * (1.0 + bumps)[:, None] * [1.0, 1.3, 1.7]

    def at(i: int, j: int) -> int:
        return i * around + j % around

    north, south = rings * around, rings * around + 1
    faces = [(north, at(0, j), at(0, j + 1)) for j in range(around)]
    faces += [(south, at(rings - 1, j + 1), at(rings - 1, j)) for j in range(around)]
    for i in range(rings - 1):
        for j in range(around):
            faces.append((at(i, j), at(i + 1, j), at(i + 1, j + 1)))
            faces.append((at(i, j), at(i + 1, j + 1), at(i, j + 1)))
    return Mesh(points, np.array(faces, dtype=np.int32))


def scene_of(
    mesh: Mesh, shapes: int = 2, deformation: float = 0.0, outliers: float = 0.0, seed: int = 0
) -> Scene:
    """Poses and matches as a job makes them, with a basis of 12 and 20 functions."""
    task = FunctionalCorrespondenceTask(
        basis=BASIS, functions=20, outliers=(outliers,), points=len(mesh.vertices)
    )
    dataset = FunctionalCorrespondenceDataset(
        mesh="made-up", shapes=shapes, deformation=deformation
    )
    return make_scene(mesh, task, dataset, seed)


def problem_of(scene: Scene, mu: float = 30.0) -> CoupledDiagonalisation:
    """Coupled diagonalisation of a scene."""
    eigenvalues = np.stack([shape.eigenvalues for shape in scene.shapes])
    return CoupledDiagonalisation(scene.matches, eigenvalues, mu)


@pytest.fixture(scope="session")
def sphere() -> Mesh:
    return bumpy_sphere()


@pytest.fixture(scope="session")
def isometric(sphere: Mesh) -> Scene:
    """Two copies that are only turned and renumbered, and no wrong match."""
    return scene_of(sphere)


@pytest.fixture(scope="session")
def contaminated(sphere: Mesh) -> Scene:
    """Three poses with three of twenty functions matched wrongly."""
    return scene_of(sphere, shapes=3, deformation=0.3, outliers=15.0)

"""Made-up poses of a mesh: bent, twisted and waved, nearly isometric, vertex for vertex known."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.data.surfaces.mesh import Mesh

# At strength 1: the most one end turns against the other (radians), and the standard deviation of
# the waves' slope.
_BEND, _TWIST, _SLOPE = 1.0, 1.0, 0.2
_WAVES = 8


def deformed(mesh: Mesh, strength: float, rng: np.random.Generator) -> Mesh:
    """A random pose of ``mesh``: vertex i stays vertex i.

    Along a random axis the mesh is twisted, then bent along one square to it (lengths of the
    neutral axis stay), then moved by a sum of long waves, and last turned and shifted as a whole.

    Parameters
    ----------
    mesh : Mesh
    strength : float
        0 only turns and shifts, which is an isometry; ``edge_distortion`` tells how far others
        are from one.
    rng : Generator
    """
    points = mesh.vertices - mesh.vertices.mean(axis=0)
    size = np.ptp(points, axis=0).max()
    points = _turned(points / size, rng)
    points = _twisted(points, strength * _TWIST * rng.uniform(-1.0, 1.0))
    points = _bent(_turned(points, rng), strength * _BEND * rng.uniform(-1.0, 1.0))
    points = points + strength * _waves(points, rng)
    points = _turned(points, rng) + rng.standard_normal(3)
    return Mesh(size * points, mesh.triangles)


def renumbered(mesh: Mesh, order: np.ndarray) -> Mesh:
    """The same surface with vertex ``order[i]`` as vertex i; the triangles' order shows nothing.

    Parameters
    ----------
    mesh : Mesh
    order : ndarray of int, shape (n,)
        A permutation.
    """
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    triangles = places[mesh.triangles]
    # Each triangle starts at its smallest vertex (the turning sense stays), and they are sorted.
    first = np.argmin(triangles, axis=1)[:, None]
    triangles = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
    return Mesh(mesh.vertices[order], triangles[np.lexsort(triangles.T[::-1])])


def edges_of(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Edges of the triangles, each once.

    Returns
    -------
    edges : ndarray of int32, shape (e, 2)
        Vertex numbers, the smaller one first; in ascending order.
    lengths : ndarray of float64, shape (e,)
    """
    pairs = mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    edges = np.unique(np.sort(pairs, axis=1), axis=0)
    ends = mesh.vertices[edges]
    return edges, np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def edge_graph(mesh: Mesh) -> sparse.csr_array:
    """Lengths of the edges as a weighted graph, float64 (n, n), each edge stored once."""
    edges, lengths = edges_of(mesh)
    n = len(mesh.vertices)
    return sparse.coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()


def edge_distortion(mesh: Mesh, other: Mesh) -> float:
    """Mean |l' / l - 1| over the edges of two poses with one numbering; 0 for an isometry."""
    before, after = edges_of(mesh)[1], edges_of(other)[1]
    used = before > 0
    return float(np.mean(np.abs(after[used] / before[used] - 1.0)))


def _turned(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turned by a uniformly random rotation."""
    basis, triangular = np.linalg.qr(rng.standard_normal((3, 3)))
    basis *= np.sign(np.diag(triangular))
    # A reflection would turn the inside out.
    basis[:, 0] *= np.linalg.det(basis)
    found: np.ndarray = points @ basis
    return found


def _twisted(points: np.ndarray, angle: float) -> np.ndarray:
    """Slices square to the last axis turned about it, by ``angle`` more a unit of length."""
    x, y, z = points.T
    cosine, sine = np.cos(angle * z), np.sin(angle * z)
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y, z])


def _bent(points: np.ndarray, angle: float) -> np.ndarray:
    """The last axis bent to an arc of ``angle`` a unit of length, in the plane of the first."""
    x, y, z = points.T
    turn = angle * z
    # sinc and sin^2(a/2)/a hold at angle 0 as well, where the arc is the straight line.
    along = z * np.sinc(turn / np.pi)
    across = 0.5 * angle * (z * np.sinc(turn / (2.0 * np.pi))) ** 2
    return np.column_stack([across + x * np.cos(turn), y, along - x * np.sin(turn)])


def _waves(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Displacements: a few sine waves of about the size of the whole."""
    frequencies = rng.normal(scale=np.pi, size=(_WAVES, 3))
    phases = rng.uniform(0.0, 2.0 * np.pi, size=_WAVES)
    directions = rng.standard_normal((_WAVES, 3))
    # Divided by its frequency, so that a wave's slope (what stretches) does not grow with it.
    directions *= _SLOPE / (np.linalg.norm(frequencies, axis=1, keepdims=True) * _WAVES**0.5)
    displacements: np.ndarray = np.sin(points @ frequencies.T + phases) @ directions
    return displacements

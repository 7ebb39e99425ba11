"""The shapes of a job: poses of one mesh, renumbered, each with its Laplacian eigenbasis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.sparse.linalg import eigsh

from xcbench.data.surfaces.deformation import deformed, edge_distortion, edge_graph, renumbered
from xcbench.data.surfaces.laplacian import cotangent_laplacian, require_areas
from xcbench.data.surfaces.mesh import Mesh

# Of the inverted operator: the stiffness alone is singular.
_SHIFT = -0.1


@dataclass(frozen=True, eq=False)
class Shape:
    """A surface of unit area with the first k eigenvectors of its Laplacian.

    Attributes
    ----------
    mesh : Mesh
        Scaled to area 1.
    original : ndarray of int64, shape (n,)
        The truth: vertex i is vertex ``original[i]`` of the mesh all shapes are poses of.
    basis : ndarray of float64, shape (n, k)
        Phi, orthonormal under the areas around the vertices; sign and order of the columns are
        as the eigensolver gives them.
    eigenvalues : ndarray of float64, shape (k,)
        Ascending, from about 0.
    distortion : float
        See ``edge_distortion``, against the mesh.
    """

    mesh: Mesh
    original: np.ndarray
    basis: np.ndarray
    eigenvalues: np.ndarray
    distortion: float

    @cached_property
    def places(self) -> np.ndarray:
        """The truth the other way round: vertex of this shape for each one of the mesh."""
        return np.argsort(self.original)

    @cached_property
    def graph(self) -> sparse.csr_array:
        """Lengths of the edges, for shortest paths."""
        return edge_graph(self.mesh)


def make_shape(mesh: Mesh, strength: float, size: int, rng: np.random.Generator) -> Shape:
    """A random pose of ``mesh`` in a random numbering, with a basis of ``size`` vectors."""
    pose = deformed(mesh, strength, rng)
    order = rng.permutation(len(mesh.vertices))
    distortion = edge_distortion(mesh, pose)
    pose = of_unit_area(renumbered(pose, order))
    return Shape(pose, order, *laplacian_basis(pose, size), distortion)


def of_unit_area(mesh: Mesh) -> Mesh:
    """The mesh scaled so that its triangles' areas add up to 1.

    Raises
    ------
    DataError
        A vertex has no area around it, as deformation may leave next to none of a small one.
    """
    areas = cotangent_laplacian(mesh)[1]
    require_areas(mesh, areas, "a pose")
    area = areas.sum()
    return Mesh(mesh.vertices / area**0.5, mesh.triangles)


def laplacian_basis(mesh: Mesh, size: int) -> tuple[np.ndarray, np.ndarray]:
    """First eigenvectors of the cotangent Laplacian and their eigenvalues.

    Returns
    -------
    basis : ndarray of float64, shape (n, size)
        Phi^T diag(areas) Phi = I.
    eigenvalues : ndarray of float64, shape (size,)
    """
    stiffness, areas = cotangent_laplacian(mesh)
    # The solver's own start would be random. Not constant, as that is an eigenvector.
    start = np.random.default_rng(0).standard_normal(len(areas))
    values, vectors = eigsh(
        stiffness.tocsc(), size, sparse.diags_array(areas).tocsc(), sigma=_SHIFT, v0=start
    )
    order = np.argsort(values, kind="stable")
    return np.ascontiguousarray(vectors[:, order]), values[order]


def pieces(mesh: Mesh) -> int:
    """Number of parts no edge joins."""
    return int(connected_components(edge_graph(mesh), directed=False)[0])


def distances_from(graph: sparse.csr_array, sources: np.ndarray) -> np.ndarray:
    """Lengths of shortest paths along the edges (Dijkstra) from each source, (sources, n).

    ``graph`` is an ``edge_graph``. Never below the geodesic distance on the surface; above it by
    some per cent, since paths cannot cross triangles.
    """
    return np.asarray(dijkstra(graph, directed=False, indices=sources))


def farthest_points(graph: sparse.csr_array, count: int, first: int) -> np.ndarray:
    """Vertices spread over a mesh, int64 (count,): each the farthest from those before it.

    ``graph`` is the mesh's ``edge_graph``.
    """
    chosen = np.empty(count, dtype=np.int64)
    nearest = np.full(graph.shape[0], np.inf)
    chosen[0] = first
    for i in range(count):
        if i:
            chosen[i] = np.argmax(nearest)
        away = dijkstra(graph, directed=False, indices=chosen[i])
        np.minimum(nearest, away, out=nearest)
    return chosen

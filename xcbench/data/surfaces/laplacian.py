"""Laplacians of the line and of triangle meshes, as sparse symmetric matrices."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.data.surfaces.mesh import Mesh
from xcbench.errors import DataError


def line_laplacian(n: int) -> sparse.csr_array:
    """Graph Laplacian of n vertices in a line: degree minus adjacency, float64 (n, n).

    Its eigenvalues are 2 - 2 cos(pi j / n) for j from 0 to n - 1, as the ends are free.
    """
    if n < 2:
        raise ValueError(f"n is {n}; expected at least 2")
    degree = np.full(n, 2.0)
    degree[[0, -1]] = 1.0
    side = np.full(n - 1, -1.0)
    return sparse.csr_array(sparse.diags_array([side, degree, side], offsets=[-1, 0, 1]))


def cotangent_laplacian(mesh: Mesh) -> tuple[sparse.csr_array, np.ndarray]:
    """Stiffness and areas of linear finite elements on a mesh.

    f^T L f is the Dirichlet energy of the function that is linear on every triangle with values f
    at the vertices, so L is positive semidefinite, and its rows add up to zero. The entry of an
    edge is -(cot a + cot b) / 2 of the angles opposite to it (Pinkall and Polthier, "Computing
    discrete minimal surfaces and their conjugates", 1993). Generalised eigenvalues L f = l A f
    with A = diag(areas) stand for those of the surface's Laplacian.

    Parameters
    ----------
    mesh : Mesh
        A triangle without area has angles of no cotangent; it is left out.

    Returns
    -------
    stiffness : csr_array of float64, shape (n, n)
        Symmetric.
    areas : ndarray of float64, shape (n,)
        A third of the area of the triangles around each vertex; they add up to the mesh's.
    """
    n = mesh.vertices.shape[0]
    corners = mesh.corners
    # The edge opposite to corner i, from corner i + 1 to corner i + 2.
    edges = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    doubled = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    # An area lost in the rounding of the coordinates makes a cotangent of any size.
    longest = np.max(np.sum(edges**2, axis=2), axis=1)
    kept = doubled > 4 * np.finfo(np.float64).eps * longest
    edges, doubled, triangles = edges[kept], doubled[kept], mesh.triangles[kept]

    before, after = np.roll(edges, -2, axis=1), np.roll(edges, -1, axis=1)
    cotangents = -np.sum(before * after, axis=2) / doubled[:, None]
    tails, heads = np.roll(triangles, -1, axis=1), np.roll(triangles, -2, axis=1)
    weights = sparse.coo_array(
        (0.5 * cotangents.ravel(), (tails.ravel(), heads.ravel())), shape=(n, n)
    ).tocsr()
    weights = weights + weights.T
    stiffness = sparse.csr_array(sparse.diags_array(weights.sum(axis=1)) - weights)
    areas = np.bincount(triangles.ravel(), np.repeat(doubled / 6.0, 3), minlength=n)
    return stiffness, areas


def require_areas(mesh: Mesh, areas: np.ndarray, name: object) -> None:
    """Refuse a surface with a vertex that stands for no part of it.

    Its row of the stiffness is 0, as if it were a piece of its own.

    Parameters
    ----------
    mesh : Mesh
    areas : ndarray of float64, shape (n,)
        As ``cotangent_laplacian`` gives them.
    name : path or str
        What the message calls the mesh.

    Raises
    ------
    DataError
        Names the first such vertex by its place.
    """
    bare = np.flatnonzero(areas == 0)
    if bare.size:
        place = ", ".join(f"{x:g}" for x in mesh.vertices[bare[0]])
        others = f" and around {bare.size - 1} more" if bare.size > 1 else ""
        raise DataError(
            f"{name}: found no triangle with an area around the vertex at ({place}){others}; "
            "expected one around each"
        )

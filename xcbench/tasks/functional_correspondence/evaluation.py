"""From coupled bases to maps of vertices, and how far these are from the truth.

The protocol is that of Kim, Lipman and Funkhouser, "Blended intrinsic maps" (2011), known as
Princeton's: the geodesic distance between a vertex' image and its true place, over the square root
of the surface's area, and the share of vertices for which it is within a radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from scipy.spatial import cKDTree

from xcbench.tasks.functional_correspondence.problem import Bases
from xcbench.tasks.functional_correspondence.shapes import Shape, distances_from

RADII = np.linspace(0.0, 0.5, 101)
# Sources of shortest paths at a time, which bounds the memory on large meshes.
BLOCK = 64


def both_ways(count: int) -> np.ndarray:
    """From which shape to which: all pairs of different ones, int64 (p, 2)."""
    return np.array(list(permutations(range(count), 2)))


def maps_between(
    shapes: Sequence[Shape], bases: Bases, pairs: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Map vertices from one shape to another.

    The image of a vertex is the nearest row of Phi_j X_j to its row of Phi_i X_i: where
    Phi_j X_j X_i^T Phi_i^T, the map of functions, has moved most of its point mass to, but for the
    lengths of rows.

    Parameters
    ----------
    shapes : sequence of Shape
    bases : tuple of ndarray, each (k, k)
        X_i.
    pairs : ndarray of int, shape (p, 2)
        Which i and j.
    points : ndarray of int, shape (s,)
        Vertices of the mesh the shapes are poses of.

    Returns
    -------
    ndarray of int32, shape (p, s)
        Of shape i's vertex for each point, the image on shape j.
    """
    coupled = [shape.basis @ X for shape, X in zip(shapes, bases, strict=True)]
    trees = {j: cKDTree(coupled[j]) for j in np.unique(pairs[:, 1])}
    maps = [trees[j].query(coupled[i][shapes[i].places[points]])[1] for i, j in pairs]
    return np.array(maps, dtype=np.int32)


def map_errors(
    shapes: Sequence[Shape], pairs: np.ndarray, maps: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Geodesic distance of every image from its true place, float64 (p, s).

    Shapes have unit area, so that distances are shares of its square root already.
    """
    errors = np.empty(maps.shape)
    for j, shape in enumerate(shapes):
        towards = np.flatnonzero(pairs[:, 1] == j)
        truth = shape.places[points]
        for begin in range(0, len(points), BLOCK):
            block = slice(begin, begin + BLOCK)
            distances = distances_from(shape.graph, truth[block])
            errors[towards, block] = distances[np.arange(len(distances)), maps[towards, block]]
    return errors


def share_within(errors: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Percent of all errors that are at most each radius."""
    ordered = np.sort(errors, axis=None)
    share: np.ndarray = 100.0 * np.searchsorted(ordered, radii, side="right") / ordered.size
    return share

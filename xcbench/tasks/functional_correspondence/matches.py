"""Corresponding functions on pairs of shapes, some of them matched wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from xcbench.data.surfaces.deformation import edge_graph
from xcbench.data.surfaces.mesh import Mesh
from xcbench.tasks.functional_correspondence.shapes import Shape, farthest_points


@dataclass(frozen=True, eq=False)
class Matches:
    """Coefficients of q corresponding functions on each of p pairs of shapes.

    Attributes
    ----------
    first, second : ndarray of int64, shape (p,)
        Numbers of the shapes of a pair, the smaller one first.
    F, G : ndarray of float64, shape (p, q, k)
        Row f of pair p: inner products of function f with the basis on the first and the second
        shape, F^T Phi and G^T Phi of the paper.
    outliers : ndarray of bool, shape (p, q)
        Which are matched to a wrong place.
    """

    first: np.ndarray
    second: np.ndarray
    F: np.ndarray
    G: np.ndarray
    outliers: np.ndarray


def make_matches(
    mesh: Mesh,
    shapes: Sequence[Shape],
    count: int,
    outliers: float,
    diffusion: float,
    rng: np.random.Generator,
) -> Matches:
    """Heat that has spread from ``count`` seeds of the mesh, anew for every pair of its poses.

    After time t the heat that was put on a vertex has the inner products exp(-t lambda) phi with
    the basis, phi the basis' values there. The seeds are farthest points from a random first one;
    of those a share is matched to a vertex drawn at random from the whole second shape.

    Parameters
    ----------
    mesh : Mesh
    shapes : sequence of Shape
        Poses of ``mesh``.
    count : int
        q, at most the number of vertices.
    outliers : float
        Percent of the functions of each pair, rounded to whole functions.
    diffusion : float
        The time t as a multiple of 1 / (mean of the shapes' largest eigenvalues): 0 leaves point
        masses, in which all eigenvectors count alike; more makes the upper ones count less.
    rng : Generator
    """
    time = diffusion / float(np.mean([shape.eigenvalues[-1] for shape in shapes]))
    heat = [np.exp(-time * shape.eigenvalues) * shape.basis for shape in shapes]
    n, wrong = len(mesh.vertices), round(count * outliers / 100.0)
    pairs = np.array(list(combinations(range(len(shapes)), 2)))
    graph = edge_graph(mesh)
    F, G, flags = [], [], np.zeros((len(pairs), count), dtype=bool)
    for pair, (i, j) in enumerate(pairs):
        seeds = farthest_points(graph, count, int(rng.integers(n)))
        targets = seeds.copy()
        flags[pair, rng.permutation(count)[:wrong]] = True
        targets[flags[pair]] = rng.integers(n, size=wrong)
        F.append(heat[i][shapes[i].places[seeds]])
        G.append(heat[j][shapes[j].places[targets]])
    return Matches(pairs[:, 0], pairs[:, 1], np.stack(F), np.stack(G), flags)

"""Functional correspondence: several poses of a mesh, matched by coupled Laplacian eigenbases.

The second application of the MADMM paper, on made-up poses of which the truth is known. Everything
random comes from the job's seed alone, so that methods meet the same poses and matches.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from xcbench.config.functional_correspondence import (
    FunctionalCorrespondenceDataset,
    FunctionalCorrespondenceTask,
)
from xcbench.data.surfaces.laplacian import cotangent_laplacian, require_areas
from xcbench.data.surfaces.mesh import Mesh, find_mesh, read_obj
from xcbench.errors import DataError
from xcbench.models.memory import MemoryEstimate, Stage
from xcbench.tasks.base import Outcome, Sizes, TaskData, digest, read_sources, save_arrays
from xcbench.tasks.functional_correspondence.evaluation import (
    BLOCK,
    RADII,
    both_ways,
    map_errors,
    maps_between,
    share_within,
)
from xcbench.tasks.functional_correspondence.matches import Matches, make_matches
from xcbench.tasks.functional_correspondence.problem import CoupledDiagonalisation
from xcbench.tasks.functional_correspondence.shapes import Shape, make_shape, pieces
from xcbench.tasks.functional_correspondence.solvers import solve

NEAR = 0.05
_ADVICE = "fewer shapes, a smaller basis or a mesh of fewer vertices"


class Scene(NamedTuple):
    """What a job's methods are given, and the vertices they are judged by.

    These are drawn from all vertices; those that functions were matched at are among them, with
    their share of the mesh.
    """

    shapes: list[Shape]
    matches: Matches
    points: np.ndarray


def open_data(dataset: FunctionalCorrespondenceDataset, data_root: Path, split: int) -> TaskData:
    """Read the mesh; ``split`` has no meaning here.

    Raises
    ------
    DataError
        The mesh is missing, malformed, in several pieces, or a vertex has no area around it.
    """
    path = find_mesh(dataset.mesh, data_root)
    mesh = read_obj(path)
    parts = pieces(mesh)
    if parts > 1:
        raise DataError(f"{path}: found a mesh in {parts} pieces; expected one connected surface")
    require_areas(mesh, cotangent_laplacian(mesh)[1], path)
    sources = read_sources([path])
    n = len(mesh.vertices)
    return TaskData(digest(sources, dataset), Sizes(n, 0, 0, 0), sources, mesh)


def memory(job: Any, data: TaskData, jobs: int) -> MemoryEstimate:
    """Bases of all shapes, the eigensolver's vectors, matched functions and maps."""
    n, shapes, task = data.sizes.n_train, job.dataset.shapes, job.task
    k = task.basis
    pairs = shapes * (shapes - 1)
    needed = (
        # a basis, its heat, then itself coupled; places, vertices and edges of a shape
        8 * shapes * n * (3 * k + 20)
        # Lanczos vectors (ARPACK's 2 k + 1, at least 20) with a copy, and the factors
        + 16 * n * max(2 * k + 1, 20) + 12 * n * (14 + 6 * n.bit_length())
        # shortest paths of a block with their predecessors
        + 12 * BLOCK * n
        # F, G, residual, split, multiplier and what their updates make; the X_i likewise
        + 8 * 10 * (pairs // 2) * task.functions * k + 8 * 20 * shapes * k**2
        # a map and its errors, in 64 and 32 bits
        + 24 * pairs * min(task.points, n)
    )  # fmt: skip
    return MemoryEstimate((Stage("correspondence", _ADVICE, tasks=1, task=needed),), jobs, _ADVICE)


def make_scene(
    mesh: Mesh,
    task: FunctionalCorrespondenceTask,
    dataset: FunctionalCorrespondenceDataset,
    seed: int,
) -> Scene:
    """Poses, matches and judged vertices of a seed.

    Raises
    ------
    DataError
        The mesh has fewer vertices than the basis or the functions ask for.
    """
    n, needed = len(mesh.vertices), max(task.basis + 1, task.functions)
    if n < needed:
        raise DataError(
            f"mesh {dataset.mesh!r}: found {n} vertices; expected at least {needed} for a basis of "
            f"{task.basis} and {task.functions} functions"
        )
    # One stream a pose: the first poses are the same however many there are.
    matching, judging, *posing = (
        np.random.default_rng(stream)
        for stream in np.random.SeedSequence(seed).spawn(2 + dataset.shapes)
    )
    shapes = [make_shape(mesh, dataset.deformation, task.basis, rng) for rng in posing]
    matches = make_matches(mesh, shapes, task.functions, task.outliers[0], task.diffusion, matching)
    points = np.sort(judging.choice(n, min(task.points, n), replace=False))
    return Scene(shapes, matches, points)


def run(job: Any, data: TaskData, folder: Path, executor: Any) -> Outcome:
    """Couple the bases by the job's method, map vertices and measure how far they are off."""
    mesh: Mesh = data.content
    shapes, matches, points = make_scene(mesh, job.task, job.dataset, job.seed)
    problem = CoupledDiagonalisation(
        matches, np.stack([shape.eigenvalues for shape in shapes]), job.task.mu
    )
    began = perf_counter()
    solved = solve(problem, job.method.settings)
    trained = perf_counter()
    pairs = both_ways(len(shapes))
    maps = maps_between(shapes, solved.bases, pairs, points)
    mapped = perf_counter()
    errors = map_errors(shapes, pairs, maps, points)
    fingerprint = save_arrays(
        folder,
        trace_seconds=solved.seconds,
        bases=np.stack(solved.bases),
        trace_cost=solved.costs,
        radii=RADII,
        within=share_within(errors, RADII),
        pairs=pairs,
        points=points,
        maps=maps,
        errors=errors.astype(np.float32),
        distortion=np.array([shape.distortion for shape in shapes]),
        triangles=mesh.triangles,
        vertices=np.array([s.mesh.vertices[s.places] for s in shapes], dtype=np.float32),
        transferred=_transferred(shapes, solved.bases),
    )
    metrics = {
        "cost": problem.cost(solved.bases),
        "correspondence_error": 100.0 * float(errors.mean()),
        "within_5": float(share_within(errors, np.array([NEAR]))[0]),
        "iterations": float(solved.iterations),
    }
    seconds = {"train": trained - began, "predict": mapped - trained}
    return Outcome(metrics, seconds, {}, fingerprint)


def _transferred(shapes: list[Shape], bases: tuple[np.ndarray, ...]) -> np.ndarray:
    """Vertex of the first shape that each vertex of a shape is mapped to, int32 (L, n).

    All in the numbering of the mesh the shapes are poses of; the first row is the truth.
    """
    every = np.arange(len(shapes[0].original))
    to_first = np.array([(i, 0) for i in range(1, len(shapes))])
    images = shapes[0].original[maps_between(shapes, bases, to_first, every)]
    return np.vstack([every, images]).astype(np.int32)

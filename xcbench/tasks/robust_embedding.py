"""Robust Euclidean embedding: the map of places from their distances, some of them doubled.

The third application of the MADMM paper. A method sees squared distances, in units of their median
so that its settings mean the same for any places; what it finds is laid over the true positions by
a translation, a rotation and perhaps a reflection, without scaling.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist, squareform

from xcbench.config.robust_embedding import (
    EmbeddingMadmmSettings,
    EmbeddingSubgradientSettings,
    RobustEmbeddingDataset,
    RobustEmbeddingTask,
)
from xcbench.config.schema import JobConfig
from xcbench.data.places import EARTH_RADIUS, Places, find_places, read_places
from xcbench.errors import DataError
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.models.base import Executor
from xcbench.models.memory import MemoryEstimate, Stage
from xcbench.optim.distances import classical_scaling
from xcbench.optim.madmm import madmm
from xcbench.optim.robust_embedding import AbsoluteDistances
from xcbench.optim.subgradient import subgradient_embedding
from xcbench.tasks.base import Outcome, Sizes, TaskData, digest, read_sources, save_arrays

DIMENSION = 2
_ADVICE = "fewer places (rows)"
_NEAR = 1e-6  # km; of places nearer than this the distances are rounding
_ENTRY = 0.01  # of the relative tolerance, for an entry of a residual in units of the median
# Arrays of a double for every pair of places, both ways, that are alive at once.
_SQUARES = {
    # Distances in km and medians, and of what is centred the terms.
    "embedding_classical_mds": 4.0,
    # Distances, split, dual, what is between them, the squared target and the image.
    "embedding_madmm": 6.5,
    # Signs and errors; from points in one place the whole spectrum, with what it is worked out in.
    "embedding_subgradient": 6.5,
}


@dataclass(frozen=True, eq=False)
class Embedding:
    """What a method found.

    Attributes
    ----------
    points : ndarray of float64, shape (n, 2)
    cost : float
    costs, seconds : list of float
        At the start and after every iteration; the time counts from when the start was known.
    """

    points: np.ndarray
    cost: float
    costs: list[float]
    seconds: list[float]


def open_data(dataset: RobustEmbeddingDataset, data_root: Path, split: int) -> TaskData:
    """Read the places; ``split`` has no meaning here.

    Raises
    ------
    DataError
        The file is missing, malformed or too short, or most of its places are one.
    """
    path = find_places(dataset.name, data_root)
    places = read_places(path, dataset.rows)
    _require_apart(path, places, dataset)
    sources = read_sources([path])
    return TaskData(digest(sources, dataset), Sizes(dataset.rows, 0, 0, 0), sources, places)


def memory(job: JobConfig, data: TaskData, jobs: int) -> MemoryEstimate | None:
    """Some arrays of a number for every pair of places."""
    count = job.dataset.rows
    needed = round(_SQUARES[job.method.settings.model] * 8 * count**2)
    stage = Stage("embedding", _ADVICE, tasks=1, task=needed)
    return MemoryEstimate((stage,), jobs, _ADVICE)


def run(job: JobConfig, data: TaskData, folder: Path, executor: Executor) -> Outcome:
    """Spoil distances, embed, compare with the truth; leaves ``predictions.npz`` in the folder.

    It holds positions in km, ``truth`` and ``aligned`` (n, 2), and the trace ``costs`` with its
    ``trace_seconds``. The metric "cost" is the sum of absolute errors over pairs in units of the
    median squared distance, "median_error" the median over places of the distance to the true
    position.
    """
    places: Places = data.content
    truth = places.map_positions()
    rng = np.random.default_rng(job.seed)
    distances = spoiled_distances(places, job.task, job.dataset, rng)
    unit = float(np.median(distances))
    began = perf_counter()
    found = embed(distances / unit, job.method.settings)
    seconds = perf_counter() - began
    aligned = align(found.points * unit**0.5, truth)
    iterations = len(found.costs) - 1
    metrics = {
        "cost": found.cost,
        "median_error": float(np.median(np.linalg.norm(aligned - truth, axis=1))),
        "iterations": float(iterations),
    }
    if iterations:
        metrics["ms_per_iteration"] = 1000.0 * (found.seconds[-1] - found.seconds[0]) / iterations
    predictions = save_arrays(
        folder,
        truth=truth,
        aligned=aligned,
        costs=np.array(found.costs),
        trace_seconds=np.array(found.seconds),
    )
    return Outcome(metrics, {"train": seconds}, {}, predictions)


def _require_apart(path: Path, places: Places, dataset: RobustEmbeddingDataset) -> None:
    """Raise a DataError where the median distance, which is the unit, is 0."""
    planar = dataset.distances == "planar"
    positions = places.map_positions() if planar else EARTH_RADIUS * places.on_sphere()
    _, counts = np.unique(np.round(positions / _NEAR), axis=0, return_counts=True)
    if 2 * int((counts * (counts - 1)).sum()) > len(positions) * (len(positions) - 1):
        raise DataError(
            f"{path}: {counts.max()} of the first {len(positions)} places are one; expected most "
            "pairs of them apart"
        )


def spoiled_distances(
    places: Places,
    task: RobustEmbeddingTask,
    dataset: RobustEmbeddingDataset,
    rng: np.random.Generator,
) -> np.ndarray:
    """Squared distances in km^2, (n (n - 1) / 2,), a drawn share of them too large."""
    if dataset.distances == "planar":
        squared: np.ndarray = pdist(places.map_positions(), "sqeuclidean")
    else:
        squared = np.square(places.geodesic_distances())
    count = round(task.doubled[0] / 100.0 * squared.size)
    wrong = rng.choice(squared.size, count, replace=False)
    squared[wrong] *= 2.0 if task.doubling == "squared" else 4.0
    return squared


def embed(distances: np.ndarray, settings: object) -> Embedding:
    """Points of squared distances in pdist's order, by a method's settings."""
    problem = AbsoluteDistances(distances)
    start = classical_scaling(squareform(distances), DIMENSION)
    if isinstance(settings, EmbeddingMadmmSettings):
        split = madmm(
            problem,
            start,
            manifold=PSDFixedRank(*start.shape),
            rho=settings.rho,
            iterations=settings.iterations,
            inner_iterations=settings.inner_iterations,
            solver=settings.solver,
            absolute=_ENTRY * settings.tolerance,
            relative=settings.tolerance,
        )
        return Embedding(split.point, split.cost, split.costs, split.seconds)
    if isinstance(settings, EmbeddingSubgradientSettings):
        steps = subgradient_embedding(
            distances, start, step=settings.step, iterations=settings.iterations
        )
        return Embedding(steps.point, steps.cost, steps.costs, steps.seconds)
    cost = problem.nonsmooth(problem.forward(start))
    return Embedding(start, cost, [cost], [0.0])


def align(points: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Points moved, turned and perhaps mirrored onto the truth by least squares over all."""
    centre, target = points.mean(axis=0), truth.mean(axis=0)
    rotation, _ = orthogonal_procrustes(points - centre, truth - target)
    aligned: np.ndarray = (points - centre) @ rotation + target
    return aligned

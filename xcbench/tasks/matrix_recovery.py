"""Recovery of a made-up matrix of low rank from some of its entries.

M = A Z B^T has rank r; A and B, orthonormal, are the side information. With it or without, a method
looks for the matrix of least trace norm that has the observed entries, by the same continuation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xcbench.config.matrix_recovery import MatrixRecoveryDataset, MatrixRecoveryTask
from xcbench.config.maxide import MaxideSettings
from xcbench.config.schema import JobConfig
from xcbench.errors import DataError
from xcbench.kernels.observed import entries
from xcbench.models.base import Executor
from xcbench.models.memory import MemoryEstimate, recovery
from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import Descent, ProximalSolution, continuation
from xcbench.optim.side_information import SideInformation
from xcbench.optim.singular_value_thresholding import FullMatrix, squared_length
from xcbench.tasks.base import Outcome, Sizes, TaskData, digest, save_arrays

_SMALLEST = 1e-12  # share of the largest penalty at which the path ends in any case


@dataclass(frozen=True, eq=False)
class Planted:
    """M = A Z B^T with Z = left right^T; all float64."""

    A: np.ndarray
    B: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """M as the product of an (n, r) and the transpose of an (m, r) matrix."""
        return self.A @ self.left, self.B @ self.right


def open_data(dataset: MatrixRecoveryDataset, data_root: Path, split: int) -> TaskData:
    """The shape of the matrix; the seed of a run draws its numbers.

    Raises
    ------
    DataError
        Another split than 1 is asked for.
    """
    if split != 1:
        raise DataError(f"{dataset.title} is made up and has one split; found {split}")
    sizes = Sizes(dataset.rows, dataset.rows, dataset.side, dataset.columns)
    return TaskData(digest([], dataset), sizes, (), dataset)


def memory(job: JobConfig, data: TaskData, jobs: int) -> MemoryEstimate:
    """What ``run`` will take, in one process whatever ``jobs`` says."""
    (percent,) = job.task.observed
    stages = recovery.stages(job.method.settings, data.content, percent / 100)
    return MemoryEstimate(stages, 1, recovery.ADVICE)


def run(job: JobConfig, data: TaskData, folder: Path, executor: Executor) -> Outcome:
    """Draw the matrix, observe some entries, find the others; leaves ``predictions.npz``.

    It holds, for the penalties of the path (``penalties``, shares of the largest), how far the
    observed entries are met (``fit``), the ``errors`` of the whole matrix and ``iterations``.
    """
    task, dataset = job.task, data.content
    truth = planted(dataset, np.random.default_rng([job.seed, 0]))
    (percent,) = task.observed
    known = observe(truth, percent / 100, np.random.default_rng([job.seed, 1]))
    if isinstance(job.method.settings, MaxideSettings):
        found, seconds = _with_side(task, job.method.settings.growth, truth, known)
    else:
        found, seconds = _without(task, job.method.settings.growth, truth, known)
    trace = np.array(found)
    error = float(trace[-1, 1])
    sha256 = save_arrays(
        folder,
        penalties=task.decay ** np.arange(1, len(trace) + 1),
        fit=trace[:, 0],
        errors=trace[:, 1],
        iterations=trace[:, 2].astype(np.int64),
    )
    metrics = {"recovery_error": error, "recovered": float(error <= task.recovered)}
    return Outcome(metrics, {"train": seconds}, {}, sha256)


def planted(dataset: MatrixRecoveryDataset, rng: np.random.Generator) -> Planted:
    """A matrix of the dataset's kind."""
    shapes = (dataset.rows, dataset.side), (dataset.columns, dataset.side)
    A, B = (np.ascontiguousarray(np.linalg.qr(rng.standard_normal(shape))[0]) for shape in shapes)
    left, right = (rng.standard_normal((dataset.side, dataset.rank)) for _ in range(2))
    return Planted(A, B, left, right)


def observe(truth: Planted, share: float, rng: np.random.Generator) -> Observed:
    """Entries drawn at random without replacement; at least one."""
    n, m = truth.A.shape[0], truth.B.shape[0]
    places = drawn(n * m, max(1, round(share * n * m)), rng)
    indptr = np.searchsorted(places, np.arange(n + 1) * m).astype(np.int64)
    places %= m
    columns, values = places.astype(np.int32), np.empty(places.size)
    entries(indptr, columns, *truth.factors(), values)
    return Observed(indptr, columns, values, m)


def drawn(total: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """``count`` of the numbers below ``total``, every set as likely, int64 in order.

    Draws go on until there are so many different numbers; of more than half of all, those that are
    left out are drawn. What is held grows with ``count`` and never with ``total``, as it does in
    ``Generator.choice``.
    """
    if 2 * count > total:
        kept = np.ones(total, bool)
        kept[drawn(total, total - count, rng)] = False
        return np.flatnonzero(kept)
    found = np.zeros(0, np.int64)
    while found.size < count:
        more = rng.integers(total, size=count - found.size)
        found = np.sort(np.concatenate([found, more]), kind="stable")
        found = found[np.diff(found, prepend=-1) > 0]
    return found


def recovery_error(truth: Planted, left: np.ndarray, right: np.ndarray) -> float:
    """||left right^T - M||_F / ||M||_F, without either matrix."""
    of_truth, to_truth = truth.factors()
    missed = squared_length(np.hstack([left, -of_truth]), np.hstack([right, to_truth]))
    return float(np.sqrt(missed / squared_length(of_truth, to_truth)))


_Trace = list[tuple[float, float, int]]  # fit, error and iterations of each solution


def _with_side(
    task: MatrixRecoveryTask, growth: float, truth: Planted, known: Observed
) -> tuple[_Trace, float]:
    problem = SideInformation(known, truth.A, truth.B)
    return _followed(task, growth, truth, problem, lambda point: (truth.A @ point.matrix, truth.B))


def _without(
    task: MatrixRecoveryTask, growth: float, truth: Planted, known: Observed
) -> tuple[_Trace, float]:
    return _followed(
        task, growth, truth, FullMatrix(known), lambda point: (point.U * point.s, point.Vt.T)
    )


def _followed(
    task: MatrixRecoveryTask, growth: float, truth: Planted, problem: Any, factors: Any
) -> tuple[_Trace, float]:
    """The path down to the fit, and its seconds without those of the measurements."""
    length = float(np.linalg.norm(problem.known.values))
    trace: _Trace = []
    measuring = 0.0

    def visit(solution: ProximalSolution[Any]) -> bool:
        nonlocal measuring
        start = time.perf_counter()
        fit = float(np.linalg.norm(problem.residual(solution.point))) / length
        error = recovery_error(truth, *factors(solution.point))
        trace.append((fit, error, solution.iterations))
        measuring += time.perf_counter() - start
        return fit > task.fit

    steps = int(np.ceil(np.log(_SMALLEST) / np.log(task.decay)))
    shares = [task.decay**step for step in range(1, steps + 1)]
    start = time.perf_counter()
    continuation(problem, shares, Descent(growth, task.tolerance, task.iterations), visit)
    return trace, time.perf_counter() - start - measuring

"""The job: modes of one domain from one random start by one solver."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from xcbench.config.compressed_modes import (
    CompressedModesDataset,
    ModesSettings,
    NeumannModesSettings,
    SocModesSettings,
)
from xcbench.config.schema import JobConfig
from xcbench.errors import DataError
from xcbench.manifolds.stiefel import Stiefel
from xcbench.models.base import Executor
from xcbench.models.memory import MemoryEstimate, Stage
from xcbench.optim.madmm import SOLVERS, MadmmSolution, Solver, madmm
from xcbench.optim.trust_region import trust_region
from xcbench.tasks.base import Outcome, Sizes, TaskData, digest, read_sources, save_arrays
from xcbench.tasks.compressed_modes.baselines import Splitting, neumann, soc
from xcbench.tasks.compressed_modes.domain import Domain, open_domain
from xcbench.tasks.compressed_modes.polish import (
    orthogonality,
    orthonormal_on_support,
    polish_bytes,
)
from xcbench.tasks.compressed_modes.problem import CompressedModes, modes_cost
from xcbench.tasks.compressed_modes.shifted import factor_bytes

ORTHONORMAL = 1e-6
# Arrays of n x k float64 alive at once, by tracemalloc: 14 to 17 of MADMM's with its X-steps.
_ARRAYS = {"modes_madmm": 17, "modes_soc": 11, "modes_neumann": 12}
_POLISH_ARRAYS = 8
_ADVICE = "fewer modes, or a domain of fewer vertices"
X_SOLVERS: dict[str, Solver] = {
    **SOLVERS,
    "preconditioned_conjugate_gradient": SOLVERS["conjugate_gradient"],
    "trust_region": trust_region,
}


def open_data(dataset: CompressedModesDataset, data_root: Path, split: int) -> TaskData:
    """The domain of a dataset; ``n_train`` is its number of vertices.

    Raises
    ------
    DataError
        The mesh is missing or malformed, a vertex of it has no area around it, or another split
        than 1 is asked for.
    """
    if split != 1:
        raise DataError(f"{dataset.title} has one split; found {split}")
    domain = open_domain(dataset, data_root)
    sources = read_sources([] if domain.path is None else [domain.path])
    return TaskData(digest(sources, dataset), Sizes(domain.n, 0, 0, 0), sources, domain)


def memory(job: JobConfig, data: TaskData, jobs: int) -> MemoryEstimate | None:
    """Some arrays of the modes' size with a factorised matrix; then the polish."""
    domain: Domain = data.content
    n, k = domain.n, job.task.modes
    solver = 8 * n * k * _ARRAYS[job.method.settings.model]
    solver += factor_bytes(n, on_line=domain.mesh is None)
    polish = 8 * n * k * _POLISH_ARRAYS + polish_bytes(n, k)
    stages = (
        Stage("solver", _ADVICE, tasks=1, task=solver),
        Stage("polish", _ADVICE, tasks=1, task=polish),
    )
    return MemoryEstimate(stages, jobs, _ADVICE)


def run(job: JobConfig, data: TaskData, folder: Path, executor: Executor) -> Outcome:
    """Find the modes; leaves ``predictions.npz`` in the folder.

    It holds the ``modes`` (n, k) by rising energy, exact zeros included; ``costs`` after every
    iteration with ``trace_seconds``; ``primal`` and ``dual`` residuals; and of a mesh its
    ``vertices`` and ``triangles``.

    The metrics are of the modes left there: the solver's sparse copy, made orthonormal on its
    support, or where no orthonormal matrix has these zeros, the solver's orthonormal copy.

    Raises
    ------
    DataError
        The domain has fewer vertices than modes are asked for.
    """
    domain: Domain = data.content
    k = job.task.modes
    if k > domain.n:
        raise DataError(f"{job.dataset.title}: {k} modes of {domain.n} vertices; expected no more")
    weight = domain.weight(job.task.mu)
    start = Stiefel(domain.n, k).random_point(np.random.default_rng([job.seed, 0]))
    began = time.perf_counter()
    found = solve(domain, weight, start, job.method.settings)
    modes = _ordered(domain, _answer(found))
    seconds = time.perf_counter() - began
    arrays = {
        "modes": modes.astype(np.float32),
        "costs": np.array(found.costs),
        "primal": np.array(found.primal),
        "dual": np.array(found.dual_residuals),
    }
    if domain.mesh is not None:
        arrays["vertices"] = domain.mesh.vertices.astype(np.float32)
        arrays["triangles"] = domain.mesh.triangles
    sha256 = save_arrays(folder, trace_seconds=np.array(found.seconds), **arrays)
    metrics = {
        "cost": modes_cost(domain.energy, weight, modes),
        "sparsity": 100.0 * float(np.mean(modes == 0)),
        "orthogonality": orthogonality(modes),
        "iterations": float(found.iterations),
        "ms_per_iteration": _ms_per_iteration(found.seconds),
    }
    return Outcome(metrics, {"train": seconds}, {}, sha256)


def solve(
    domain: Domain, weight: float, start: np.ndarray, settings: ModesSettings
) -> MadmmSolution | Splitting:
    """Run the solver the settings name."""
    if isinstance(settings, SocModesSettings):
        return soc(domain.energy, weight, start, settings)
    if isinstance(settings, NeumannModesSettings):
        return neumann(domain.energy, weight, start, settings)
    preconditioned = settings.solver == "preconditioned_conjugate_gradient"
    return madmm(
        CompressedModes(domain.energy, weight, preconditioned),
        start,
        manifold=Stiefel(*start.shape),
        rho=settings.rho,
        iterations=settings.iterations,
        inner_iterations=settings.inner_iterations,
        solver=X_SOLVERS[settings.solver],
        absolute=settings.absolute,
        relative=settings.relative,
    )


def _answer(found: MadmmSolution | Splitting) -> np.ndarray:
    modes = orthonormal_on_support(found.split)
    return modes if orthogonality(modes) <= ORTHONORMAL else found.point


def _ordered(domain: Domain, modes: np.ndarray) -> np.ndarray:
    """Columns by rising Dirichlet energy, each with the sign that makes its sum positive."""
    energies = np.einsum("ij,ij->j", modes, domain.energy @ modes)
    signs = np.where(modes.sum(axis=0) < 0, -1.0, 1.0)
    return (modes * signs)[:, np.argsort(energies, kind="stable")]


def _ms_per_iteration(seconds: list[float]) -> float:
    """Median, so that what is done once (a factorisation) and a busy moment do not count."""
    return 1000.0 * float(np.median(np.diff(seconds)))

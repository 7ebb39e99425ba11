"""Completion: a CG iteration against pymanopt's, an SVP step against a sparse eigensolver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from xcbench.bench.machine import Machine
from xcbench.bench.timing import Row, median_seconds, seconds
from xcbench.config.methods import NeighbourSettings
from xcbench.data.dataset import Dataset
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.models.local_embedding.neighbours import find_neighbours, locality_order
from xcbench.optim.conjugate_gradient import conjugate_gradient
from xcbench.optim.masked_completion import MaskedCompletion, MaskedSymmetric
from xcbench.optim.svp import WARM_ITERATIONS, singular_value_projection, spectral_factor

# 117 neighbours give the synthetic labels about 740,000 entries of Omega, as 150 do on Bibtex.
NEIGHBOURS, RANK, ITERATIONS = 117, 100, 30
NUMPY_ITERATIONS = 10  # a second each
EIGEN_TOLERANCE = 1e-2

Oracle = tuple[Callable[..., float], Callable[..., np.ndarray]]


def bench_completion(data: Dataset, machine: Machine, repeats: int) -> Iterator[Row]:
    """Riemannian CG and SVP on the pattern of the synthetic labels."""
    lists = find_neighbours(data.Y, NeighbourSettings(count=NEIGHBOURS))
    position = np.argsort(locality_order(data.Y)).astype(np.int32)
    known = lists.symmetrised(position)
    rows = np.repeat(np.arange(known.n), np.diff(known.indptr))
    entries = 2 * known.columns.size - int(np.count_nonzero(rows == known.columns))
    work = f"n {known.n}, r {RANK}, {entries:,} entries of Omega"
    yield from _conjugate_gradient(known, work, machine, repeats)
    yield from _kernels(known, work, machine, repeats)
    yield _svp(known, f"one SVP step, {work}", repeats)


def _conjugate_gradient(
    known: MaskedSymmetric, work: str, machine: Machine, repeats: int
) -> Iterator[Row]:
    """Our CG iteration, by its exact and by its Armijo search, beside pymanopt's (Armijo)."""
    start = spectral_factor(known, RANK, np.random.default_rng(0))[0]
    numpy_peer = ("pymanopt, numpy cost and gradient", _numpy_oracle(known), NUMPY_ITERATIONS, 1)
    compiled_peer = ("pymanopt, our kernels", _compiled_oracle(known), ITERATIONS, repeats)
    for search, peers in (("exact", (numpy_peer, compiled_peer)), ("armijo", (compiled_peer,))):
        for name, oracle, steps, runs in peers:
            ours, cost = _ours(known, start, search, steps, repeats)
            flops = known.columns.size * RANK * (6.0 + 4.0)
            rate = f"{machine.share(flops, ours)}; cost {cost:.4g} after {steps}"
            what = f"one CG iteration, {search}, {work}"
            try:
                import pymanopt  # noqa: F401
            except ImportError:
                yield Row("completion", what, ours, rate=rate)
                continue
            theirs, reached = _pymanopt(oracle, start, steps, runs)
            yield Row("completion", what, ours, name, theirs, f"{rate}, theirs {reached:.4g}")


def _ours(
    known: MaskedSymmetric, start: np.ndarray, search: str, steps: int, repeats: int
) -> tuple[float, float]:
    problem = MaskedCompletion(known)

    def solve() -> Any:
        return conjugate_gradient(
            problem, start, manifold=PSDFixedRank(*start.shape), iterations=steps,
            beta="hestenes_stiefel", line_search="exact" if search == "exact" else "armijo",
            tolerance=0.0,
        )  # fmt: skip

    return median_seconds(solve, repeats) / steps, solve().cost


def _numpy_oracle(known: MaskedSymmetric) -> Oracle:
    """Cost and gradient as one writes them in numpy and scipy: gathers, einsum, a CSR product."""
    n = known.n
    rows = np.repeat(np.arange(n), np.diff(known.indptr))
    columns, weights = known.columns, known.weights.astype(float)
    targets = known.targets.astype(float)

    def residual(Z: np.ndarray) -> np.ndarray:
        found: np.ndarray = targets - np.einsum("ij,ij->i", Z[rows], Z[columns])
        return found

    def cost(Z: np.ndarray) -> float:
        return float(weights @ residual(Z) ** 2)

    def gradient(Z: np.ndarray) -> np.ndarray:
        scaled = sparse.csr_array((weights * residual(Z), columns, known.indptr), shape=(n, n))
        found: np.ndarray = -2.0 * (scaled @ Z + scaled.T @ Z)
        return found

    return cost, gradient


def _compiled_oracle(known: MaskedSymmetric) -> Oracle:
    problem = MaskedCompletion(known)

    def cost(Z: np.ndarray) -> float:
        return problem.start(Z.astype(np.float32)).cost

    def gradient(Z: np.ndarray) -> np.ndarray:
        return problem.gradient(problem.start(Z.astype(np.float32))).astype(float)

    return cost, gradient


def _pymanopt(oracle: Oracle, start: np.ndarray, steps: int, repeats: int) -> tuple[float, float]:
    """Seconds of one iteration of pymanopt's conjugate gradients, and the cost reached."""
    import pymanopt
    from pymanopt.manifolds import PSDFixedRank as PymanoptPSD
    from pymanopt.optimizers import ConjugateGradient

    manifold = PymanoptPSD(*start.shape)
    cost, gradient = (pymanopt.function.numpy(manifold)(part) for part in oracle)
    task = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)

    def solve() -> Any:
        # pymanopt counts its start as an iteration
        optimizer = ConjugateGradient(
            max_iterations=steps + 1, verbosity=0, min_gradient_norm=0, min_step_size=0,
            max_time=1e9,
        )  # fmt: skip
        return optimizer.run(task, initial_point=start.astype(float))

    if repeats == 1:
        spent, result = seconds(solve)
        return spent / steps, float(result.cost)
    return median_seconds(solve, repeats) / steps, float(solve().cost)


def _kernels(known: MaskedSymmetric, work: str, machine: Machine, repeats: int) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    Z, U = rng.standard_normal((2, known.n, RANK)).astype(np.float32)
    problem = MaskedCompletion(known)
    state = problem.start(Z)
    pairs = known.columns.size
    for name, function, flops, operands in (
        ("line products", lambda: problem.line(state, U), 6.0 * pairs * RANK, 2 * pairs),
        ("gradient", lambda: problem.gradient(state), 4.0 * pairs * RANK, 2 * pairs),
    ):
        spent = median_seconds(function, repeats * 5)
        rate = f"{machine.share(flops, spent)}; {machine.traffic(4.0 * RANK * operands, spent)}"
        yield Row("kernel", f"{name}, {work}", spent, rate=rate)


def _svp(known: MaskedSymmetric, work: str, repeats: int) -> Row:
    def svp(steps: int) -> np.ndarray:
        return singular_value_projection(known, RANK, steps, np.random.default_rng(0))

    ours = (median_seconds(lambda: svp(6), repeats) - median_seconds(lambda: svp(1), repeats)) / 5
    Z = svp(1)
    half = known.residual(Z) * np.float32(0.5)

    def apply(vector: np.ndarray) -> np.ndarray:
        block = vector.reshape(-1, 1).astype(np.float32)
        image: np.ndarray = (known.product(half, block) + Z @ (Z.T @ block)).ravel()
        return image

    operator = LinearOperator((known.n, known.n), matvec=apply, dtype=np.float32)
    theirs, _ = seconds(
        lambda: eigsh(operator, k=RANK, which="LA", v0=np.ones(known.n, "f4"), tol=EIGEN_TOLERANCE)
    )
    return Row(
        "completion", work, ours, "scipy eigsh of the same operator", theirs,
        f"{WARM_ITERATIONS} warm block iterations; theirs cold, to {EIGEN_TOLERANCE:g}",
    )  # fmt: skip

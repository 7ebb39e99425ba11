"""Accelerated proximal gradients for least squares with a trace norm penalty.

    min over Z of F(Z) = penalty ||Z||_tr + 1/2 ||r(Z)||^2,    r affine in Z

by the iteration of Maxide (Xu, Jin and Zhou, "Speedup matrix completion with side information:
application to multi-label learning", NIPS 2013): a step from the extrapolated point
Y_k = Z_k + theta_k (1/theta_{k-1} - 1) (Z_k - Z_{k-1}), with L grown until the quadratic bound at
Y_k holds. That iteration is not monotone. Where F would rise we begin it anew: theta = 1 and a step
from Z_k itself, which the bound does not let rise (O'Donoghue and Candes, "Adaptive restart for
accelerated gradient schemes", Found. Comput. Math. 15, 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

_GRAM_DIGITS = 1e-5  # of the largest singular value


class Point(Protocol):
    """A matrix, in whatever form its problem keeps it."""

    @property
    def trace_norm(self) -> float: ...


P = TypeVar("P", bound=Point)


class TraceNormProblem(Protocol[P]):
    """What the solver needs of a problem; Y stands for ``base + momentum (base - previous)``.

    Attributes
    ----------
    bound : float
        An L for which the quadratic bound holds everywhere.
    curvature : float
        A first guess of L.
    largest_penalty : float
        The least penalty at which the solution is 0.
    """

    @property
    def bound(self) -> float: ...

    @property
    def curvature(self) -> float: ...

    @property
    def largest_penalty(self) -> float: ...

    def zero(self) -> P:
        """Z = 0."""
        ...

    def residual(self, point: P) -> np.ndarray:
        """r(Z), a vector."""
        ...

    def step(
        self, base: P, previous: P, momentum: float, residual: np.ndarray, L: float, penalty: float
    ) -> P:
        """argmin over Z of penalty ||Z||_tr + L/2 ||Z - (Y - gradient / L)||^2.

        ``residual`` is r(Y): the gradient is the adjoint of r's linear part applied to it.
        """
        ...

    def squared_distance(self, point: P, base: P, previous: P, momentum: float) -> float:
        """||point - Y||_F^2."""
        ...


@dataclass(frozen=True)
class Descent:
    """How the solver descends.

    Attributes
    ----------
    growth : float
        gamma > 1: what L is multiplied by until the bound holds.
    tolerance : float
        epsilon: stop when F falls by less than this share of itself.
    iterations : int
        At most so many.
    """

    growth: float = 2.0
    tolerance: float = 1e-5
    iterations: int = 500


@dataclass(frozen=True, eq=False)
class ProximalSolution(Generic[P]):
    """Where the descent ended, and how.

    Attributes
    ----------
    point : P
    objectives : tuple of float
        F at the start and after every iteration; never rising.
    L : float
        The last one.
    restarts : int
    reason : str
        "tolerance", "iteration limit" or "no descent" (rounding).
    """

    point: P
    objectives: tuple[float, ...]
    L: float
    restarts: int
    reason: str

    @property
    def iterations(self) -> int:
        return len(self.objectives) - 1


def proximal_gradient(
    problem: TraceNormProblem[P], start: P, penalty: float, L: float, how: Descent
) -> ProximalSolution[P]:
    """Minimise F from ``start``.

    Parameters
    ----------
    problem : TraceNormProblem
    start : P
    penalty : float
        lambda, at least 0.
    L : float
        Positive; the first guess of the curvature.
    how : Descent
    """
    Z = previous = start
    at_Z = at_previous = problem.residual(Z)
    objectives = [_objective(Z, at_Z, penalty)]
    theta = theta_before = 1.0
    restarts, reason = 0, "iteration limit"
    for _ in range(how.iterations):
        momentum = theta * (1 / theta_before - 1)
        at_Y = at_Z + momentum * (at_Z - at_previous)
        new, at_new, L = _bounded(problem, Z, previous, momentum, at_Y, L, penalty, how.growth)
        objective = _objective(new, at_new, penalty)
        if objective > objectives[-1] and momentum > 0:
            restarts += 1
            theta = theta_before = 1.0
            new, at_new, L = _bounded(problem, Z, Z, 0.0, at_Z, L, penalty, how.growth)
            objective = _objective(new, at_new, penalty)
        if objective > objectives[-1]:
            reason = "no descent"
            break
        objectives.append(objective)
        previous, at_previous, Z, at_Z = Z, at_Z, new, at_new
        theta_before, theta = theta, (np.sqrt(theta**4 + 4 * theta**2) - theta**2) / 2
        if objectives[-2] - objective <= how.tolerance * objectives[-2]:
            reason = "tolerance"
            break
    return ProximalSolution(Z, tuple(objectives), L, restarts, reason)


def continuation(
    problem: TraceNormProblem[P],
    shares: Sequence[float],
    how: Descent,
    visit: Callable[[ProximalSolution[P]], bool] = lambda solution: True,
) -> ProximalSolution[P]:
    """Solve for one penalty after the other, each from the solution of the one before.

    Parameters
    ----------
    problem : TraceNormProblem
    shares : sequence of float
        Penalties as shares of the largest one, decreasing, at least one.
    how : Descent
    visit : callable, optional
        Called with each solution; False ends the path.

    Returns
    -------
    ProximalSolution
        The last one.
    """
    point, L = problem.zero(), problem.curvature
    for share in shares:
        solution = proximal_gradient(problem, point, share * problem.largest_penalty, L, how)
        point, L = solution.point, solution.L
        if not visit(solution):
            break
    return solution


def shrunk(matrix: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The triplets of the singular value thresholding of a matrix (m, n), largest first.

    Returns
    -------
    U : (m, r), s : (r,), Vt : (r, n)
        Of the matrix's type. Singular values less ``threshold``, those above 0.
    """
    if matrix.shape[0] > matrix.shape[1]:
        V, s, Ut = shrunk(matrix.T, threshold)
        return Ut.T, s, V.T
    wide = matrix.astype(np.float64, copy=False)
    triplets = _from_gram(wide, threshold)
    if triplets is None:
        U, s, Vt = np.linalg.svd(wide, full_matrices=False)
        count = int(np.count_nonzero(s > threshold))
        triplets = U[:, :count], s[:count], Vt[:count]
    U, s, Vt = triplets
    return (
        U.astype(matrix.dtype, copy=False),
        (s - threshold).astype(matrix.dtype, copy=False),
        Vt.astype(matrix.dtype, copy=False),
    )


def _from_gram(
    wide: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The triplets above a threshold by the Gram matrix; None where it lacks the digits for that.

    Its eigenvectors cost a third of the singular vectors, much less where the matrix is wide, and
    half the digits of the small ones, which are cut off.
    """
    # The largest singular value is at least this: of smaller thresholds no Gram matrix is formed.
    least = np.linalg.norm(wide) / np.sqrt(max(wide.shape[0], 1))
    if threshold <= _GRAM_DIGITS * least:
        return None
    squares, U = np.linalg.eigh(wide @ wide.T)
    if threshold <= _GRAM_DIGITS * np.sqrt(squares.max(initial=0.0)):
        return None
    kept = np.flatnonzero(squares > threshold**2)[::-1]
    U, s = U[:, kept], np.sqrt(squares[kept])
    return U, s, (U.T @ wide) / s[:, np.newaxis]


def _objective(point: Point, residual: np.ndarray, penalty: float) -> float:
    return penalty * point.trace_norm + 0.5 * _squared(residual)


def _squared(vector: np.ndarray) -> float:
    return float(np.vdot(vector, vector))


def _bounded(
    problem: TraceNormProblem[P], base: P, previous: P, momentum: float, at_Y: np.ndarray,
    L: float, penalty: float, growth: float,
) -> tuple[P, np.ndarray, float]:  # fmt: skip
    """A step from Y, its residual, and the L for which the bound at Y holds.

    Of half a squared length the bound's two sides differ by ||r(Z) - r(Y)||^2 and L ||Z - Y||^2,
    which loses no digits where the values of the note's E(Z) - E(Y) would cancel.
    """
    while True:
        L = min(L, problem.bound)
        new = problem.step(base, previous, momentum, at_Y, L, penalty)
        at_new = problem.residual(new)
        if problem.bound == L:
            return new, at_new, L
        reach = problem.squared_distance(new, base, previous, momentum)
        if _squared(at_new - at_Y) <= L * reach * (1 + 1e-6):
            return new, at_new, L
        L *= growth

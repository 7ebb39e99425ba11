"""Methods that complete a label matrix of which some entries are observed.

The rows are all points, training points first; the observed values are 1 where a point has a label
and -1 where it has not. Each method offers a path of completions, one for each of its penalties,
and does so for each of its variants; which is best is for others to say. Of some methods all
variants are used, each with the penalty that is best for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy import sparse

from xcbench.config.matrix_completion import CompletionMethodSettings
from xcbench.config.maxide import (
    BinaryRelevanceSettings,
    DescentSettings,
    MaxideSettings,
    SVTSettings,
)
from xcbench.data.matrix import take_rows
from xcbench.kernels.csr import csr_parts
from xcbench.models.side_features import SideFeatures, correlation_basis
from xcbench.optim.observed import Observed
from xcbench.optim.proximal_gradient import Descent, ProximalSolution, continuation
from xcbench.optim.side_information import Dense, SideInformation
from xcbench.optim.singular_value_thresholding import FullMatrix, LowRank
from xcbench.optim.squared_hinge import Steps, truncated_newton

_GRADIENT = 1e-6  # relative to the first: rounding leaves no less


class Completion:
    """A completed matrix as the product of two thin ones and a row added to each of its rows.

    Parameters
    ----------
    left : (rows, r), an array or a csr_array
    right : ndarray, shape (r, labels)
    offset : ndarray, shape (labels,), or 0
    """

    def __init__(
        self,
        left: np.ndarray | sparse.csr_array,
        right: np.ndarray,
        offset: np.ndarray | float = 0.0,
    ) -> None:
        self._left, self._right, self._offset = left, right, offset

    def rows(self, which: np.ndarray) -> np.ndarray:
        """Scores of some rows, (rows, labels)."""
        scores: np.ndarray = self._left[which] @ self._right + self._offset
        return scores

    @property
    def nbytes(self) -> int:
        """Of what is learned."""
        return int(self._right.nbytes + np.asarray(self._offset).nbytes)


class MeanCompletion:
    """The mean of completions of the same matrix; see Completion."""

    def __init__(self, completions: Sequence[Completion]) -> None:
        self._completions = completions

    def rows(self, which: np.ndarray) -> np.ndarray:
        scores: np.ndarray = np.mean([each.rows(which) for each in self._completions], axis=0)
        return scores

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in self._completions)


class Completer(Protocol):
    """A method, ready to complete labels of the points it was made for.

    Attributes
    ----------
    variants : int
        How many paths it offers.
    averaged : bool
        Whether the completion is the mean over all variants, or that of the best one.
    penalties : tuple of float
        Of a path, largest first.
    n_rows : int
        Rows it completes: all points, or the training points alone.
    """

    variants: int
    averaged: bool
    penalties: tuple[float, ...]
    n_rows: int

    def path(self, known: Observed, variant: int, count: int | None = None) -> list[Completion]:
        """The completions for the first ``count`` penalties, all by default."""
        ...


def make_completer(
    settings: CompletionMethodSettings, X: sparse.csr_array, n_train: int, seed: int
) -> Completer:
    """The method of these settings for the points with features X, float32 (n, d)."""
    if isinstance(settings, MaxideSettings):
        return _Maxide(settings, X, n_train, seed)
    if isinstance(settings, SVTSettings):
        return _SVT(settings, n_train)
    return _BinaryRelevance(settings, X)


def descent_of(settings: DescentSettings) -> Descent:
    """How the solver descends by these settings."""
    return Descent(settings.growth, settings.tolerance, settings.iterations)


class _Maxide:
    def __init__(
        self, settings: MaxideSettings, X: sparse.csr_array, n_train: int, seed: int
    ) -> None:
        self._settings = settings
        self._rng_seed, self._n_train, self.n_rows = seed, n_train, X.shape[0]
        side = SideFeatures(X, max(settings.ranks), np.random.default_rng([seed, 1]))
        self._A = side.of_fitted()
        if settings.weighting == "singular_values":
            self._A *= side.lengths
        widest = self._A.shape[1] - 1
        self._ranks = sorted({min(rank, widest) for rank in settings.ranks})
        self.variants, self.averaged = len(self._ranks), settings.over_ranks == "mean"
        self.penalties = tuple(sorted(settings.penalties, reverse=True))

    def path(self, known: Observed, variant: int, count: int | None = None) -> list[Completion]:
        A = np.ascontiguousarray(self._A[:, : self._ranks[variant] + 1])
        B = None
        if self._settings.labels == "correlation":
            has = known.holding((known.values > 0).astype(np.float64))
            rng = np.random.default_rng([self._rng_seed, 2])
            B = correlation_basis(has, self._settings.label_rank, rng)
        found: list[Completion] = []

        def visit(solution: ProximalSolution[Dense]) -> bool:
            Z = solution.point.matrix
            found.append(Completion(A, Z if B is None else Z @ B.T))
            return True

        # Rows without an observed entry say nothing, and those of test points have none.
        problem = SideInformation(known, A[: self._n_train], B)
        continuation(problem, self.penalties[:count], descent_of(self._settings), visit)
        return found


class _SVT:
    variants, averaged = 1, False

    def __init__(self, settings: SVTSettings, n_train: int) -> None:
        self._settings, self.n_rows = settings, n_train
        self.penalties = tuple(sorted(settings.penalties, reverse=True))

    def path(self, known: Observed, variant: int, count: int | None = None) -> list[Completion]:
        found: list[Completion] = []

        def visit(solution: ProximalSolution[LowRank]) -> bool:
            point = solution.point
            found.append(Completion(point.U, point.s[:, np.newaxis] * point.Vt))
            return True

        how = descent_of(self._settings)
        continuation(FullMatrix(known), self.penalties[:count], how, visit)
        return found


class _BinaryRelevance:
    variants, averaged = 1, False

    def __init__(self, settings: BinaryRelevanceSettings, X: sparse.csr_array) -> None:
        self._settings, self._X, self.n_rows = settings, X, X.shape[0]
        self.penalties = tuple(sorted(settings.penalties, reverse=True))

    def path(self, known: Observed, variant: int, count: int | None = None) -> list[Completion]:
        penalties = self.penalties[:count]
        d = self._X.shape[1]
        weights = np.zeros((len(penalties), d + 1, known.n_columns), np.float32)
        by_label = known.holding(known.values).tocsc()
        for label in range(known.n_columns):
            own = slice(by_label.indptr[label], by_label.indptr[label + 1])
            rows, has = by_label.indices[own], by_label.data[own] > 0
            if rows.size:
                weights[:, :, label] = self._fitted(rows, has, penalties)
        return [Completion(self._X, each[:-1], each[-1]) for each in weights]

    def _fitted(self, rows: np.ndarray, has: np.ndarray, penalties: Sequence[float]) -> np.ndarray:
        settings, positive = self._settings, has.astype(np.uint8)[:, np.newaxis]
        parts = csr_parts(take_rows(self._X, rows))
        rounds = 1 if settings.loss == "squared" else settings.rounds
        return np.array(
            [
                truncated_newton(
                    parts,
                    self._X.shape[1],
                    positive,
                    Steps(each, rounds, settings.iterations, _GRADIENT),
                )[:, 0]
                for each in penalties
            ]
        )

"""Completion of a symmetric matrix known on a sparse pattern: cost, gradient and line on S_+(n, r).

f(Z) = sum over unordered pairs of w_ij (s_ij - z_i . z_j)^2, the objective of RXML and SLEEC when w
counts how often the pair stands in Omega. Its gradient is -2 (R + R^T) Z with R the weighted
residual on the stored triangle. Along Z + t U the residual is r - t a - t^2 b, so f is a quartic in
t and the residual at the end of a step needs no product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xcbench.kernels import masked
from xcbench.kernels.pattern import mirror
from xcbench.optim.quartic import Quartic


@dataclass(frozen=True, eq=False)
class MaskedSymmetric:
    """A symmetric matrix known on a pattern; the upper triangle, diagonal included, in CSR form.

    Attributes
    ----------
    indptr : int64, shape (n + 1,)
    columns : int32, shape (entries,)
        Each at least its row, ascending within a row.
    weights : float32, shape (entries,)
    targets : float32, shape (entries,)
    """

    indptr: np.ndarray
    columns: np.ndarray
    weights: np.ndarray
    targets: np.ndarray

    @property
    def n(self) -> int:
        return self.indptr.size - 1

    @cached_property
    def _mirrored(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        indptr = np.empty_like(self.indptr)
        columns = np.empty(2 * self.columns.size, np.int32)
        source = np.empty_like(columns)
        mirror(self.indptr, self.columns, indptr, columns, source)
        return indptr, columns, source

    def product(self, values: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """(T + T^T) Z where the triangle T holds weights * values; Z float32 (n, r)."""
        out = np.empty_like(Z)
        masked.symmetric_product(*self._mirrored, self.weights, values, Z, out)
        return out

    def residual(self, Z: np.ndarray) -> np.ndarray:
        """targets - Z Z^T on the pattern."""
        out = np.empty_like(self.targets)
        masked.residual(self.indptr, self.columns, self.targets, Z, Z, out)
        return out


@dataclass(frozen=True, eq=False)
class CompletionState:
    """A point with its cost and its residual on the pattern."""

    point: np.ndarray
    cost: float
    residual: np.ndarray


class MaskedCompletion:
    """The problem min f(Z) over S_+(n, r) as conjugate_gradient wants it."""

    def __init__(self, known: MaskedSymmetric) -> None:
        self.known = known
        self._linear = np.empty_like(known.targets)
        self._quadratic = np.empty_like(known.targets)

    def start(self, point: np.ndarray) -> CompletionState:
        """State at Z float32 (n, r)."""
        residual = self.known.residual(point)
        return CompletionState(
            point, masked.weighted_square(self.known.weights, residual), residual
        )

    def gradient(self, state: CompletionState) -> np.ndarray:
        """-2 (R + R^T) Z, which is horizontal."""
        product = self.known.product(state.residual, state.point)
        product *= np.float32(-2.0)
        return product

    def line(self, state: CompletionState, direction: np.ndarray) -> QuarticLine:
        """The cost along Z + t U."""
        known = self.known
        masked.line_products(
            known.indptr, known.columns, state.point, direction, self._linear, self._quadratic
        )
        return QuarticLine(known.weights, state, direction, self._linear, self._quadratic)


class QuarticLine(Quartic):
    """f(Z + t U) as the quartic it is."""

    def __init__(
        self,
        weights: np.ndarray,
        state: CompletionState,
        direction: np.ndarray,
        linear: np.ndarray,
        quadratic: np.ndarray,
    ) -> None:
        self._state = state
        self._direction = direction
        self._linear = linear
        self._quadratic = quadratic
        super().__init__(np.empty(5))
        masked.quartic(weights, state.residual, linear, quadratic, self.coefficients)

    def move(self, t: float) -> CompletionState:
        """State at Z + t U; the residual is updated in place."""
        step = np.float32(t)
        masked.advance(step, self._linear, self._quadratic, self._state.residual)
        point = self._state.point + step * self._direction
        return CompletionState(point, self.cost(t), self._state.residual)

"""What MADMM asks of a problem min f(X) + g(A X) over a manifold, f smooth and g not."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from xcbench.optim.conjugate_gradient import Problem


class SplitProblem(Protocol):
    """min f(X) + g(A X). A may be nonlinear; no method changes its arguments or its answers.

    Beside this a problem has what the X-step needs: see DifferentiableSplit and OwnXStep.
    """

    def smooth(self, point: Any) -> float:
        """f(X)."""
        ...

    def forward(self, point: Any) -> np.ndarray:
        """A X, an array of any shape."""
        ...

    def nonsmooth(self, values: np.ndarray) -> float:
        """g."""
        ...

    def prox(self, values: np.ndarray, step: float) -> np.ndarray:
        """argmin_z step g(z) + 1/2 ||z - values||^2."""
        ...


class DifferentiableSplit(SplitProblem, Protocol):
    """A problem for the generic X-step, which asks for gradients."""

    def smooth_gradient(self, point: Any) -> Any:
        """Gradient of f in the ambient space."""
        ...

    def adjoint(self, point: Any, values: np.ndarray) -> Any:
        """Gradient of <values, A X> at ``point`` in the ambient space."""
        ...


@runtime_checkable
class OwnXStep(SplitProblem, Protocol):
    """A problem that brings its own X-step: exact line searches, products shared by f and A."""

    def augmented(self, target: np.ndarray, rho: float) -> Problem:
        """f(X) + rho/2 ||A X - target||^2 as a smooth solver wants it.

        A norm other than the Euclidean one may stand here if ``prox`` is of the same.
        """
        ...

"""A cost along a line that is a polynomial of degree four in the step."""

from __future__ import annotations

import numpy as np


class Quartic:
    """The polynomial of the given coefficients, constant first, as a line search sees it."""

    def __init__(self, coefficients: np.ndarray) -> None:
        self.coefficients = coefficients

    def cost(self, t: float) -> float:
        """Value at step t."""
        return float(np.polynomial.polynomial.polyval(t, self.coefficients))

    def exact_step(self) -> float:
        """The positive root of the derivative (a cubic) with the lowest cost, or 0."""
        derivative = np.trim_zeros(self.coefficients[1:] * np.arange(1, 5), "b")
        if not derivative.size or not np.isfinite(derivative).all():
            return 0.0
        roots = np.polynomial.polynomial.polyroots(derivative)
        steps = roots.real[(np.abs(roots.imag) <= 1e-6 * np.abs(roots.real)) & (roots.real > 0)]
        return float(min(steps, key=self.cost, default=0.0))

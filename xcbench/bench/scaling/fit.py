"""Exponents of growth: straight lines through the logarithms of sizes and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Power:
    """cost = factor * size^exponent, by least squares on the logarithms.

    Attributes
    ----------
    exponent, factor : float
    error : float or None
        Standard error of the exponent; None of two points, which leave nothing over.
    """

    exponent: float
    factor: float
    error: float | None

    def __call__(self, size: float) -> float:
        found: float = self.factor * size**self.exponent
        return found

    def __str__(self) -> str:
        error = "" if self.error is None else f" ± {self.error:.2f}"
        return f"{self.exponent:.2f}{error}"


def fit_power(sizes: Sequence[float], costs: Sequence[float | None]) -> Power | None:
    """The power law through the points; None with fewer than two sizes, or a cost not above 0."""
    known = [cost for cost in costs if cost is not None and cost > 0]
    if len(set(sizes)) < 2 or len(known) < len(sizes):
        return None
    x, y = np.log(sizes), np.log(known)
    if len(known) == 2:
        (exponent, intercept), error = np.polyfit(x, y, 1), None
    else:
        (exponent, intercept), covariance = np.polyfit(x, y, 1, cov=True)
        error = float(np.sqrt(covariance[0, 0]))
    return Power(float(exponent), float(np.exp(intercept)), error)

"""Laws every geometry and every gradient must obey, as assertions on dense arrays.

A test hands in small functions that show the manifold's points and tangent vectors as arrays of
the ambient space; the laws do not know how they are stored.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEPS = np.logspace(-1.0, -4.0, 13)


def log_slope(steps: np.ndarray, errors: np.ndarray) -> float:
    """Slope of log error against log step: 2 says that the error is of second order."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def assert_second_order(error: Callable[[float], float], steps: np.ndarray = STEPS) -> None:
    """``error(t)`` falls as t^2: the two sides agree to first order, and no better by chance."""
    slope = log_slope(steps, np.array([error(t) for t in steps]))
    assert 1.9 < slope < 2.1, f"slope {slope:.3f}; expected 2"


def assert_gradient(
    cost: Callable[[float], float], slope: float, steps: np.ndarray = STEPS
) -> None:
    """``cost(t)`` along a curve has the derivative ``slope`` at 0."""
    at_zero = cost(0.0)
    assert_second_order(lambda t: abs(cost(t) - at_zero - t * slope), steps)


def assert_retraction(
    curve: Callable[[float], np.ndarray], tangent: np.ndarray, steps: np.ndarray = STEPS
) -> None:
    """The retracted curve leaves its start along ``tangent``."""
    start = curve(0.0)
    assert_second_order(lambda t: float(np.linalg.norm(curve(t) - start - t * tangent)), steps)


def assert_projection(
    project: Callable[[np.ndarray], np.ndarray],
    ambient: np.ndarray,
    tangent: np.ndarray,
    atol: float = 1e-10,
) -> None:
    """The projection leaves tangent vectors alone and finds the nearest one.

    ``ambient`` is any vector of the ambient space, ``tangent`` any tangent vector other than its
    projection.
    """
    image = project(ambient)
    np.testing.assert_allclose(project(image), image, atol=atol)
    np.testing.assert_allclose(project(tangent), tangent, atol=atol)
    assert abs(np.vdot(ambient - image, tangent)) < atol * np.linalg.norm(tangent) * max(
        np.linalg.norm(ambient), 1.0
    )
    assert np.linalg.norm(ambient - image) < np.linalg.norm(ambient - tangent)


def assert_stays_tangent(
    carried: np.ndarray, project: Callable[[np.ndarray], np.ndarray], atol: float = 1e-10
) -> None:
    """A transported vector is its own projection at the new point, and not nothing."""
    assert np.linalg.norm(carried) > 1e-6
    np.testing.assert_allclose(project(carried), carried, atol=atol)

"""Proximal operators of norms: prox(v, step) = argmin_z step ||z|| + 1/2 ||z - v||^2.

Each shrinks: entries, rows or columns, singular values (Parikh and Boyd, "Proximal algorithms",
2014, section 6.5). The dtype of the values is kept, nothing is changed in place, and step 0 gives
the values back.
"""

from __future__ import annotations

import numpy as np


def prox_l1(values: np.ndarray, step: float | np.ndarray) -> np.ndarray:
    """sign(v) max(|v| - step, 0), of the sum of absolute values.

    Parameters
    ----------
    values : ndarray of any shape
    step : float or ndarray
        Not negative; an array has a weight for every entry and broadcasts.
    """
    cut = np.asarray(step, values.dtype)
    shrunk: np.ndarray = values - np.clip(values, -cut, cut)
    return shrunk


def l21_norm(values: np.ndarray, axis: int) -> float:
    """Sum of the Euclidean norms along ``axis``: 0 of the columns of a matrix, 1 of its rows."""
    return float(np.linalg.norm(values, axis=axis).sum())


def prox_l21(values: np.ndarray, step: float, axis: int) -> np.ndarray:
    """Every column (axis 0) or row (axis 1) shortened by ``step``, or 0: of ``l21_norm``."""
    lengths = np.linalg.norm(values, axis=axis, keepdims=True)
    kept = np.maximum(lengths - values.dtype.type(step), 0)
    # A zero row stays zero, whatever it is divided by.
    shrunk: np.ndarray = values * (kept / np.where(lengths > 0, lengths, 1))
    return shrunk


def nuclear_norm(values: np.ndarray) -> float:
    """Sum of the singular values of a matrix."""
    return float(np.linalg.svd(values, compute_uv=False).sum())


def prox_nuclear(values: np.ndarray, step: float) -> np.ndarray:
    """The matrix with every singular value lowered by ``step``, or 0: of ``nuclear_norm``."""
    left, singular, right = np.linalg.svd(values, full_matrices=False)
    kept = np.maximum(singular - values.dtype.type(step), 0)
    shrunk: np.ndarray = (left * kept) @ right
    return shrunk

"""Regression stage: V with X V ~ Z, on the features that occur in the cluster, then sparsified."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from xcbench.config.methods import RegressionSettings
from xcbench.data.matrix import csr
from xcbench.optim.admm import l1_regression
from xcbench.optim.ridge import RidgeSolver, SparseOperator


def active_features(X: sparse.csr_array) -> tuple[np.ndarray, sparse.csr_array]:
    """The features that occur in X, int32 ascending, and X restricted to them."""
    occurs = np.zeros(X.shape[1], np.bool_)
    occurs[X.indices] = True
    active = np.flatnonzero(occurs).astype(np.int32)
    place = np.empty(X.shape[1], np.int32)
    place[active] = np.arange(active.size, dtype=np.int32)
    return active, csr(X.data, place[X.indices], X.indptr, (X.shape[0], active.size))


def regress(A: SparseOperator, Z: np.ndarray, settings: RegressionSettings) -> np.ndarray:
    """Weights V (d, r) float32 of the configured regression, smallest entries zeroed."""
    if A.shape[1] == 0:
        return np.zeros((0, Z.shape[1]), np.float32)
    if settings.kind == "ridge":
        V = RidgeSolver(A, settings.ridge).solve(Z)
    else:
        V = l1_regression(
            A,
            Z,
            shift=settings.ridge,
            l1=settings.l1,
            rho=settings.rho,
            iterations=settings.iterations,
            exact_threshold=settings.threshold == "exact",
        )
    if settings.weight_sparsity > 0:
        zero_smallest(V.reshape(1, -1), settings.weight_sparsity)
    return V


def embed(A: SparseOperator, V: np.ndarray, settings: RegressionSettings) -> np.ndarray:
    """Stored embeddings A V (n, r), the smallest share of each dimension zeroed."""
    E = A.multiply(V)
    if settings.embedding_sparsity > 0:
        transposed = np.ascontiguousarray(E.T)
        zero_smallest(transposed, settings.embedding_sparsity)
        E = np.ascontiguousarray(transposed.T)
    return E


def zero_smallest(rows: np.ndarray, share: float) -> None:
    """Zero, in place, the ``share`` of each row's entries that are smallest in size."""
    count = int(share * rows.shape[1])
    if count == 0:
        return
    smallest = np.argpartition(np.abs(rows), count - 1, axis=1)[:, :count]
    np.put_along_axis(rows, smallest, np.float32(0.0), axis=1)

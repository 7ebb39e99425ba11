"""Ridge regression from sparse features to many dense targets at once.

min ||B - A V||_F^2 + shift ||V||_F^2, A sparse n x d, B dense n x r. The normal equations are
solved with a Cholesky factor of A^T A + shift I or of A A^T + shift I, whichever is smaller, and by
conjugate gradients on all r columns at once, preconditioned with the diagonal of A^T A + shift I,
where both are too large to factor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from xcbench.kernels import sparse_dense
from xcbench.kernels.csr import csr_parts

# Order of the smaller Gram matrix up to which its Cholesky factor beats conjugate gradients
# (100 right-hand sides, about 20 features a row).
DIRECT_LIMIT = 4096
CG_TOLERANCE = 1e-4
CG_LIMIT = 200


class SparseOperator:
    """A sparse matrix with its transpose at hand, for products with thin dense matrices.

    Parameters
    ----------
    A : csr_array of float32, shape (n, d), rows sorted
    """

    def __init__(self, A: sparse.csr_array) -> None:
        self.shape: tuple[int, int] = A.shape
        self._rows = csr_parts(A)
        self._columns = csr_parts(A.T.tocsr())

    def multiply(self, B: np.ndarray) -> np.ndarray:
        """A B for float32 (d, r)."""
        return _multiply(self._rows, self.shape[0], B)

    def transpose_multiply(self, C: np.ndarray) -> np.ndarray:
        """A^T C for float32 (n, r)."""
        return _multiply(self._columns, self.shape[1], C)

    def gram(self) -> np.ndarray:
        """A^T A, lower triangle only, float32 (d, d)."""
        return _gram(self._rows, self.shape[1])

    def column_squares(self) -> np.ndarray:
        """The diagonal of A^T A, float32 (d,)."""
        _, indices, data = self._rows
        squares = np.bincount(indices, np.square(data, dtype=np.float64), self.shape[1])
        return squares.astype(np.float32)

    def outer_gram(self) -> np.ndarray:
        """A A^T, lower triangle only, float32 (n, n)."""
        return _gram(self._columns, self.shape[0])


class RidgeSolver:
    """Solves for many right-hand sides with one factorisation.

    Parameters
    ----------
    A : SparseOperator
    shift : float
        Positive.
    """

    def __init__(self, A: SparseOperator, shift: float) -> None:
        self._A = A
        self._shift = np.float32(shift)
        n, d = A.shape
        self._primal = d <= n
        self._factor: np.ndarray | None = None
        if min(n, d) <= DIRECT_LIMIT:
            self._factor = _cholesky(A.gram if self._primal else A.outer_gram, shift)

    def solve(self, B: np.ndarray) -> np.ndarray:
        """(A^T A + shift I)^-1 A^T B, float32 (d, r), for B float32 (n, r)."""
        if self._factor is None:
            return self._conjugate_gradients(self._A.transpose_multiply(B))
        if self._primal:
            return _cholesky_solve(self._factor, self._A.transpose_multiply(B))
        return self._A.transpose_multiply(_cholesky_solve(self._factor, B))

    def _conjugate_gradients(self, right: np.ndarray) -> np.ndarray:
        """Independent conjugate gradients, one per column, sharing the sparse products."""
        scale = 1 / (self._A.column_squares() + self._shift)[:, None]
        solution = np.zeros_like(right)
        residual = right.copy()
        direction = scale * residual
        squared = _column_products(residual, direction)
        target = CG_TOLERANCE**2 * _column_products(right, right)
        tiny = np.finfo(np.float32).tiny
        for _ in range(CG_LIMIT):
            if np.all(_column_products(residual, residual) <= target):
                break
            image = self._A.transpose_multiply(self._A.multiply(direction))
            image += self._shift * direction
            curvature = _column_products(direction, image)
            step = squared / np.maximum(curvature, tiny)
            solution += step * direction
            residual -= step * image
            scaled = scale * residual
            new = _column_products(residual, scaled)
            direction *= new / np.maximum(squared, tiny)
            direction += scaled
            squared = new
        return solution


def _multiply(
    parts: tuple[np.ndarray, np.ndarray, np.ndarray], n: int, B: np.ndarray
) -> np.ndarray:
    out = np.empty((n, B.shape[1]), np.float32)
    sparse_dense.multiply(*parts, np.ascontiguousarray(B, dtype=np.float32), out)
    return out


def _gram(parts: tuple[np.ndarray, np.ndarray, np.ndarray], d: int) -> np.ndarray:
    out = np.zeros((d, d), np.float32)
    sparse_dense.gram_lower(*parts, out)
    return out


def _cholesky(make_gram: Callable[[], np.ndarray], shift: float) -> np.ndarray:
    """Upper factor of the shifted Gram matrix: float32, or float64 where that breaks down."""
    for dtype, factorise in ((np.float32, lapack.spotrf), (np.float64, lapack.dpotrf)):
        gram: np.ndarray = make_gram().astype(dtype, copy=False)
        np.fill_diagonal(gram, np.diagonal(gram) + shift)
        # the transposed view is Fortran-ordered with its upper triangle filled: factored in place
        factor, info = factorise(gram.T, lower=0, clean=0, overwrite_a=1)
        if info == 0:
            result: np.ndarray = factor
            return result
    raise np.linalg.LinAlgError(
        f"X^T X + {shift:g} I is not positive definite; use a larger ridge, or unit features"
    )


def _cholesky_solve(factor: np.ndarray, right: np.ndarray) -> np.ndarray:
    solve = lapack.spotrs if factor.dtype == np.float32 else lapack.dpotrs
    return np.ascontiguousarray(solve(factor, right, lower=0)[0], dtype=np.float32)


def _column_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    products: np.ndarray = np.einsum("ij,ij->j", a, b)
    return products

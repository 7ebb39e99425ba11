"""Ridge regression from sparse features to many dense targets at once.

min ||B - A V||_F^2 + shift ||V||_F^2, A sparse n x d, B dense n x r. The smaller of the two systems

    (A^T A + shift I) V = A^T B        and        (A A^T + shift I) C = B, V = A^T C

is solved with a Cholesky factor, and where that is too large by conjugate gradients on a block of
columns at once, preconditioned with the diagonal. Time is then linear in the entries of A.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from xcbench.kernels import sparse_dense
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.ridge import advance

# Order of the smaller Gram matrix up to which its Cholesky factor beats conjugate gradients
# (100 right-hand sides, about 20 features a row).
DIRECT_LIMIT = 4096
CG_TOLERANCE = 1e-4
CG_LIMIT = 200
CG_COLUMNS = 64  # solved at once: a block of them stays in cache for some 10,000 unknowns


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
        return _product(sparse_dense.multiply, self._rows, self.shape[0], B)

    def transpose_multiply(self, C: np.ndarray) -> np.ndarray:
        """A^T C for float32 (n, r)."""
        return _product(sparse_dense.multiply, self._columns, self.shape[1], C)

    def gram(self) -> np.ndarray:
        """A^T A, lower triangle only, float32 (d, d)."""
        return _gram(self._rows, self.shape[1])

    def gram_product(self, B: np.ndarray) -> np.ndarray:
        """A^T A B for float32 (d, r)."""
        return _product(sparse_dense.gram_product, self._rows, self.shape[1], B)

    def gram_diagonal(self) -> np.ndarray:
        """The diagonal of A^T A, float32 (d,)."""
        return _squares(self._rows, self.shape[1])

    def outer_gram(self) -> np.ndarray:
        """A A^T, lower triangle only, float32 (n, n)."""
        return _gram(self._columns, self.shape[0])

    def outer_gram_product(self, C: np.ndarray) -> np.ndarray:
        """A A^T C for float32 (n, r)."""
        return _product(sparse_dense.gram_product, self._columns, self.shape[0], C)

    def outer_gram_diagonal(self) -> np.ndarray:
        """The diagonal of A A^T, float32 (n,)."""
        return _squares(self._columns, self.shape[0])


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
        """(A^T A + shift I)^-1 A^T B, float32 (d, r), for B float32 (n, r).

        By conjugate gradients each column of the system's residual is at most CG_TOLERANCE times
        its right-hand side, unless CG_LIMIT steps do not reach that.
        """
        if self._primal:
            return self._solve_smaller(self._A.transpose_multiply(B))
        return self._A.transpose_multiply(self._solve_smaller(B))

    def _solve_smaller(self, right: np.ndarray) -> np.ndarray:
        if self._factor is not None:
            return _cholesky_solve(self._factor, right)
        solution = np.empty(right.shape, np.float32)
        for start in range(0, right.shape[1], CG_COLUMNS):
            columns = slice(start, start + CG_COLUMNS)
            block = np.ascontiguousarray(right[:, columns], dtype=np.float32)
            solution[:, columns] = self._conjugate_gradients(block)
        return solution

    def _conjugate_gradients(self, right: np.ndarray) -> np.ndarray:
        """Independent conjugate gradients, one per column, sharing the sparse products."""
        A = self._A
        product = A.gram_product if self._primal else A.outer_gram_product
        diagonal = A.gram_diagonal() if self._primal else A.outer_gram_diagonal()
        scale = 1 / (diagonal + self._shift)
        solution = np.zeros_like(right)
        residual = right.copy()
        direction = scale[:, None] * residual
        squared = _column_products(residual, direction)
        norms = _column_products(right, right)
        target = CG_TOLERANCE**2 * norms
        for _ in range(CG_LIMIT):
            if np.all(norms <= target):
                break
            image = product(direction)
            advance(self._shift, scale, image, squared, norms, solution, residual, direction)
        return solution


def _product(
    kernel: Callable[..., None],
    parts: tuple[np.ndarray, np.ndarray, np.ndarray],
    n: int,
    B: np.ndarray,
) -> np.ndarray:
    out = np.empty((n, B.shape[1]), np.float32)
    kernel(*parts, np.ascontiguousarray(B, dtype=np.float32), out)
    return out


def _squares(parts: tuple[np.ndarray, np.ndarray, np.ndarray], d: int) -> np.ndarray:
    _, indices, data = parts
    return np.bincount(indices, np.square(data, dtype=np.float64), d).astype(np.float32)


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
    products: np.ndarray = np.einsum("ij,ij->j", a, b, dtype=np.float64)
    return products

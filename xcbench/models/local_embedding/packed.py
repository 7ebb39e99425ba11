"""How a cluster's dense matrices are kept: with or without their zeros, in 32 or 16 bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

import numpy as np
from scipy import sparse

from xcbench.kernels import packed as kernels
from xcbench.kernels.csr import csr_parts

Dtype = Literal["float32", "float16"]

PackedParts = tuple[np.ndarray, np.ndarray, np.ndarray, int]

MOST_COLUMNS = 2**16 - 1  # so that a column, and how many entries a row has, fit 16 bits


@dataclass(frozen=True, eq=False)
class Packed:
    """A float32 matrix (n, r): dense, or its entries other than 0 where these take fewer bytes.

    Rows come out as float32, a few at a time (``packed[start:stop]``).

    Attributes
    ----------
    values : float32 or float16, shape (n, r), or (nnz,) row by row
    columns : uint16, shape (nnz,), or (0,) when dense
        Ascending within a row.
    counts : uint16, shape (n,), or (0,) when dense
        Entries of each row.
    width : int
        r.
    """

    values: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    width: int

    @classmethod
    def of(cls, matrix: np.ndarray, dtype: Dtype) -> Self:
        """Pack a C-contiguous float32 matrix; it is shared where nothing is gained.

        Raises
        ------
        ValueError
            A value does not fit 16 bits.
        """
        n, width = matrix.shape
        starts = np.empty(n + 1, np.int64)
        kernels.row_starts(matrix, starts)
        item, nnz = np.dtype(dtype).itemsize, int(starts[-1])
        none = np.empty(0, np.uint16)
        if width > MOST_COLUMNS or nnz * (item + 2) + 2 * n >= matrix.size * item:
            return cls(_rounded(matrix, dtype), none, none, width)
        columns, values = np.empty(nnz, np.uint16), np.empty(nnz, np.float32)
        kernels.pack(matrix, starts, columns, values)
        return cls(_rounded(values, dtype), columns, np.diff(starts).astype(np.uint16), width)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.values, self.columns, self.counts

    @property
    def parts(self) -> PackedParts:
        """What the constructor takes."""
        return *self.arrays, self.width

    @property
    def is_dense(self) -> bool:
        return self.values.ndim == 2

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.values) if self.is_dense else self.counts.size), self.width

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Consecutive rows, float32."""
        if self.is_dense:
            return self.values[rows].astype(np.float32, copy=False)
        start, stop, _ = rows.indices(self.counts.size)
        starts = self._starts[start : stop + 1]
        entries = slice(starts[0], starts[-1])
        out = np.empty((stop - start, self.width), np.float32)
        values = self.values[entries].astype(np.float32, copy=False)
        kernels.unpack(starts, self.columns[entries], values, out)
        return out

    def multiplied_by(self, X: sparse.csr_array) -> np.ndarray:
        """X times this matrix, float32 (m, r), for X float32 (m, n)."""
        if not self.is_dense:
            out = np.empty((X.shape[0], self.width), np.float32)
            values = self.values.astype(np.float32, copy=False)
            kernels.multiply(*csr_parts(X), self._starts, self.columns, values, out)
            return out
        dense = self.values
        if dense.dtype != np.float32:
            # Only the rows that X meets are turned to 32 bits.
            met = np.zeros(len(dense), bool)
            met[X.indices] = True
            dense = dense[met].astype(np.float32)
            places = np.cumsum(met)[X.indices] - 1
            X = sparse.csr_array((X.data, places, X.indptr), shape=(X.shape[0], len(dense)))
        product: np.ndarray = X @ dense
        return np.ascontiguousarray(product, dtype=np.float32)

    @cached_property
    def _starts(self) -> np.ndarray:
        starts = np.zeros(self.counts.size + 1, np.int64)
        np.cumsum(self.counts, out=starts[1:])
        return starts


def _rounded(values: np.ndarray, dtype: Dtype) -> np.ndarray:
    """The values in a dtype, the same array where it has that already."""
    with np.errstate(over="ignore"):
        rounded = values.astype(dtype, copy=False)
    if dtype == "float16" and not np.isfinite(rounded).all():
        raise ValueError(
            f"a value of size {np.abs(values).max():.3g} does not fit float16, whose largest is "
            "65504; use storage float32"
        )
    return rounded

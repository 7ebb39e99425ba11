"""How a cluster's dense matrices are kept: with or without their zeros, in 32 or 16 bits.

Weights are as small as features are large, and 16 bits hold no more than 6e-8 to 65504. A matrix of
16 bits is therefore kept times a power of two, which moves its largest entry to the top of that
range and, but for what 16 bits cannot tell from 0 then, changes no digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

import numpy as np
from scipy import sparse

from xcbench.kernels import packed as kernels
from xcbench.kernels.csr import csr_parts

Dtype = Literal["float32", "float16"]

PackedParts = tuple[np.ndarray, np.ndarray, np.ndarray, int, int]

MOST_COLUMNS = 2**16 - 1  # so that a column, and how many entries a row has, fit 16 bits
_TOP = 15  # the largest entry is brought below 2**15: rounded up, it still is a float16
_MOST_EXPONENT = 126  # 2**126 and 2**-126 are float32


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
    exponent : int
        The matrix is 2**exponent times ``values``; 0 for float32.
    """

    values: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    width: int
    exponent: int = 0

    @classmethod
    def of(cls, matrix: np.ndarray, dtype: Dtype) -> Self:
        """Pack a C-contiguous float32 matrix; it is shared where nothing is gained.

        With float16, entries below 2**-39 of the largest become 0, and those below 2**-29 of it
        lose digits.
        """
        n, width = matrix.shape
        starts = np.empty(n + 1, np.int64)
        kernels.row_starts(matrix, starts)
        item, nnz = np.dtype(dtype).itemsize, int(starts[-1])
        none, exponent = np.empty(0, np.uint16), _exponent(matrix) if dtype == "float16" else 0
        if width > MOST_COLUMNS or nnz * (item + 2) + 2 * n >= matrix.size * item:
            return cls(_scaled(matrix, -exponent, dtype), none, none, width, exponent)
        columns, values = np.empty(nnz, np.uint16), np.empty(nnz, np.float32)
        kernels.pack(matrix, starts, columns, values)
        counts = np.diff(starts).astype(np.uint16)
        return cls(_scaled(values, -exponent, dtype), columns, counts, width, exponent)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.values, self.columns, self.counts

    @property
    def parts(self) -> PackedParts:
        """What the constructor takes."""
        return *self.arrays, self.width, self.exponent

    @property
    def is_dense(self) -> bool:
        return self.values.ndim == 2

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.values) if self.is_dense else self.counts.size), self.width

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Consecutive rows, float32."""
        if self.is_dense:
            return _scaled(self.values[rows], self.exponent, "float32")
        start, stop, _ = rows.indices(self.counts.size)
        starts = self._starts[start : stop + 1]
        entries = slice(starts[0], starts[-1])
        out = np.empty((stop - start, self.width), np.float32)
        values = _scaled(self.values[entries], self.exponent, "float32")
        kernels.unpack(starts, self.columns[entries], values, out)
        return out

    def multiplied_by(self, X: sparse.csr_array) -> np.ndarray:
        """X times this matrix, float32 (m, r), for X float32 (m, n)."""
        if not self.is_dense:
            out = np.empty((X.shape[0], self.width), np.float32)
            values = _scaled(self.values, self.exponent, "float32")
            kernels.multiply(*csr_parts(X), self._starts, self.columns, values, out)
            return out
        dense = self.values
        if dense.dtype != np.float32:
            # Only the rows that X meets are turned to 32 bits.
            met = np.zeros(len(dense), bool)
            met[X.indices] = True
            dense = _scaled(dense[met], self.exponent, "float32")
            places = np.cumsum(met)[X.indices] - 1
            X = sparse.csr_array((X.data, places, X.indptr), shape=(X.shape[0], len(dense)))
        product: np.ndarray = X @ dense
        return np.ascontiguousarray(product, dtype=np.float32)

    @cached_property
    def _starts(self) -> np.ndarray:
        starts = np.zeros(self.counts.size + 1, np.int64)
        np.cumsum(self.counts, out=starts[1:])
        return starts


def _exponent(matrix: np.ndarray) -> int:
    """The power of two by which the largest entry exceeds what it is kept as."""
    largest = max(matrix.max(initial=0.0), -matrix.min(initial=0.0))
    exponent = int(np.frexp(largest)[1]) - _TOP if largest else 0
    return max(-_MOST_EXPONENT, min(exponent, _MOST_EXPONENT))


def _scaled(values: np.ndarray, exponent: int, dtype: Dtype) -> np.ndarray:
    """The values times 2**exponent in a dtype, the same array where that changes nothing."""
    if exponent == 0:
        return values.astype(dtype, copy=False)
    out = np.empty(values.shape, dtype)
    # In 32 bits whatever goes in and comes out, a few thousand at once: no copy of all is made.
    found: np.ndarray = np.multiply(values, np.float32(2.0**exponent), out=out, dtype=np.float32)
    return found

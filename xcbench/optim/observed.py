"""The observed entries of a matrix to be completed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Observed:
    """Entries of an n x m matrix, in CSR form.

    Attributes
    ----------
    indptr : int64, shape (n + 1,)
    columns : int32, shape (entries,)
    values : float64 or float32, shape (entries,)
    n_columns : int
    """

    indptr: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.indptr.size - 1, self.n_columns

    @property
    def share(self) -> float:
        """Of all entries, those observed; above 0."""
        n, m = self.shape
        return max(self.columns.size, 1) / max(n * m, 1)

    def holding(
        self, values: np.ndarray, first: int = 0, last: int | None = None
    ) -> sparse.csr_array:
        """Rows first to last - 1 of the matrix of other values on the pattern."""
        last = self.shape[0] if last is None else last
        start, stop = self.indptr[first], self.indptr[last]
        parts = values[start:stop], self.columns[start:stop], self.indptr[first : last + 1] - start
        return sparse.csr_array(parts, shape=(last - first, self.n_columns))

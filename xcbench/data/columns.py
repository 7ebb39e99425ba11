"""The arrays a text is parsed into: room for one block, and columns that grow block by block."""

from __future__ import annotations

import numpy as np

from xcbench.kernels import parse

_SPARE_ENTRIES = 1 << 22


class Column:
    """An array that grows at its end; ``resize`` moves pages, so no second copy is made."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._array = np.empty(0, dtype)
        self.size = 0

    def extend(self, values: np.ndarray) -> None:
        end = self.size + values.size
        if end > self._array.size:
            self._array.resize(end + min(end // 4, _SPARE_ENTRIES), refcheck=False)
        self._array[self.size : end] = values
        self.size = end

    def finish(self) -> np.ndarray:
        self._array.resize(self.size, refcheck=False)
        return self._array


class Scratch:
    """Room for whatever one block of text can hold."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        entries = n_bytes // 2 + 1
        self.features = np.empty(entries, np.int32)
        self.values = np.empty(entries, np.float32)
        self.labels = np.empty(entries, np.int32)
        self.feature_ends = np.empty(n_bytes, np.int64)
        self.label_ends = np.empty(n_bytes, np.int64)
        self.patches = np.empty((entries, 4), np.int64)
        self.result = np.empty(parse.N_RESULTS, np.int64)

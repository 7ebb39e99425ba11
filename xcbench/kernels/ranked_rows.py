"""The best entries of the rows of a sparse matrix."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

_FEW = 64  # so many are kept in order by insertion, more are sorted


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f8"), writable("i4", 2), writable("f4", 2)
    ),
    cache=True, nogil=True,
)  # fmt: skip
def best_entries(indptr, indices, values, labels, best):
    """Put the k largest stored entries of each row into labels and best, largest first.

    Columns ascend within a row and only a strictly larger value displaces one, so ties stay with
    the smaller column. Values are compared as float64 and only then narrowed.

    Parameters
    ----------
    indptr, indices, values : int64 (n + 1,), int32 and float64 (nnz,)
        A canonical matrix; no value is nan.
    labels, best : int32 and float32, shape (n, k)
        Filled with -1 and -inf; what a row has no entry for stays so.
    """
    k = labels.shape[1]
    held = np.empty(k, np.float64)
    for i in range(indptr.size - 1):
        start, stop = indptr[i], indptr[i + 1]
        n_held = 0
        if min(k, stop - start) > _FEW:
            for t in start + np.argsort(-values[start:stop], kind="mergesort")[:k]:
                held[n_held], labels[i, n_held] = values[t], indices[t]
                n_held += 1
        else:
            for t in range(start, stop):
                value = values[t]
                if n_held == k and not value > held[k - 1]:
                    continue
                at = min(n_held, k - 1)
                while at > 0 and value > held[at - 1]:
                    held[at], labels[i, at] = held[at - 1], labels[i, at - 1]
                    at -= 1
                held[at], labels[i, at] = value, indices[t]
                n_held = min(n_held + 1, k)
        for at in range(n_held):
            best[i, at] = np.float32(held[at])

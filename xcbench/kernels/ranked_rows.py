"""The best entries of the rows of a sparse matrix."""

from __future__ import annotations

from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("f4"), writable("i4", 2), writable("f4", 2)
    ),
    cache=True, nogil=True,
)  # fmt: skip
def best_entries(indptr, indices, values, labels, best):
    """Put the k largest stored entries of each row into labels and best, largest first.

    Columns ascend within a row and only a strictly larger value displaces one, so ties stay with
    the smaller column.

    Parameters
    ----------
    indptr, indices, values : int64 (n + 1,), int32 and float32 (nnz,)
        A canonical matrix; no value is nan.
    labels, best : int32 and float32, shape (n, k)
        Filled with -1 and -inf; what a row has no entry for stays so.
    """
    k = labels.shape[1]
    for i in range(indptr.size - 1):
        held = 0
        for t in range(indptr[i], indptr[i + 1]):
            value = values[t]
            if held == k and not value > best[i, k - 1]:
                continue
            at = min(held, k - 1)
            while at > 0 and value > best[i, at - 1]:
                best[i, at] = best[i, at - 1]
                labels[i, at] = labels[i, at - 1]
                at -= 1
            best[i, at] = value
            labels[i, at] = indices[t]
            held = min(held + 1, k)

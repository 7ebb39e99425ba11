"""Entries of a product of thin matrices on any sparse pattern, in float64 or float32."""

from __future__ import annotations

from numba import njit, types

from xcbench.kernels.types import readonly, writable

_SIGNATURES = [
    types.void(readonly("i8"), readonly("i4"), readonly(item, 2), readonly(item, 2), writable(item))
    for item in ("f8", "f4")
]


@njit(_SIGNATURES, cache=True, nogil=True, fastmath=True)
def entries(indptr, columns, left, right, out):
    """out = left_i . right_j for every (i, j) of the pattern.

    Parameters
    ----------
    indptr : int64 (n + 1,)
        ``indptr[0]`` need not be 0: a slice of a larger pattern's pointers will do.
    columns : int32 (entries,)
    left, right : (n, r), (m, r)
    out : (entries,)
        Filled from ``indptr[0]`` to ``indptr[n]``.
    """
    r = left.shape[1]
    for i in range(indptr.size - 1):
        a = left[i]
        p = indptr[i]
        stop = indptr[i + 1]
        # two rows of the right at a time read the left one half as often
        while p + 1 < stop:
            b, c = right[columns[p]], right[columns[p + 1]]
            first = second = a.dtype.type(0.0)
            for t in range(r):
                first += a[t] * b[t]
                second += a[t] * c[t]
            out[p], out[p + 1] = first, second
            p += 2
        if p < stop:
            b = right[columns[p]]
            first = a.dtype.type(0.0)
            for t in range(r):
                first += a[t] * b[t]
            out[p] = first

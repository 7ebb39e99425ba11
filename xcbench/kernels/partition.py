"""Which rows can leave a set of rows so that every column keeps an entry."""

from __future__ import annotations

from numba import njit, types

from xcbench.kernels.types import readonly, writable


@njit(
    types.int64(
        readonly("i8"), readonly("i4"), readonly("i8"), types.int64, writable("i8"), writable("i8")
    ),
    cache=True, nogil=True,
)  # fmt: skip
def spare_rows(indptr, indices, order, most, counts, spared):
    """The first rows in a given order that can be spared one after another.

    Parameters
    ----------
    indptr, indices : int64 (n + 1,) and int32 (nnz,)
        A matrix without repeated entries.
    order : int64 (n,)
        Its rows.
    most : int64
        How many rows to take at most.
    counts : int64 (l,)
        Entries of each column; those of the rows taken are subtracted, none falls to 0.
    spared : int64 (most,)
        Filled with the rows taken.

    Returns
    -------
    int64
        How many were taken.
    """
    taken = 0
    for row in order:
        if taken == most:
            break
        is_needed = False
        for t in range(indptr[row], indptr[row + 1]):
            if counts[indices[t]] < 2:
                is_needed = True
                break
        if is_needed:
            continue
        for t in range(indptr[row], indptr[row + 1]):
            counts[indices[t]] -= 1
        spared[taken] = row
        taken += 1
    return taken

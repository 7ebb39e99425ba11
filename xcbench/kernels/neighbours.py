"""Nearest points by label similarity, through inverted lists."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

_BLOCK = 3  # log2 of the points that share one "touched" flag


@njit(cache=True)
def kth_largest(values, size, k):
    """The k-th largest (from 1) of ``values[:size]``, which is reordered (Hoare's quickselect)."""
    low, high, target = 0, size - 1, k - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if target <= j:
            high = j
        elif target >= i:
            low = i
        else:
            break
    return values[target]


@njit(cache=True)
def _keep_best(ids, values, size, count, scratch):
    """Compact ``ids, values`` to the ``count`` largest, order kept, ties to the earlier one."""
    scratch[:size] = values[:size]
    cutoff = kth_largest(scratch, size, count)
    ties = count
    for t in range(size):
        if values[t] > cutoff:
            ties -= 1
    kept = np.uint64(0)
    for t in range(size):
        value = values[t]
        tie = np.int64(value == cutoff) & np.int64(ties > 0)
        ties -= tie
        ids[kept] = ids[t]
        values[kept] = value
        kept += np.uint64(np.int64(value > cutoff) | tie)
    return cutoff


@njit(cache=True)
def _fill_up(ids, values, size):
    """Append the smallest ids that are not among the first ``size`` (ascending), similarity 0."""
    known = 0
    candidate = 0
    for t in range(size, ids.size):
        while known < size and ids[known] == candidate:
            known += 1
            candidate += 1
        ids[t] = candidate
        values[t] = np.float32(0.0)
        candidate += 1


@njit(
    types.void(
        readonly("i8"), readonly("i4"), readonly("i8"), readonly("i4"), readonly("f4"),
        types.boolean, writable("i4", 2), writable("f4", 2), writable("i4"),
    ),
    cache=True,
    nogil=True,
    # no reassociation and no reciprocals: equal similarities must give equal keys
    fastmath={"nnan", "ninf", "nsz"},
)  # fmt: skip
def label_neighbours(
    indptr, labels, label_indptr, label_points, lengths, fill, out, out_values, sizes
):
    """Find for every point the points of largest label similarity, itself one of the candidates.

    Parameters
    ----------
    indptr, labels : int64 (n+1), int32
        Label rows in CSR form, at most 65535 labels each.
    label_indptr, label_points : int64 (l+1), int32
        The transpose: the points of each label, ascending.
    lengths : float32 (n)
        similarity(i, j) = (labels in common) / sqrt(lengths[i] * lengths[j]): the numbers of labels
        for the cosine, ones for the inner product. Row i is ranked by common^2 / lengths[j], which
        is exactly equal where similarities are, so ties are ties (up to 4096 labels in common).
    fill : bool
        Whether points without a common label, in order of id, fill up a list that is short.
    out, out_values : int32 (n, count), float32 (n, count)
        Filled with neighbours and their similarities; ties go to the smaller id.
    sizes : int32 (n)
        How many neighbours each row of ``out`` holds.
    """
    n = indptr.size - 1
    count = out.shape[1]
    n_blocks = ((n - 1) >> _BLOCK) + 1
    width = 1 << _BLOCK
    common = np.zeros(n_blocks << _BLOCK, np.uint16)
    common_blocks = common.reshape(n_blocks, width)
    length_blocks = np.ones((n_blocks, width), np.float32)
    length_blocks.reshape(-1)[:n] = lengths
    touched = np.zeros(n_blocks, np.uint8)
    room = 4 * count + width + 1
    ids = np.empty(room, np.int32)
    values = np.empty(room, np.float32)
    scratch = np.empty(room, np.float32)
    keys = np.empty(width, np.float32)
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            label = np.uint32(labels[p])
            for point in label_points[label_indptr[label] : label_indptr[label + 1]]:
                j = np.uint32(point)  # unsigned: no wrap-around test of negative indices
                common[j] = np.uint16(common[j] + np.uint16(1))
                touched[j >> np.uint32(_BLOCK)] = 1
        size = np.int64(0)
        cutoff = np.float32(0.0)
        for block in range(n_blocks):
            if touched[block] == 0:
                continue
            touched[block] = 0
            highest = np.float32(0.0)
            for t in range(width):
                shared = np.float32(common_blocks[block, t])
                key = shared * shared / length_blocks[block, t]
                keys[t] = key
                highest = key if key > highest else highest
                common_blocks[block, t] = 0
            if highest <= cutoff:
                continue
            if size >= room - width:
                cutoff = _keep_best(ids, values, size, count, scratch)
                size = np.int64(count)
            for t in range(width):
                # written always, kept by moving on: a branch here would be mispredicted
                slot = np.uint64(size)
                ids[slot] = (block << _BLOCK) + t
                values[slot] = keys[t]
                size += np.int64(keys[t] > cutoff)
        if size > count:
            _keep_best(ids, values, size, count, scratch)
            size = np.int64(count)
        out[i, :size] = ids[:size]
        for t in range(size):
            out_values[i, t] = np.sqrt(values[t] / lengths[i])
        sizes[i] = size
        if fill and size < count:
            _fill_up(out[i], out_values[i], size)
            sizes[i] = count

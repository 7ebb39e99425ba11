"""Nearest points by label similarity, through inverted lists."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from xcbench.kernels.types import readonly, writable

_BLOCK = 3  # log2 of the points that share one "touched" flag
_GROUP = 7  # log2 of the points that share one flag above these
_SCAN = 16  # flags that are looked at in the time it takes to note a group


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


@njit(cache=True)
def _window(label_points, start, stop, i, most):
    """The part of a label's points to visit for point i: all, or the ``most`` around i itself."""
    if stop - start <= most:
        return start, stop
    place = start + np.searchsorted(label_points[start:stop], i)
    first = min(max(place - (most >> 1), start), stop - most)
    return first, first + most


@njit(cache=True)
def _count_all(points, common, touched):
    for point in points:
        j = np.uint32(point)  # unsigned: no wrap-around test of negative indices
        common[j] = np.uint16(common[j] + np.uint16(1))
        touched[j >> np.uint32(_BLOCK)] = 1


@njit(cache=True)
def _count_met(points, heavy, own, h_indptr, h_labels, common, touched, groups):
    """Count a label of the points; labels that are heavy are counted when a point is first met."""
    one = np.uint16(0 if heavy else 1)
    for point in points:
        j = np.uint32(point)
        if common[j] == 0:
            touched[j >> np.uint32(_BLOCK)] = 1
            groups[j >> np.uint32(_GROUP)] = 1
            shared = 0
            for p in range(h_indptr[j], h_indptr[j + 1]):
                shared += own[np.uint32(h_labels[p])]
            common[j] = np.uint16(shared)
        common[j] = np.uint16(common[j] + one)


@njit(cache=True)
def _heavy_labels(indptr, labels, label_indptr, most):
    """The labels of each point that have more points than ``most``, CSR."""
    n = indptr.size - 1
    h_indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        h_indptr[i + 1] = h_indptr[i]
        for label in labels[indptr[i] : indptr[i + 1]]:
            h_indptr[i + 1] += label_indptr[label + 1] - label_indptr[label] > most
    h_labels = np.empty(h_indptr[n], np.int32)
    size = 0
    for label in labels:
        if label_indptr[label + 1] - label_indptr[label] > most:
            h_labels[size] = label
            size += 1
    return h_indptr, h_labels


@njit(cache=True)
def _meetings(label_indptr):
    """Points met when every point visits all points of its labels."""
    total = 0
    for label in range(label_indptr.size - 1):
        size = label_indptr[label + 1] - label_indptr[label]
        total += size * size
    return total


@njit(
    types.int64(
        readonly("i8"), readonly("i4"), readonly("i8"), readonly("i4"), readonly("f4"),
        types.boolean, types.int64,
        writable("i4", 2), writable("f4", 2), writable("i4"),
    ),
    cache=True,
    nogil=True,
    # no reassociation and no reciprocals: equal similarities must give equal keys
    fastmath={"nnan", "ninf", "nsz"},
)  # fmt: skip
def label_neighbours(
    indptr, labels, label_indptr, label_points, lengths, fill, most, out, out_values, sizes
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
    most : int
        A label of more points than that brings a point only the ``most`` of them around it in
        order of id as candidates. The labels in common with a candidate are all counted.
    out, out_values : int32 (n, count), float32 (n, count)
        Filled with neighbours and their similarities; ties go to the smaller id.
    sizes : int32 (n)
        How many neighbours each row of ``out`` holds.

    Returns
    -------
    int
        Points met: those visited summed over the labels of every point.
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
    h_indptr, h_labels = _heavy_labels(indptr, labels, label_indptr, most)
    own = np.zeros(label_indptr.size - 1 if h_labels.size > 0 else 0, np.uint8)
    # where points meet many others, to look at all blocks costs less than to note the groups
    crowded = h_labels.size == 0 and _SCAN * _meetings(label_indptr) >= (n >> _BLOCK) * n
    groups = np.full(((n - 1) >> _GROUP) + 1, np.uint8(crowded), np.uint8)
    met = 0
    room = 4 * count + width + 1
    ids = np.empty(room, np.int32)
    values = np.empty(room, np.float32)
    scratch = np.empty(room, np.float32)
    keys = np.empty(width, np.float32)
    for i in range(n):
        for label in h_labels[h_indptr[i] : h_indptr[i + 1]]:
            own[label] = 1
        for p in range(indptr[i], indptr[i + 1]):
            label = np.uint32(labels[p])
            start, stop = label_indptr[label], label_indptr[label + 1]
            heavy = stop - start > most
            start, stop = _window(label_points, start, stop, i, most)
            points = label_points[start:stop]
            met += points.size
            if crowded:
                _count_all(points, common, touched)
            else:
                _count_met(points, heavy, own, h_indptr, h_labels, common, touched, groups)
        for label in h_labels[h_indptr[i] : h_indptr[i + 1]]:
            own[label] = 0
        size = np.int64(0)
        cutoff = np.float32(0.0)
        for group in range(groups.size):
            if groups[group] == 0:
                continue
            groups[group] = np.uint8(crowded)
            first = group << (_GROUP - _BLOCK)
            for block in range(first, min(first + (1 << (_GROUP - _BLOCK)), n_blocks)):
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
    return met

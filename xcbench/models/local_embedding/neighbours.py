"""Neighbour stage: Omega, the pairs of points whose label similarity the embedding keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xcbench.config.methods import NeighbourSettings
from xcbench.kernels.csr import csr_parts
from xcbench.kernels.neighbours import label_neighbours
from xcbench.kernels.pattern import count_pairs, merge_pairs
from xcbench.optim.masked_completion import MaskedSymmetric

MOST_LABELS = np.iinfo(np.uint16).max
MOST_PAIRS = np.iinfo(np.uint32).max  # a place in Omega is an unsigned 32-bit number
ORDER_DEPTH = 8  # labels of a row that locality_order compares


@dataclass(frozen=True, eq=False)
class NeighbourLists:
    """N_i for every point: directed; a point is a candidate for its own list.

    Attributes
    ----------
    ids : int32, shape (n, m)
    similarity : float32, shape (n, m)
    sizes : int32, shape (n,)
        Row i holds sizes[i] neighbours; what follows is undefined.
    """

    ids: np.ndarray
    similarity: np.ndarray
    sizes: np.ndarray

    def symmetrised(self, position: np.ndarray) -> MaskedSymmetric:
        """Omega as unordered pairs weighted by how often each stands in it.

        Point i goes to row ``position[i]``.
        """
        n = self.sizes.size
        indptr = np.empty(n + 1, np.int64)
        count_pairs(self.ids, self.sizes, position, indptr)
        directed = int(indptr[-1])
        columns = np.empty(directed, np.int32)
        weights = np.empty(directed, np.float32)
        targets = np.empty(directed, np.float32)
        size = merge_pairs(
            self.ids, self.sizes, self.similarity, position, indptr,
            np.empty(directed, np.int64), columns, weights, targets,
        )  # fmt: skip
        return MaskedSymmetric(
            indptr, columns[:size].copy(), weights[:size].copy(), targets[:size].copy()
        )

    def directed(self, position: np.ndarray) -> sparse.csr_array:
        """P_Omega(S), not symmetric, zeros on Omega stored; point i at position[i]."""
        n, m = self.ids.shape
        held = np.arange(m) < self.sizes[:, None]
        rows = np.repeat(position, self.sizes)
        matrix = sparse.csr_array(
            (self.similarity[held], (rows, position[self.ids[held]])), shape=(n, n)
        )
        matrix.sort_indices()
        return matrix


def find_neighbours(Y: sparse.csr_array, settings: NeighbourSettings) -> NeighbourLists:
    """The ``count`` most similar label rows of every row; ties to the smaller row.

    Time is in proportion to the pairs of a row and another that it finds through a label: the
    squares of the labels' sizes, summed, or with ``per_label`` at most that many for each label of
    each row.

    Parameters
    ----------
    Y : csr_array of 0/1, shape (n, l), every row with a label
    settings : NeighbourSettings
    """
    n = Y.shape[0]
    per_point = np.diff(Y.indptr)
    if per_point.max(initial=0) > MOST_LABELS:
        raise ValueError(
            f"a point has {per_point.max()} labels; at most {MOST_LABELS} are supported"
        )
    lengths = np.ones(n, np.float32)
    if settings.kind == "cosine":
        lengths = np.maximum(per_point, 1).astype(np.float32)
    m = min(settings.count, n)
    if n * m > MOST_PAIRS:
        raise ValueError(
            f"{n} points with {m} neighbours in one cluster; at most {MOST_PAIRS} pairs are "
            "supported: use more clusters or fewer neighbours"
        )
    ids = np.zeros((n, m), np.int32)
    similarity = np.zeros((n, m), np.float32)
    sizes = np.empty(n, np.int32)
    indptr, labels, _ = csr_parts(Y)
    label_indptr, points, _ = csr_parts(Y.T.tocsr())
    label_neighbours(
        indptr, labels, label_indptr, points, lengths, settings.disjoint == "keep",
        settings.per_label or n, ids, similarity, sizes,
    )  # fmt: skip
    return NeighbourLists(ids, similarity, sizes)


def locality_order(Y: sparse.csr_array) -> np.ndarray:
    """Row order by label sets, the most frequent labels compared first, int64 (n,).

    Rows that follow one another then share most of their neighbours, so the kernels on Omega find
    those in cache. Every row has a label.
    """
    frequency = np.bincount(Y.indices, minlength=Y.shape[1])
    place = np.empty(Y.shape[1], np.int32)
    place[np.argsort(-frequency, kind="stable")] = np.arange(Y.shape[1], dtype=np.int32)
    # its own data: sorting works in place
    ranked = sparse.csr_array((Y.data.copy(), place[Y.indices], Y.indptr), shape=Y.shape)
    ranked.sort_indices()
    sizes = np.diff(Y.indptr)
    depth = np.arange(ORDER_DEPTH)
    at = np.minimum(Y.indptr[:-1, None] + depth, Y.indices.size - 1)
    keys = np.where(depth < sizes[:, None], ranked.indices[at], -1)
    return np.lexsort(keys.T[::-1])

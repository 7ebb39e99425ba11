"""How much each stage computes and moves, counted from its sizes, so that its time can be judged.

Only the leading terms are counted; bytes are those of the operands read and written, as if no cache
held them (float32 4, int32 4), so that a share of the copy rate above 100 % says that caches serve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from xcbench.data.dataset import Dataset
from xcbench.data.matrix import take_rows
from xcbench.models.local_embedding import LocalEmbedding
from xcbench.models.local_embedding.cluster import Cluster
from xcbench.models.local_embedding.completion import complete
from xcbench.models.local_embedding.neighbours import find_neighbours, locality_order
from xcbench.models.local_embedding.partition import nearest_cluster
from xcbench.models.local_embedding.regression import active_features, embed, regress
from xcbench.optim.masked_completion import MaskedSymmetric
from xcbench.optim.ridge import SparseOperator
from xcbench.optim.svp import OVERSAMPLING, START_ITERATIONS

FORMULAS: Mapping[str, str] = {
    "prepare": "the bytes of the texts",
    "partition": "of each of the passes 2 flops and 8 bytes for every pair of an entry of X and a "
    "cluster that has its feature",
    "neighbours": "8 bytes for every pair of a point and a point with which it shares a label, by "
    "label",
    "completion": "start, t times: 4 |Ω| (r + o) + 6 n (r + o)^2 flops, Ω its unordered pairs, o "
    "its oversampling; CG, t times: 10 |Ω| r flops; 16 |Ω| r bytes of each",
    "regression": "2 nnz r flops and 4 nnz r bytes of every sparse product; of a direct solution "
    "the Gram matrix, m^3 / 3 and 2 m^2 r besides",
    "predict": "2 r flops for every stored point of a test point's cluster; 2 flops for every pair "
    "of an entry of X and a cluster that has its feature, and 2 r for every entry",
}


@dataclass(frozen=True)
class Work:
    """What a stage did.

    Attributes
    ----------
    size : str
        Its sizes, in words.
    seconds : float or None
        What it took by one thread; None where that was measured elsewhere.
    flops, moved : float
        Operations and bytes; 0 where they say nothing.
    """

    size: str
    seconds: float | None
    flops: float
    moved: float


class CountingOperator(SparseOperator):
    """Counts the operations and bytes of its products, and of a factor of its Gram matrix."""

    def __init__(self, A: sparse.csr_array) -> None:
        super().__init__(A)
        self.flops = self.moved = 0.0
        self.columns = 0  # multiplied by A or its transpose
        self.order = 0  # of the Gram matrix that was asked for, 0 for none
        self._A = A

    def multiply(self, B: np.ndarray) -> np.ndarray:
        self._count(B.shape[1])
        return super().multiply(B)

    def transpose_multiply(self, C: np.ndarray) -> np.ndarray:
        self._count(C.shape[1])
        return super().transpose_multiply(C)

    def gram(self) -> np.ndarray:
        self._factored(np.diff(self._A.indptr), self.shape[1])
        return super().gram()

    def gram_product(self, B: np.ndarray) -> np.ndarray:
        self._count(2 * B.shape[1])
        return super().gram_product(B)

    def outer_gram(self) -> np.ndarray:
        self._factored(np.bincount(self._A.indices, minlength=self.shape[1]), self.shape[0])
        return super().outer_gram()

    def outer_gram_product(self, C: np.ndarray) -> np.ndarray:
        self._count(2 * C.shape[1])
        return super().outer_gram_product(C)

    def _count(self, columns: int) -> None:
        self.columns += columns
        self.flops += 2.0 * self._A.nnz * columns
        self.moved += 4.0 * self._A.nnz * columns

    def _factored(self, lengths: np.ndarray, order: int) -> None:
        self.order = order
        pairs = float(np.sum(lengths * (lengths + 1.0)) / 2)
        self.flops += 2.0 * pairs + order**3 / 3
        self.moved += 8.0 * pairs


def cluster_rates(model: LocalEmbedding, train: Dataset, test: Dataset) -> dict[str, Any]:
    """``Work`` of every stage by its name, as JSON has it.

    The stages of a cluster are done again for the one of median size; those of the whole model are
    counted only.
    """
    (learner,) = model.learners
    by_size = sorted(learner.clusters, key=lambda cluster: cluster.rows.size)
    found = _fitted_again(model, by_size[len(by_size) // 2], train)
    clusters_of = np.diff(learner.centroids.indptr)  # that have a feature
    found["partition"] = _partition(model, clusters_of, train)
    sizes = np.array([cluster.rows.size for cluster in learner.clusters])
    votes = float(sizes[nearest_cluster(test.X, learner.centroids)].sum())
    r = model.settings.rank
    met = float(clusters_of[test.X.indices].sum())
    found["predict"] = Work(
        f"{test.n_points:,} points, {votes / test.n_points:,.0f} stored ones each, rank {r}",
        None, 2.0 * r * (votes + test.X.nnz) + 2.0 * met, 0.0,
    )  # fmt: skip
    return {name: asdict(work) for name, work in found.items()}


def _partition(model: LocalEmbedding, clusters_of: np.ndarray, train: Dataset) -> Work:
    passes = model.settings.partition.iterations
    count = len(model.learners[0].clusters)
    if count == 1:
        return Work("one cluster", None, 0.0, 0.0)
    met = float(clusters_of[train.X.indices].sum())
    size = f"{train.X.nnz:,} entries of X, {count} clusters, {passes} passes"
    return Work(size, None, 2.0 * passes * met, 8.0 * passes * met)


def _fitted_again(model: LocalEmbedding, cluster: Cluster, train: Dataset) -> dict[str, Work]:
    """Work and time of the stages of a cluster, by this thread."""
    settings, found = model.settings, {}
    Y = take_rows(train.Y, cluster.rows)
    start = perf_counter()
    lists = find_neighbours(Y, settings.neighbours)
    spent = perf_counter() - start
    met = float(np.square(np.bincount(Y.indices).astype(float)).sum())
    found["neighbours"] = Work(
        f"{Y.shape[0]:,} points, {met:,.0f} pairs by label", spent, 0.0, 8 * met
    )
    start = perf_counter()
    rng = np.random.default_rng(model.seed)
    Z = complete(lists, locality_order(Y), settings.rank, settings.completion, rng)
    spent = perf_counter() - start
    known = lists.symmetrised(np.argsort(locality_order(Y)).astype(np.int32))
    found["completion"] = _completion(known, Z.shape[1], settings.completion.iterations, spent)
    start = perf_counter()
    operator = CountingOperator(active_features(take_rows(train.X, cluster.rows))[1])
    embed(operator, regress(operator, Z, settings.regression), settings.regression)
    spent = perf_counter() - start
    found["regression"] = _regression(operator, Z.shape[1], spent)
    return found


def _completion(known: MaskedSymmetric, r: int, iterations: int, spent: float) -> Work:
    n, pairs = known.n, float(known.columns.size)
    width = min(n, r + OVERSAMPLING)
    start = START_ITERATIONS * (4.0 * pairs * width + 6.0 * n * width**2)
    descent = iterations * 10.0 * pairs * r
    moved = 16.0 * pairs * (START_ITERATIONS * width + iterations * r)
    size = f"n {n:,}, r {r}, |Ω| {pairs:,.0f}, {START_ITERATIONS} + {iterations} iterations"
    return Work(size, spent, start + descent, moved)


def _regression(operator: CountingOperator, r: int, spent: float) -> Work:
    n, d = operator.shape
    solved = 2.0 * operator.order**2 * r
    how = f", Gram matrix of order {operator.order:,}" if operator.order else ""
    size = f"{n:,} x {d:,}, r {r}, {operator.columns / r:.0f} sparse products{how}"
    return Work(size, spent, operator.flops + solved, operator.moved)

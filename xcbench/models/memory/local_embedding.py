"""The stages of LocalEmbedding: which arrays are alive at once, in bytes.

Names in the comments are those of the code. ``n, f, r, m`` are a cluster's points, features that
occur in it, rank and neighbours. Numbers before them are bytes: 4 for int32 and float32, 8 for
int64 and float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt

from xcbench.config.methods import (
    CompletionSettings,
    HeadSettings,
    LocalEmbeddingSettings,
    PartitionSettings,
    RegressionSettings,
    VoteSettings,
)
from xcbench.models.local_embedding.ensemble import POINTS_PER_CLUSTER
from xcbench.models.local_embedding.head import BLOCK_LABELS, RARE, TASK_LABELS
from xcbench.models.local_embedding.partition import ASSIGN_BLOCK
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import FREED, KEPT, RETURNED, Stage
from xcbench.optim.ridge import DIRECT_LIMIT
from xcbench.optim.svp import OVERSAMPLING

# Unordered pairs of Omega for each directed one: 1/2 where all choices are mutual, 1 where none is.
MERGED = 0.75
SCALED_AT_ONCE = 1 << 22  # entries that data.features.unit holds as float64
# Weights of the head above the usual threshold for each pair of a feature and a label that occur in
# one training row, pairs counted with repeats: 0.06 to 1 on four data sets.
HEAD_KEPT = 1.5


def stages(settings: LocalEmbeddingSettings, shape: DataShape, k: int) -> tuple[Stage, ...]:
    """Partition, clusters, save, predict."""
    clusters = _count(settings, shape)
    mean = _Cluster.of(settings, shape, 1 / clusters)
    uneven = _largest_over_mean(settings.partition, clusters)
    largest = _Cluster.of(settings, shape, min(1.0, uneven / clusters))
    splits = settings.learners * _split_bytes(shape, clusters)
    # A mean cluster can take more than the largest: it may be just small enough to factor.
    fit = max(_fit(mean, settings), _fit(largest, settings), 3 * largest.bytes(settings.vote))
    model = settings.learners * clusters * mean.bytes(settings.vote)
    centroids = 4 * settings.learners * clusters * shape.n_features
    head, heads = _head_bytes(settings.head, shape), _head_tasks(settings.head, shape)
    tasks = settings.learners * clusters + heads
    fit = max(fit, _head_fit(settings.head, shape))
    freed = min(fit, FREED)
    return (
        Stage(
            "partition",
            "fewer clusters",
            settings.learners,
            task=_partition(settings.partition, shape, clusters),
            mapped=shape.train_bytes if clusters > 1 else 4 * shape.n_train,
            result=_split_bytes(shape, clusters),
        ),
        Stage(
            "clusters",
            "a smaller rank or more clusters",
            tasks,
            task=fit,
            mapped=shape.train_bytes,
            result=(model + head) // tasks,
            held=splits,
        ),
        Stage(
            "save",
            "",
            0,
            # The head's parts, by label and by feature, or a learner's weights or embeddings as one
            # array.
            held=splits
            + model
            + max(3 * head, head + clusters * max(mean.weights, mean.stored(settings.vote))),
            freed=freed,
        ),
        Stage(
            "predict",
            "fewer clusters",
            shape.blocks,
            task=_predict(settings, shape, clusters, k),
            mapped=model
            + head
            + centroids
            + 4 * (shape.nnz_labels + shape.n_train)
            + shape.block_bytes,
            result=8 * k * shape.block_rows,
            freed=freed,
            held=int(KEPT * model) if max(mean.weights, mean.points) < RETURNED else 0,
        ),
    )


def _count(settings: LocalEmbeddingSettings, shape: DataShape) -> int:
    if settings.clusters == "auto":
        return max(1, shape.n_train // POINTS_PER_CLUSTER)
    return min(settings.clusters, shape.n_train)


def _head_tasks(settings: HeadSettings, shape: DataShape) -> int:
    return 0 if settings.kind == "none" else -(-shape.n_labels // TASK_LABELS)


def _head_bytes(settings: HeadSettings, shape: DataShape) -> int:
    """Weights as int32 and float32, row starts, intercepts."""
    if settings.kind == "none":
        return 0
    kept = shape.n_features * shape.n_labels
    if settings.threshold > 0:
        kept = min(kept, int(HEAD_KEPT * shape.nnz_features / shape.n_train * shape.nnz_labels))
    return 8 * kept + 4 * (shape.n_features + shape.n_labels)


def _head_fit(settings: HeadSettings, shape: DataShape) -> int:
    """The peak of fit_labels."""
    if settings.kind == "none":
        return 0
    n, d = shape.n_train, shape.n_features
    block = min(shape.n_labels, BLOCK_LABELS)
    # W, image, residual, direction and a term; positive and active
    fitting = 4 * 5 * block * (d + 1) + 2 * block * n
    # X and its row starts as int64 (of both), places; the columns of a label, and what is active
    rare = 8 * shape.nnz_features + 20 * (n + d) + 16 * shape.nnz_features // RARE
    # What is kept and all of it in one array: a task may have all frequent labels.
    most = min(shape.n_labels, TASK_LABELS) * d
    kept = 2 * min(_head_bytes(settings, shape), 8 * most)
    return rare + fitting + kept


def _largest_over_mean(settings: PartitionSettings, clusters: int) -> float:
    """Points of the largest cluster over the mean, as met on text of 15,000 to 155,000 points."""
    if settings.kind == "balanced":
        return 1.0
    if settings.kind == "spherical":
        return 1.0 + log(clusters)
    return 1.0 + 0.13 * sqrt(clusters) if clusters > 1 else 1.0


def _split_bytes(shape: DataShape, clusters: int) -> int:
    """Rows of each cluster int32, centroids float32 (C, d)."""
    return 4 * (shape.n_train + clusters * shape.n_features)


@dataclass(frozen=True)
class _Cluster:
    """Sizes of one cluster."""

    n: int
    f: int
    r: int
    m: int
    nnz_x: int
    nnz_y: int
    n_labels: int

    @classmethod
    def of(cls, settings: LocalEmbeddingSettings, shape: DataShape, share: float) -> _Cluster:
        """The cluster of this share of the training rows."""
        n = ceil(share * shape.n_train)
        nnz_x = ceil(share * shape.nnz_features)
        return cls(
            n=n,
            f=shape.features_among(nnz_x),
            r=min(settings.rank, n),
            m=min(settings.neighbours.count, n),
            nnz_x=nnz_x,
            nnz_y=ceil(share * shape.nnz_labels),
            n_labels=shape.n_labels,
        )

    @property
    def weights(self) -> int:
        """Regressors float32 (f, r)."""
        return 4 * self.f * self.r

    @property
    def points(self) -> int:
        """One float32 (n, r)."""
        return 4 * self.n * self.r

    def stored(self, vote: VoteSettings) -> int:
        """Database of the vote."""
        return self.points + (0 if vote.kind == "cosine" else 4 * self.n)

    def bytes(self, vote: VoteSettings) -> int:
        """What prediction needs: rows, features, weights, stored."""
        return 4 * (self.n + self.f) + self.weights + self.stored(vote)


def _partition(settings: PartitionSettings, shape: DataShape, clusters: int) -> int:
    n, nnz, dense = shape.n_train, shape.nnz_features, 4 * clusters * shape.n_features
    if clusters == 1:
        return 12 * n  # labelled, its mask
    rows = 8 * nnz + 4 * n  # X[labelled]
    unit = 4 * nnz  # its values scaled; float64 values, divisors and quotient of a block
    scaling = 24 * min(nnz, SCALED_AT_ONCE)
    # _means: the sparse sums, which hold what occurs in each cluster, then the same dense.
    occurring = 8 * clusters * shape.features_among(nnz / clusters)
    means = 12 * n + occurring + dense
    if settings.kind == "balanced":
        work = max(8 * nnz + 16 * n, means)  # rows[members] of the first split
    else:
        # centroids; their transpose and a block's rows and scores, or the next means
        scores = 4 * min(n * clusters, ASSIGN_BLOCK) + 8 * min(nnz, nnz * ASSIGN_BLOCK // n)
        work = dense + max(dense + scores, means)
    return max(rows + unit + max(scaling, work), 3 * _split_bytes(shape, clusters))


def _fit(c: _Cluster, settings: LocalEmbeddingSettings) -> int:
    """The peak of fit_cluster."""
    lists = 8 * c.n * c.m  # ids, similarity
    Y = 8 * c.nnz_y + 4 * c.n
    kept = lists + Y + 12 * c.n  # and order, position
    # Y.T.tocsr() and its row starts; frequency, place and keys of locality_order
    search = 8 * c.nnz_y + 28 * c.n_labels + 150 * c.n
    regression = _regression(c, settings.regression, settings.vote)
    return kept + max(search, _completion(c, settings.completion), c.points + regression)


def _completion(c: _Cluster, settings: CompletionSettings) -> int:
    directed = c.n * c.m
    if settings.kind == "released":
        # NeighbourLists.directed: held, rows, similarity, columns, and the matrix made of them
        matrix = 21 * directed
        # svds: known, the Lanczos basis (n, 2r + 1), vectors of both sides
        factors = 8 * directed + 4 * c.n * (2 * c.r + 1) + 4 * c.points
        # known 8, places 8, mirrored 12, residual 4, its float64 squares 8; U, V, change, a product
        descent = 40 * directed + 4 * c.points
        return max(matrix, factors, descent)
    entries = ceil(MERGED * directed)
    building = max(8 * directed + 12 * entries, 24 * entries)  # keys; columns, weights, targets
    known = 28 * entries  # columns, weights, targets; the mirrored columns and source
    block = 4 * c.n * min(c.n, c.r + OVERSAMPLING)
    # half; noise, basis, image, its float64 copy, the next basis
    eigenpairs = 4 * entries + 6 * block
    if settings.kind == "svp":
        # half and the residual it comes from; Z and the vectors it was made of
        return max(building, known + 4 * entries + eigenpairs + 2 * c.points)
    start = known + eigenpairs + c.points if settings.start == "spectral" else c.points
    if settings.kind == "none":
        return max(building, start)
    # residual, linear, quadratic; start, old and new point, gradients, direction, combine's terms
    descent = 12 * entries + 9 * c.points
    if settings.kind == "madmm_l1":
        # The targets of each round with a mirror of their own; error, shrunk, dual, previous.
        descent += 40 * entries
    return max(building, start, known + descent)


def _regression(c: _Cluster, settings: RegressionSettings, vote: VoteSettings) -> int:
    """Beside Z: X, its solver, and what is made of V (f, r) and E (n, r)."""
    weights, points, order = c.weights, c.points, min(c.n, c.f)
    # X[rows] with its indices; sorted, searched (int64) and local ones of active_features
    selecting = 20 * c.nnz_x
    operator = 16 * c.nnz_x + 12 * (c.n + c.f)  # X and its transpose
    if order > DIRECT_LIMIT:
        # right, solution, residual, direction, image before and after (or scaled); A direction
        solving = 6 * weights + points
    elif c.f <= c.n:
        solving = 4 * order**2 + 3 * weights  # factor; A^T B, LAPACK's copy, V
    else:
        solving = 4 * order**2 + weights + 2 * points
    if settings.kind == "admm_l1":
        solving += weights + 7 * points  # V; alpha, dual, target, fitted and terms of them
    # V, |V| and argpartition's int64 places; the same of E^T beside E and V
    pruning = 4 * weights if settings.weight_sparsity else 0
    embedding = weights + (5 if settings.embedding_sparsity else 1) * points
    voting = weights + 3 * points + (weights + points if vote.kind == "itml" else 0)
    return max(selecting, operator + max(solving, pruning, embedding, voting))


def _predict(settings: LocalEmbeddingSettings, shape: DataShape, clusters: int, k: int) -> int:
    rows = shape.block_rows
    labels = 4 * shape.nnz_labels + 8 * shape.n_train  # ones, row starts as int64
    # nearest_cluster: the transposed centroids, scores
    assigning = 4 * clusters * (shape.n_features + rows) if clusters > 1 else 0
    votes = 16 * rows * settings.vote.neighbours * settings.learners  # of each learner, stacked
    queries = 8 * rows * settings.rank + 3 * shape.block_bytes
    return labels + assigning + votes + queries + 16 * shape.n_labels + 8 * k * rows

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
    LocalEmbeddingSettings,
    PartitionSettings,
    RegressionSettings,
    VoteSettings,
)
from xcbench.kernels.topk import BLOCK_COLUMNS
from xcbench.kernels.topk import BLOCK_ROWS as SCORED_ROWS
from xcbench.models.local_embedding.ensemble import block_rows
from xcbench.models.local_embedding.partition import TABLE_LIMIT
from xcbench.models.memory.head import head_assembly, head_bytes, head_fit, head_tasks
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import BY_FILE, FREED, KEPT, Stage
from xcbench.optim.ridge import CG_COLUMNS, DIRECT_LIMIT
from xcbench.optim.svp import OVERSAMPLING

# Unordered pairs of Omega for each directed one: 1/2 where all choices are mutual, 1 where none is.
MERGED = 0.75


def stages(settings: LocalEmbeddingSettings, shape: DataShape, k: int) -> tuple[Stage, ...]:
    """Partition, clusters, save, predict."""
    clusters = min(settings.clusters_among(shape.n_train), shape.n_train)
    mean = _Cluster.of(settings, shape, 1 / clusters)
    uneven = _largest_over_mean(settings.partition, clusters)
    largest = _Cluster.of(settings, shape, min(1.0, uneven / clusters))
    splits = settings.learners * _split_bytes(shape, clusters)
    # A mean cluster can take more than the largest: it may be just small enough to factor.
    fit = max(_fit(mean, settings), _fit(largest, settings))
    model = settings.learners * clusters * mean.bytes(settings)
    heads = head_tasks(settings.head, shape, clusters)
    by_cluster = settings.head.scope == "cluster"
    share = min(1.0, uneven / clusters) if by_cluster else 1.0
    head = head_bytes(settings.head, shape, share)
    all_heads = clusters * head_bytes(settings.head, shape, 1 / clusters) if by_cluster else head
    fit = max(fit, head_fit(settings.head, shape, share))
    tasks = settings.learners * clusters + heads
    freed = min(fit, FREED)
    result = (model + all_heads) // tasks
    # Large results are mapped files, which saving reads a cluster at a time; the parts of one head
    # of all labels are read at once.
    fitted = model + all_heads if result < BY_FILE else largest.bytes(settings) + head
    fitted += head_assembly(settings.head, shape)
    rows = block_rows(settings, clusters, shape.n_test)
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
            result=result,
            held=splits,
        ),
        Stage("save", "", 0, held=splits + fitted, freed=freed),
        Stage(
            "predict",
            "more clusters",
            -(-shape.n_test // rows),
            task=_predict(settings, shape, largest, clusters, min(rows, shape.n_test), k),
            mapped=largest.bytes(settings)
            + head
            + _centroid_bytes(shape, clusters)
            + 4 * (shape.nnz_labels + shape.n_train)
            + shape.test_bytes(rows),
            result=8 * k * min(rows, shape.n_test),
            freed=freed,
            held=_assigned(shape, k) + (int(KEPT * (model + all_heads)) if result < BY_FILE else 0),
        ),
    )


def _largest_over_mean(settings: PartitionSettings, clusters: int) -> float:
    """Points of the largest cluster over the mean, as met on text of 15,000 to 155,000 points."""
    if settings.kind == "balanced":
        return 1.0
    if settings.kind == "spherical":
        return 1.0 + log(clusters)
    return 1.0 + 0.13 * sqrt(clusters) if clusters > 1 else 1.0


def _centroid_entries(shape: DataShape, clusters: int) -> int:
    """What occurs in each cluster; a single one's centroid is empty."""
    return clusters * shape.features_among(shape.nnz_features / clusters) if clusters > 1 else 0


def _centroid_bytes(shape: DataShape, clusters: int) -> int:
    """Clusters and values by feature, row starts."""
    return 8 * _centroid_entries(shape, clusters) + 4 * shape.n_features


def _split_bytes(shape: DataShape, clusters: int) -> int:
    """Rows of each cluster int32, centroids."""
    return 4 * shape.n_train + _centroid_bytes(shape, clusters)


def _packed(rows: int, width: int, zeros: float, dtype: str) -> int:
    """Bytes of a Packed matrix, a share of whose entries are 0."""
    item, size = (2 if dtype == "float16" else 4), rows * width
    return min(item * size, (item + 2) * ceil((1 - zeros) * size) + 2 * rows)


@dataclass(frozen=True)
class _Cluster:
    """Sizes of one cluster."""

    n: int
    f: int
    r: int
    m: int
    nnz_x: int
    nnz_y: int
    n_features: int
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
            n_features=shape.n_features,
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

    def bytes(self, settings: LocalEmbeddingSettings) -> int:
        """What prediction needs: rows, features, weights, stored embeddings."""
        zeros, storage = settings.regression, settings.storage
        # A learned metric mixes the dimensions, and leaves no zeros.
        mixed = settings.vote.kind == "itml"
        weights = 0.0 if mixed else zeros.weight_sparsity
        points = 0.0 if mixed else zeros.embedding_sparsity
        return (
            4 * (self.n + self.f)
            + _packed(self.f, self.r, weights, storage.weights)
            + _packed(self.n, self.r, points, storage.embeddings)
        )


def _partition(settings: PartitionSettings, shape: DataShape, clusters: int) -> int:
    n, d = shape.n_train, shape.n_features
    if clusters == 1:
        return 12 * n  # labelled, its mask
    # Row starts as int64, rows and lengths; those by cluster, their order, the assignment
    points = 20 * n + 24 * n
    # Row starts of the sums and where each is filled, as int64; the last cluster of each feature
    building = 20 * d + _centroid_bytes(shape, clusters)
    if settings.kind == "balanced":
        # members, contrast, side, order of the first split; scratch
        return points + max(24 * n + 8 * d, building)
    # The centroids of before; how often each feature occurs
    before = _centroid_bytes(shape, clusters) + 8 * d
    return points + before + max(building, _assigning(shape, clusters))


def _assigning(shape: DataShape, clusters: int) -> int:
    """Beside the centroids: row starts as int64, their sizes, places; the table."""
    return 20 * shape.n_features + 4 * min(TABLE_LIMIT, shape.n_features * clusters)


def _fit(c: _Cluster, settings: LocalEmbeddingSettings) -> int:
    """The peak of fit_cluster."""
    lists = 8 * c.n * c.m  # ids, similarity
    Y = 8 * c.nnz_y + 4 * c.n
    kept = lists + Y + 12 * c.n  # and order, position
    # Y.T.tocsr() and its row starts; frequency, place and keys of locality_order
    search = 8 * c.nnz_y + 28 * c.n_labels + 150 * c.n
    regression = _regression(c, settings.regression, settings.vote)
    # What is kept of V and E beside them.
    packing = c.weights + 2 * c.points + c.bytes(settings)
    regression = c.points + max(regression, packing)
    return kept + max(search, _completion(c, settings.completion), regression)


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
    # X[rows], its local indices; which features occur, and their places
    selecting = 12 * c.nnz_x + 5 * c.n_features
    operator = 16 * c.nnz_x + 12 * (c.n + c.f)  # X and its transpose
    if order > DIRECT_LIMIT:
        # A^T B or B, solution, V; of a block of columns right, solution, residual, direction, image
        solving = weights + 4 * order * (c.r + 5 * min(c.r, CG_COLUMNS))
        solving += weights if c.f <= c.n else 0
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


def _predict(
    settings: LocalEmbeddingSettings,
    shape: DataShape,
    largest: _Cluster,
    clusters: int,
    rows: int,
    k: int,
) -> int:
    """One block of so many rows."""
    # Row starts as int64; score, vote, scored, voted and the labels' weights; the head's margins,
    # met and places.
    labels = 8 * shape.n_train + 29 * shape.n_labels
    # and how often each feature occurs
    assigning = _assigning(shape, clusters) + 8 * shape.n_features if clusters > 1 else 0
    votes = 8 * rows * settings.vote.neighbours * settings.learners
    # The rows of one visit, at most all: X, restricted; Z and its unit rows; ids, votes and copies
    visit = 4 * shape.test_bytes(rows) + rows * (8 * largest.r + 32 * settings.vote.neighbours)
    return (
        labels
        + assigning
        + votes
        + visit
        + _unpacked(settings, largest, rows, shape)
        + 8 * k * rows
    )


def _unpacked(settings: LocalEmbeddingSettings, c: _Cluster, rows: int, shape: DataShape) -> int:
    """What a visit turns back into dense float32: a block of embeddings, weights of 16 bits."""
    block = 8 * min(c.n, BLOCK_COLUMNS) * (c.r + 1)  # with lengths appended
    starts = 8 * (c.n + c.f)
    scores = 4 * SCORED_ROWS * BLOCK_COLUMNS
    if settings.storage.weights == "float32":
        return block + starts + scores
    met = min(c.f, shape.features_among(shape.test_bytes(rows) / 8))
    return block + starts + scores + 6 * met * c.r


def _assigned(shape: DataShape, k: int) -> int:
    """What the parent holds while blocks are predicted: the test features it read, all results."""
    return shape.test_bytes(shape.n_test) + (8 * k + 16) * shape.n_test

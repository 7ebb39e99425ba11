"""The linear heads of LocalEmbedding: what they hold and what fitting one takes, in bytes.

Names in the comments are those of the code; see memory.local_embedding.
"""

from __future__ import annotations

from math import ceil

from xcbench.config.methods import HeadSettings
from xcbench.models.local_embedding.head import OWN_LABELS, RARE, TASK_LABELS
from xcbench.models.memory.shape import DataShape

# Weights of the head above the usual threshold for each pair of a feature and a label that occur in
# one training row, pairs counted with repeats: 0.06 to 1 on five data sets.
KEPT = 1.5


def head_tasks(settings: HeadSettings, shape: DataShape, clusters: int) -> int:
    """Tasks that fit the heads."""
    if settings.kind == "none":
        return 0
    return clusters if settings.scope == "cluster" else ceil(shape.n_labels / TASK_LABELS)


def head_bytes(settings: HeadSettings, shape: DataShape, share: float) -> int:
    """A head fitted to this share of the rows: LinearHead.arrays."""
    if settings.kind == "none":
        return 0
    features, labels = _occurring(shape, share)
    return 8 * _weights(settings, shape, share) + 12 * features + 8 * labels


def head_fit(settings: HeadSettings, shape: DataShape, share: float) -> int:
    """The peak of fit_labels, or of fit_cluster_head where this is the cluster's share."""
    if settings.kind == "none":
        return 0
    n, nnz = ceil(share * shape.n_train), ceil(share * shape.nnz_features)
    d, labels = _occurring(shape, share)
    kept = _weights(settings, shape, share)
    selected = 0
    # entries, their order, labels and rows of the labels; which entries are theirs
    positives = 40 * ceil(share * shape.nnz_labels)
    if settings.scope == "cluster":
        # X and Y of the cluster; which features occur, and their places
        selected = 12 * nnz + 12 * ceil(share * shape.nnz_labels) + 5 * shape.n_features
    else:
        labels, kept = min(labels, TASK_LABELS), min(kept, min(labels, TASK_LABELS) * d)
    columns = 8 * nnz + 20 * (n + d)  # row starts as int64 (of both), places
    # W, image, residual, direction, own and a term; positive and active
    width = min(labels, OWN_LABELS)
    fitting = 4 * 6 * width * (d + 1) + 2 * width * n
    # of_union, its local rows and A; or the columns of a label, and what is active
    union = max(20 * nnz, 16 * nnz // RARE)
    # Each label's arrays and all in one; or all, their order by feature, sorted and placed.
    packing = 600 * labels + (52 if settings.scope == "cluster" else 16) * kept
    return selected + positives + columns + fitting + union + packing


def head_assembly(settings: HeadSettings, shape: DataShape) -> int:
    """Beside what the tasks gave: the head of all labels, and a task's part by feature.

    One task's labels may have much of the weights.
    """
    if settings.kind == "none" or settings.scope == "cluster":
        return 0
    return 2 * head_bytes(settings, shape, 1.0) + 24 * shape.n_features


def _weights(settings: HeadSettings, shape: DataShape, share: float) -> int:
    features, labels = _occurring(shape, share)
    if settings.threshold == 0:
        return features * labels
    per_row = shape.nnz_features / shape.n_train
    return min(features * labels, int(KEPT * per_row * share * shape.nnz_labels))


def _occurring(shape: DataShape, share: float) -> tuple[int, int]:
    """Features and labels that occur in this share of the rows."""
    features = shape.features_among(share * shape.nnz_features) if share < 1 else shape.n_features
    return features, min(shape.n_labels, ceil(share * shape.nnz_labels))

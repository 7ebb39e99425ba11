"""The stages of OneVsRest and FeatureNeighbours: which arrays are alive at once, in bytes.

Names in the comments are those of the code.
"""

from __future__ import annotations

from math import ceil

from xcbench.config.peers import FeatureNeighboursSettings, OneVsRestSettings
from xcbench.models.baselines.feature_neighbours import SIMILARITIES
from xcbench.models.baselines.one_vs_rest import SCORES, SOLVED_AT_ONCE, TASK_LABELS
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import FREED, Stage
from xcbench.optim.ridge import DIRECT_LIMIT

ONE_VS_REST_ADVICE = "fewer weights_per_label"
NEIGHBOURS_ADVICE = "a machine with more memory"


def one_vs_rest(settings: OneVsRestSettings, shape: DataShape, k: int) -> tuple[Stage, ...]:
    """Regression, save, predict."""
    n, d, labels = shape.n_train, shape.n_features, shape.n_labels
    advice = ONE_VS_REST_ADVICE
    kept = min(settings.weights_per_label or d, d)
    entry = 8 if settings.weights_per_label else 4  # a weight, and its feature or place
    tasks = ceil(labels / TASK_LABELS)
    width, solved = min(labels, TASK_LABELS), min(labels, SOLVED_AT_ONCE)
    operator = 16 * shape.nnz_features + 12 * (n + d)  # X and its transpose
    # targets dense; right, solution, residual, direction, image before and after; A direction
    solving = 8 * n * solved + 24 * d * solved
    choosing = 16 * d * solved if settings.weights_per_label else 0  # absolute values, int64 places
    factor = 4 * min(n, d) ** 2 if min(n, d) <= DIRECT_LIMIT else 0
    result = entry * width * kept
    fit = operator + 8 * shape.nnz_labels + factor + max(solving, choosing) + result
    model = entry * labels * kept
    rows = shape.block_rows
    return (
        Stage("regression", advice, tasks, fit, shape.train_bytes, result=model // tasks),
        # blocks and the weights made of them; sparse ones once more, by label
        Stage("save", advice, 0, held=(3 if entry == 8 else 2) * model, freed=min(fit, FREED)),
        Stage(
            "predict",
            advice,
            shape.blocks,
            # dense scores; a sparse product and what it is sorted into
            task=(16 if entry == 8 else 4) * min(SCORES, rows * labels) + 8 * k * rows,
            mapped=model + shape.block_bytes,
            result=8 * k * rows,
            freed=min(fit, FREED),
        ),
    )


def feature_neighbours(
    settings: FeatureNeighboursSettings, shape: DataShape, k: int
) -> tuple[Stage, ...]:
    """Index, save, predict."""
    n, d, rows, advice = shape.n_train, shape.n_features, shape.block_rows, NEIGHBOURS_ADVICE
    index = 8 * shape.nnz_features + 8 * d
    labels = 8 * (shape.nnz_labels + n)
    # the scaled values; those by column beside them
    fit = 4 * shape.nnz_features + index
    held = min(max(SIMILARITIES, n), rows * n)
    votes = 16 * rows * min(settings.neighbours, n)
    return (
        Stage("index", advice, 1, fit, shape.train_bytes),
        Stage("save", advice, 0, held=index, freed=min(fit, FREED)),
        Stage(
            "predict",
            advice,
            shape.blocks,
            # the sparse product, which may be full, and the dense one
            task=12 * held + votes + 8 * shape.n_labels + 8 * k * rows + shape.block_bytes,
            mapped=index + labels + shape.block_bytes,
            result=8 * k * rows,
            freed=min(fit, FREED),
        ),
    )

"""The stages of Maxide in extreme classification: which arrays are alive at once, in bytes.

Names in the comments are those of the code.
"""

from __future__ import annotations

from xcbench.config.maxide import MaxideSettings
from xcbench.kernels.topk import BLOCK_COLUMNS
from xcbench.kernels.topk import BLOCK_ROWS as SCORED_ROWS
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import FREED, Stage
from xcbench.optim.randomized import OVERSAMPLING

ADVICE = "smaller ranks"


def stages(settings: MaxideSettings, shape: DataShape, k: int) -> tuple[Stage, ...]:
    """Completion, save, predict."""
    n, d, labels = shape.n_train, shape.n_features, shape.n_labels
    rank = min(max(settings.ranks), n, d)
    width = min(d, rank + OVERSAMPLING)
    # X and its transpose in float64 beside the rows taken to choose on
    data = 24 * shape.nnz_features + 8 * (shape.nnz_features + shape.nnz_labels)
    vectors = 8 * width * 4 * (n + d)  # Q, its product, the QR's copy and result
    # target by label and by row, the decomposition's U s Vt, a factor of it
    solving = 8 * rank * (n + d + 5 * labels)
    columns = min(
        rank + 1, labels, settings.label_rank if settings.labels != "identity" else labels
    )
    fit = data + max(vectors, solving)
    model = 4 * columns * (d + 1 + labels)
    freed = min(fit, FREED)
    rows = shape.block_rows
    return (
        Stage("completion", ADVICE, 1, task=fit, mapped=shape.train_bytes, result=model),
        Stage("save", ADVICE, 0, held=model, freed=freed),
        Stage(
            "predict",
            ADVICE,
            shape.blocks,
            task=4 * (rows * columns + SCORED_ROWS * BLOCK_COLUMNS) + 8 * k * rows,
            mapped=model + shape.block_bytes,
            result=8 * k * rows,
            freed=freed,
        ),
    )

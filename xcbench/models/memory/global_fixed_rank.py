"""The stages of GlobalFixedRank: which arrays are alive at once, in bytes (float64 but the result).

Names in the comments are those of the code.
"""

from __future__ import annotations

from xcbench.config.methods import GlobalSettings
from xcbench.kernels.topk import BLOCK_COLUMNS
from xcbench.kernels.topk import BLOCK_ROWS as SCORED_ROWS
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import FREED, Stage
from xcbench.optim.whitening import CHOLESKY_FEATURES, SKETCH_RANK

ADVICE = "a smaller rank"


def stages(settings: GlobalSettings, shape: DataShape, k: int) -> tuple[Stage, ...]:
    """Regression, save, predict."""
    n, d, labels = shape.n_train, shape.n_features, shape.n_labels
    rank = min(settings.rank, n, d, labels)
    data = 8 * (shape.nnz_features + shape.nnz_labels)  # _double
    if settings.solver == "closed_form":
        fit = data + _closed_form(shape)
    else:
        fit = data + _descent(settings, shape, rank)
    model = 4 * rank * (d + labels)
    freed = min(fit, FREED)
    rows = shape.block_rows
    return (
        Stage("regression", ADVICE, 1, task=fit, mapped=shape.train_bytes, result=model),
        Stage("save", ADVICE, 0, held=model, freed=freed),
        Stage(
            "predict",
            ADVICE,
            shape.blocks,
            task=4 * (rows * rank + SCORED_ROWS * BLOCK_COLUMNS) + 8 * k * rows,
            mapped=model + shape.block_bytes,
            result=8 * k * rows,
            freed=freed,
        ),
    )


def _descent(settings: GlobalSettings, shape: DataShape, rank: int) -> int:
    n, d, labels = shape.n_train, shape.n_features, shape.n_labels
    making, kept = 0, 0
    if settings.preconditioner == "gram" and d <= CHOLESKY_FEATURES:
        kept = 8 * d**2  # the factor
        # X^T and the sparse product it gives; the dense one and its factor
        occurring = min(d**2, shape.nnz_features**2 // n)
        making = max(12 * (shape.nnz_features + occurring) + kept, 2 * kept)
    elif settings.preconditioner == "gram":
        sketched = min(max(SKETCH_RANK, 2 * rank), d)
        kept = 8 * d * sketched  # Q
        making = 6 * kept + 8 * n * sketched  # test, sketch, half, the decomposition's; X test
    # Columns of rank at one time. (d, r): U, T of the state before, of the new one and of the
    # line, the gradients, directions and their terms. (l, r): V and the same. (n, r): XT, YV of two
    # states and of two lines, residual and products.
    return max(making, kept + 8 * rank * (14 * d + 10 * labels + 10 * n))


def _closed_form(shape: DataShape) -> int:
    n, d, labels = shape.n_train, shape.n_features, shape.n_labels
    order, smaller = min(n, d), min(n, d, labels)
    eigen = order**2  # Q
    finding = 3 * eigen  # the Gram matrix, all of Q, its kept columns
    projecting = eigen + order * labels + (n * d if d <= n else 0)  # Y^T (X Q), X Q
    # C, the array it comes from; its Gram matrix and the eigenvectors
    truncating = eigen + 2 * order * labels + 3 * smaller**2
    return 8 * max(finding, projecting, truncating)

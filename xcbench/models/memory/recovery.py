"""The stages of the recovery of made-up matrices: arrays alive at once, in bytes.

Names in the comments are those of tasks/matrix_recovery and of optim.
"""

from __future__ import annotations

from xcbench.config.matrix_recovery import MatrixRecoveryDataset, RecoveryMethodSettings
from xcbench.config.maxide import MaxideSettings
from xcbench.models.memory import completion
from xcbench.models.memory.stages import Stage
from xcbench.optim.side_information import BLOCK_NUMBERS

ADVICE = "a smaller matrix or task.observed"
# Of each observed entry: its place as it is drawn, sorted and kept; later its column and value, and
# the residual at three points with what holding them as a matrix copies.
ENTRY = 80


def stages(
    settings: RecoveryMethodSettings, dataset: MatrixRecoveryDataset, share: float
) -> tuple[Stage, ...]:
    """One: the matrix, the path and the errors."""
    n, m, side = dataset.rows, dataset.columns, dataset.side
    observed = max(1, round(share * n * m))
    # left out are drawn of more than half, as numbers of one byte
    entries = ENTRY * observed + (n * m if share > 0.5 else 0)
    # A and B; the numbers they are made of, the QR's copy and result, or the factors stacked
    planted = 8 * side * (n + m) + 8 * 4 * (side + dataset.rank) * max(n, m)
    if isinstance(settings, MaxideSettings):
        found = 8 * 3 * min(BLOCK_NUMBERS, n * side) + 8 * 8 * side**2
    else:
        found = completion.svt(n, m, observed, 1)
    return (Stage("recovery", ADVICE, 1, task=entries + planted + found),)

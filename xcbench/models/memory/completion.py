"""The stages of label completion (tasks/matrix_completion): arrays alive at once, in bytes.

Names in the comments are those of the code.
"""

from __future__ import annotations

from math import isqrt

from xcbench.config.matrix_completion import CompletionMethodSettings
from xcbench.config.maxide import MaxideSettings, SVTSettings
from xcbench.models.memory.shape import DataShape
from xcbench.models.memory.stages import Stage
from xcbench.optim.randomized import OVERSAMPLING

ADVICE = "a smaller task.observed or fewer penalties"
# Of each observed entry: its column and value, those of a part, the residual at three points and
# what holding them as a matrix copies.
ENTRY = 80
JUDGED = 64  # of each score of a block: what sorting and ranking it takes


def stages(settings: CompletionMethodSettings, shape: DataShape, share: float) -> tuple[Stage, ...]:
    """One: the choice of settings, each path of which is held as a whole."""
    n, labels = shape.n_train, shape.n_labels
    observed = labels * min(max(1, round(share * n)), n)
    features = 16 * (shape.nnz_features + shape.nnz_test_features)  # of all points, and a copy
    judged = JUDGED * min(1 << 22, (n + shape.n_test) * labels)
    task = features + ENTRY * observed + judged + _path(settings, shape, observed)
    return (Stage("completion", ADVICE, 1, task=task, mapped=shape.train_bytes),)


def svt(n: int, m: int, observed: int, kept: int) -> int:
    """Singular value thresholding of n x m from so many entries, with so many solutions kept.

    A matrix of least trace norm that meets so many equations has at most that rank r for which
    r (r + 1) / 2 is their number (Pataki, "On the rank of extreme matrices in semidefinite
    programs", Math. Oper. Res. 23, 1998).
    """
    rank = min(n, m, isqrt(2 * observed) + 1)
    # point, base and previous; their stacked factors and the QR's copies
    return 8 * rank * (n + m) * (kept + 9)


def _path(settings: CompletionMethodSettings, shape: DataShape, observed: int) -> int:
    """The completions of a path, and what finding one takes."""
    n, d, labels = shape.n_train, shape.n_features, shape.n_labels
    if isinstance(settings, SVTSettings):
        return svt(n, labels, observed, len(settings.penalties))
    if isinstance(settings, MaxideSettings):
        points = n + shape.n_test
        rank = min(max(settings.ranks), points, d)
        entries = shape.nnz_features + shape.nnz_test_features
        width = min(d, rank + OVERSAMPLING)
        # X and its transpose in float64; Q, its product, the QR's copy and result
        side = 24 * entries + 8 * width * 4 * (points + d)
        chosen = 1 if settings.over_ranks == "best" else len(settings.ranks)
        # A and the columns of a rank; Z of all penalties, and six at work
        Z = 8 * (rank + 1) * labels * (len(settings.penalties) + chosen + 6)
        return 8 * 2 * points * (rank + 1) + max(side, Z)
    return 4 * (d + 1) * labels * (2 * len(settings.penalties) + 1)

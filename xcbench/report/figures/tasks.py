"""The figures of other tasks and of robustness, by their names on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xcbench.report.figures.compressed_modes import (
    figure_compressed_modes,
    missing_compressed_modes,
)
from xcbench.report.figures.correspondence_map import (
    figure_correspondence_map,
    missing_correspondence_map,
)
from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.functional_correspondence import (
    figure_functional_correspondence,
    missing_functional_correspondence,
)
from xcbench.report.figures.matrix_completion import (
    figure_matrix_completion,
    missing_matrix_completion,
)
from xcbench.report.figures.matrix_recovery import (
    figure_matrix_recovery,
    missing_matrix_recovery,
)
from xcbench.report.figures.mesh_modes import figure_mesh_modes, missing_mesh_modes
from xcbench.report.figures.metric_learning import (
    figure_metric_learning,
    missing_metric_learning,
)
from xcbench.report.figures.robust_embedding import (
    figure_robust_embedding,
    missing_robust_embedding,
)
from xcbench.report.figures.robustness import figure_robustness, missing_robustness
from xcbench.report.figures.rows import Arrays, Missing
from xcbench.report.rows import Row

Figure = Callable[[Sequence[Row], Arrays], Drawing | None]
Gaps = Callable[[Sequence[Row]], list[Missing]]

TASK_FIGURES: dict[str, tuple[Figure, Gaps]] = {
    "metric-learning": (figure_metric_learning, missing_metric_learning),
    "modes": (figure_compressed_modes, missing_compressed_modes),
    "modes-mesh": (figure_mesh_modes, missing_mesh_modes),
    "correspondence": (figure_functional_correspondence, missing_functional_correspondence),
    "correspondence-map": (figure_correspondence_map, missing_correspondence_map),
    "embedding": (figure_robust_embedding, missing_robust_embedding),
    "matrix-completion": (figure_matrix_completion, missing_matrix_completion),
    "matrix-recovery": (figure_matrix_recovery, missing_matrix_recovery),
    "robustness": (figure_robustness, missing_robustness),
}

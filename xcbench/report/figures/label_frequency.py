"""How many training rows each label has, by rank: the long tail of a dataset."""

from __future__ import annotations

import numpy as np

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.style import BLUE, Look, log_axes, panels, settle, styled


def figure_label_frequency(counts: np.ndarray, n_labels: int, title: str) -> Drawing:
    """Counts against rank on logarithmic axes.

    Parameters
    ----------
    counts : ndarray of int, shape (m,)
        Training rows of the labels that have any, decreasing; m at least 1.
    n_labels : int
        All labels.
    title : str
        What the dataset is called.
    """
    with styled():
        figure, (axis,) = panels(1, 1, height=2.4)
        ranks = np.arange(1, counts.size + 1)
        axis.plot(ranks, counts, **(Look(BLUE, "o").line() | {"markersize": 2.0}))
        log_axes(axis, "rank of the label", "training rows")
        settle(figure)
    without = n_labels - counts.size
    caption = f"Training rows of each label of {title}, the commonest first, on logarithmic axes."
    if without:
        caption += f" {without} of {n_labels} labels have no training row."
    alt = (
        f"Label frequency of {title}: {counts[0]} rows for the commonest label, "
        f"{int(np.median(counts))} for the median one, {counts[-1]} for the rarest."
    )
    return Drawing("label-frequency", f"Label frequency of {title}", caption, alt, figure)

"""The label-frequency curve of ``xcbench data info``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from xcbench.cli.curve import log_log_curve
from xcbench.cli.outputs import write_output

if TYPE_CHECKING:
    from xcbench.data.load import Parts

FIGURE_FORMATS = (".png", ".svg")
_NAMED = 10


def show_frequencies(title: str, parts: Parts, folder: Path, figure: Path | None) -> None:
    """Print the curve and the names of the commonest labels; draw the curve if a file is given.

    Parameters
    ----------
    title : str
        What the dataset is called.
    parts : Parts
    folder : Path
        Where names of labels may lie.
    figure : Path or None
        Ends in one of ``FIGURE_FORMATS``.
    """
    from xcbench.data.names import LABEL_NAMES, read_names
    from xcbench.data.statistics import label_frequencies

    Y = parts.train.Y
    labels, counts = label_frequencies(Y)
    if not counts.size:
        typer.echo("no training row has a label, so there is no curve")
        return
    typer.echo(log_log_curve(counts, "rank of the label", "training rows"))
    if (folder / LABEL_NAMES).is_file():
        names = read_names(folder / LABEL_NAMES, Y.shape[1])
        typer.echo("commonest labels, and their training rows")
        for label, count in zip(labels[:_NAMED].tolist(), counts[:_NAMED].tolist(), strict=True):
            typer.echo(f"{count:>10}  {names[label]} ({label})")
    if figure is not None:
        from xcbench.report.figures.drawing import png, svg
        from xcbench.report.figures.label_frequency import figure_label_frequency

        drawing = figure_label_frequency(counts, Y.shape[1], title)
        is_svg = figure.suffix.lower() == ".svg"
        write_output(figure, svg(drawing) if is_svg else png(drawing))
        typer.echo(f"{figure}: {drawing.caption}")

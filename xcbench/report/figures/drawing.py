"""A finished figure, and the bytes it comes to."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xcbench.report.figures.style import PNG_DPI, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Drawing:
    """One figure and what is said about it; the texts are plain.

    Attributes
    ----------
    name : str
        As in ``xcbench figure NAME``.
    title : str
        One line.
    caption : str
        Whole sentences: what is shown, on which data, splits and seeds, from how many runs.
    alt : str
        For those who cannot see it: what the figure shows, and its main numbers.
    figure : matplotlib.figure.Figure
    """

    name: str
    title: str
    caption: str
    alt: str
    figure: Figure


def svg(drawing: Drawing) -> str:
    """A whole SVG document; equal drawings give equal text."""
    target = io.BytesIO()
    about = {"Date": None, "Title": drawing.title, "Description": drawing.caption}
    with styled(f"figure {drawing.name}"):
        drawing.figure.savefig(target, format="svg", metadata=about)
    return target.getvalue().decode("utf-8")


def png(drawing: Drawing) -> bytes:
    """A PNG image at 300 dots an inch."""
    target = io.BytesIO()
    about = {"Title": drawing.title, "Description": drawing.caption}
    with styled(f"figure {drawing.name}"):
        drawing.figure.savefig(target, format="png", dpi=PNG_DPI, metadata=about)
    return target.getvalue()

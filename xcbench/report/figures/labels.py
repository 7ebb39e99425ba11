"""Placing short labels beside points so that they cover neither points, lines nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING

from xcbench.report.figures.style import BLACK, SMALL_FONT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIRECTIONS = 16
_DISTANCES = (7.0, 11.0, 16.0)  # points
_LETTER, _HEIGHT = 4.6, 6.5  # points, of the small font's digits
_MARKER, _LINE = 5.0, 1.0

Box = tuple[float, float, float, float]
Segment = tuple[tuple[float, float], tuple[float, float]]


def place_labels(
    axis: Axes, points: Sequence[tuple[float, float, str]], lines: Sequence[Segment] = ()
) -> None:
    """Write each (x, y, text) beside its point, in the place that covers least.

    Parameters
    ----------
    axis : Axes
        Its place in the figure must be final (``Figure.draw_without_rendering``).
    points : sequence of (x, y, text)
    lines : sequence of ((x, y), (x, y))
        Horizontal and vertical pieces of line to keep clear of.
    """
    frame = axis.get_window_extent()
    inside = tuple(_scaled(axis, edge) for edge in (frame.x0, frame.y0, frame.x1, frame.y1))
    taken = [_box(*_place(axis, x, y), _MARKER, _MARKER) for x, y, _ in points]
    taken += [_around(_place(axis, *a), _place(axis, *b)) for a, b in lines]
    for x, y, text in points:
        px, py = _place(axis, x, y)
        width = _LETTER * len(text)
        boxes = {(dx, dy): _box(px + dx, py + dy, width, _HEIGHT) for dx, dy in _offsets()}
        dx, dy = min(boxes, key=lambda offset: _cost(boxes[offset], taken, inside))
        taken.append(boxes[dx, dy])
        leader = {"arrowstyle": "-", "color": BLACK, "linewidth": 0.3, "shrinkA": 3, "shrinkB": 2}
        axis.annotate(
            text, (x, y), (dx, dy), textcoords="offset points", ha="center", va="center",
            fontsize=SMALL_FONT, color=BLACK, in_layout=False,
            arrowprops=leader if hypot(dx, dy) > _DISTANCES[0] + 1 else None,
        )  # fmt: skip


def _place(axis: Axes, x: float, y: float) -> tuple[float, float]:
    """Where a point of the data lies in the figure, in points of print."""
    px, py = axis.transData.transform((x, y))
    return _scaled(axis, px), _scaled(axis, py)


def _scaled(axis: Axes, pixels: float) -> float:
    return float(pixels) * 72.0 / axis.figure.dpi


def _offsets() -> list[tuple[float, float]]:
    """Places around a point, the near ones first, starting to the right and going up."""
    angles = [2 * pi * step / _DIRECTIONS for step in range(_DIRECTIONS)]
    return [(r * cos(a), r * sin(a)) for r in _DISTANCES for a in angles]


def _box(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _around(a: tuple[float, float], b: tuple[float, float]) -> Box:
    (x0, x1), (y0, y1) = sorted((a[0], b[0])), sorted((a[1], b[1]))
    return x0 - _LINE / 2, y0 - _LINE / 2, x1 + _LINE / 2, y1 + _LINE / 2


def _cost(box: Box, taken: Sequence[Box], inside: Sequence[float]) -> float:
    """How much of what is there a box covers, and of itself lies outside; 0 is a free place."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return sum(_overlap(box, other) for other in taken) + 4 * (area - _overlap(box, inside))


def _overlap(a: Sequence[float], b: Sequence[float]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)

"""Poses of a mesh in the colours of the first, carried over by the maps that methods found.

After Figure 4 of the MADMM paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.functional_correspondence import (
    Runs,
    missing_functional_correspondence,
    outliers_of,
    runs_of,
)
from xcbench.report.figures.rows import Arrays, Missing
from xcbench.report.figures.style import DOUBLE_COLUMN, panels, settle, styled
from xcbench.report.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MODELS = ("correspondence_madmm", "correspondence_least_squares")
_MOST_POSES = 6
_SHADE = 0.45  # of the colour, the part that does not depend on the light


def figure_correspondence_map(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """A row of poses for MADMM and one for least squares, of the dataset with most of them.

    ``rows`` and ``arrays`` as for ``figure_functional_correspondence``; None without runs.
    """
    found = runs_of(rows, arrays)
    if not found:
        return None
    title, runs = max(found.items(), key=lambda item: int(item[1][0].rows[0]["dataset.shapes"]))
    chosen = [
        next(run for run in runs if run.rows[0]["method.model"] == model)
        for model in _MODELS
        if any(run.rows[0]["method.model"] == model for run in runs)
    ]
    if not chosen:
        return None
    poses = min(_MOST_POSES, len(chosen[0].kept[0]["vertices"]))
    with styled():
        height = len(chosen) * (0.3 + 0.8 * DOUBLE_COLUMN / poses)
        figure, axes = panels(len(chosen), poses, height)
        for number, run in enumerate(chosen):
            line = axes[number * poses : (number + 1) * poses]
            for pose, axis in enumerate(line):
                _draw(axis, run, pose)
            line[0].set_title(run.label, loc="left")
        settle(figure)
    return Drawing(
        "correspondence-map",
        "Colours carried over by functional correspondence",
        _caption(title, chosen),
        _described(title, chosen),
        figure,
    )


def missing_correspondence_map(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    return missing_functional_correspondence(rows)


def _draw(axis: Axes, run: Runs, pose: int) -> None:
    """One pose, lit from the viewer, the nearest triangles last."""
    from matplotlib.collections import PolyCollection

    kept = run.kept[0]
    seen = upright(kept["vertices"])
    colours = _colours(seen[0])[kept["transferred"][pose]]
    corners = seen[pose][kept["triangles"]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    light = _SHADE + (1.0 - _SHADE) * np.abs(normals[order, 2:])
    faces = light * colours[kept["triangles"][order]].mean(axis=1)
    axis.add_collection(
        PolyCollection(
            corners[order, :, :2], facecolors=faces, edgecolors=faces, linewidths=0.1,
            rasterized=True,
        )
    )  # fmt: skip
    axis.set_aspect("equal")
    axis.autoscale_view()
    axis.set_axis_off()


def upright(vertices: np.ndarray) -> np.ndarray:
    """Poses (L, n, 3) turned alike: the first by its principal axes, the longest across and the
    shortest towards the viewer, the others as near to it as a rotation gets (Kabsch)."""
    centred = vertices.astype(np.float64)
    centred = centred - centred.mean(axis=1, keepdims=True)
    axes = np.linalg.svd(centred[0], full_matrices=False)[2].T
    axes[:, 2] *= np.linalg.det(axes)
    first = centred[0] @ axes
    turned = [first]
    for pose in centred[1:]:
        left, _, right = np.linalg.svd(pose.T @ first)
        left[:, 2] *= np.linalg.det(left @ right)
        turned.append(pose @ (left @ right))
    return np.stack(turned)


def _colours(points: np.ndarray) -> np.ndarray:
    """A colour for each place, (n, 3): its coordinates as red, green and blue."""
    low = points.min(axis=0)
    found: np.ndarray = 0.1 + 0.85 * (points - low) / np.maximum(points.max(axis=0) - low, 1e-30)
    return found


def _caption(title: str, chosen: Sequence[Runs]) -> str:
    row = chosen[0].rows[0]
    return (
        f"Poses of {row['dataset.mesh']} ({title}), the first coloured by place and the others by "
        "the place on it that each vertex is mapped to: a good map gives a part the same colour "
        f"in all. {outliers_of(row):g} % of the matched functions are wrong; seed {row['seed']}. "
        f"From above: {', '.join(run.label for run in chosen)}."
    )


def _described(title: str, chosen: Sequence[Runs]) -> str:
    parts = [
        f"{run.label} {float(run.rows[0]['correspondence_error']):.2f} % of √area" for run in chosen
    ]
    return f"Coloured poses of {title}. Mean errors over all pairs: {', '.join(parts)}."

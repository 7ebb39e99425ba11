"""Compressed modes on a mesh, one panel a mode (the MADMM paper's Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from xcbench.report.figures.drawing import Drawing
from xcbench.report.figures.modes_runs import (
    Run,
    best_of,
    finished,
    is_line,
    runs_of,
    same_cost,
    worded,
)
from xcbench.report.figures.rows import Arrays, Missing
from xcbench.report.figures.style import BLUE, VERMILLION, panels, settle, styled
from xcbench.report.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COMMAND = "xcbench run configs/compressed-modes-mesh.yaml"
_COLUMNS = 5
_SHOWN = 10
_TURN, _TILT = np.radians(35.0), np.radians(20.0)
_GREY = np.array([0.86, 0.86, 0.86])
_DARKEST = 0.55  # light on a triangle seen from its edge


def figure_mesh_modes(rows: Sequence[Row], arrays: Arrays) -> Drawing | None:
    """The modes of lowest cost on the mesh with the most runs; None without runs on meshes.

    Parameters
    ----------
    rows : sequence of mapping
        Of every result of the store, with the configs' dotted keys.
    arrays : callable
        Run id to its arrays: ``modes``, ``vertices``, ``triangles``.
    """
    runs = [run for run in runs_of(rows, arrays) if not run.is_line]
    if not runs:
        return None
    group = max(same_cost(runs), key=lambda group: (len(group), int(group[0].row["n_train"])))
    best = best_of(group)
    modes = best.arrays["modes"][:, :_SHOWN]
    with styled():
        lines = ceil(modes.shape[1] / _COLUMNS)
        figure, axes = panels(lines, _COLUMNS, height=1.5 * lines)
        for axis in axes:
            axis.set_axis_off()
        for axis, mode in zip(axes, modes.T, strict=False):
            draw_function(axis, best.arrays, mode)
        settle(figure)
    title = f"Compressed modes on {best.dataset}"
    return Drawing("modes-mesh", title, _caption(best, modes), _described(best, modes), figure)


def missing_mesh_modes(rows: Sequence[Row]) -> list[Missing]:
    """What the figure lacks."""
    if any(not is_line(row) for row in finished(rows)):
        return []
    return [Missing("no compressed modes of a mesh", _COMMAND)]


def draw_function(axis: Axes, mesh: Mapping[str, np.ndarray], values: np.ndarray) -> None:
    """Draw a mesh, far triangles first, coloured by a function on its vertices.

    Blue is positive, vermillion negative, grey 0. Among triangles a side towards the eye is
    lighter.
    """
    from matplotlib.collections import PolyCollection

    corners = _turned(mesh["vertices"])[mesh["triangles"]]
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    colours = _colours(corners, values[mesh["triangles"]].mean(axis=1))
    flat = PolyCollection(
        corners[order][:, :, :2], facecolors=colours[order], edgecolors=colours[order],
        linewidths=0.15, rasterized=True,
    )  # fmt: skip
    axis.add_collection(flat)
    axis.autoscale_view()
    axis.set_aspect("equal")


def _turned(vertices: np.ndarray) -> np.ndarray:
    """Seen a little from the side and from above: x to the right, y up, z towards the eye."""
    cos, sin = np.cos(_TURN), np.sin(_TURN)
    turn = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    cos, sin = np.cos(_TILT), np.sin(_TILT)
    tilt = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
    turned: np.ndarray = vertices @ (tilt @ turn).T
    return turned


def _colours(corners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """RGB of each triangle."""
    from matplotlib.colors import to_rgb

    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.maximum(np.linalg.norm(normals, axis=1), np.finfo(np.float32).tiny)
    light = _DARKEST + (1 - _DARKEST) * np.abs(normals[:, 2]) / length
    share = np.abs(values) / max(float(np.abs(values).max()), np.finfo(np.float32).tiny)
    full = np.where(values[:, None] >= 0, to_rgb(BLUE), to_rgb(VERMILLION))
    colours: np.ndarray = light[:, None] * (_GREY + share[:, None] * (full - _GREY))
    return colours


def _caption(best: Run, modes: np.ndarray) -> str:
    shown = f" The {modes.shape[1]} of least energy are shown." if _is_cut(best, modes) else ""
    return (
        f"{worded(best)}.{shown} Blue: positive, vermillion: negative, grey: zero; each panel's "
        "colours reach to the largest value of its mode."
    )


def _described(best: Run, modes: np.ndarray) -> str:
    shares = 100 * (modes != 0).mean(axis=0)
    return (
        f"{modes.shape[1]} views of {best.dataset}, each with a mode: a coloured patch that covers "
        f"{shares.min():.1f} to {shares.max():.1f} % of its vertices. {worded(best)}."
    )


def _is_cut(best: Run, modes: np.ndarray) -> bool:
    return bool(best.arrays["modes"].shape[1] > modes.shape[1])

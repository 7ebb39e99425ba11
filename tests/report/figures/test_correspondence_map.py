"""Coloured poses: turned alike, and coloured by what the maps carry over."""

import numpy as np
import pytest

from tests.report.figures.test_functional_correspondence import run
from xcbench.report.figures.correspondence_map import (
    figure_correspondence_map,
    missing_correspondence_map,
    upright,
)

CORNERS = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]])


def turned(points, seed):
    """Turned and shifted at random."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    basis[:, 0] *= np.linalg.det(basis)
    return points @ basis + rng.standard_normal(3)


def arrays(run_id: str):
    shapes = int(run_id.split("/")[1])
    images = [0, 1, 2, 3] if run_id.startswith("madmm") else [1, 1, 2, 3]
    return {
        "vertices": np.stack([turned(CORNERS, i) for i in range(shapes)]).astype(np.float32),
        "triangles": np.array([[0, 1, 2], [0, 1, 3]], np.int32),
        "transferred": np.array([range(4)] + [images] * (shapes - 1), np.int32),
    }


@pytest.fixture
def rows():
    return [run(method, shapes) for method in ("madmm", "least-squares") for shapes in (2, 3)]


def test_poses_of_one_shape_are_turned_into_one_another():
    poses = upright(np.stack([turned(CORNERS, seed) for seed in range(5)]))
    for pose in poses[1:]:
        np.testing.assert_allclose(pose, poses[0], atol=1e-12)
    spread = np.var(poses[0], axis=0)
    assert spread[0] > spread[1] > spread[2]
    # No mirror image: the corner's handedness stays.
    sides = poses[0][1:] - poses[0][0]
    assert np.linalg.det(sides) == pytest.approx(np.linalg.det(CORNERS[1:]))


def test_a_row_of_panels_a_method_on_the_data_with_most_poses(rows):
    axes = figure_correspondence_map(rows, arrays).figure.axes
    assert [axis.get_title("left") for axis in axes] == ["madmm", "", "", "least-squares", "", ""]


def test_a_right_map_carries_the_colours_over_and_a_wrong_one_does_not(rows):
    axes = figure_correspondence_map(rows, arrays).figure.axes
    first, right, _, _, wrong, _ = (
        np.sort(axis.collections[0].get_facecolors(), axis=0) for axis in axes
    )
    np.testing.assert_allclose(right, first, atol=1e-5)
    assert np.abs(wrong - first).max() > 0.05


def test_words_name_data_and_errors(rows):
    drawing = figure_correspondence_map(rows, arrays)
    assert "Poses of meshes/spot (spot-3)" in drawing.caption
    assert "seed 0. From above: madmm, least-squares." in drawing.caption
    assert "madmm 2.00 % of √area, least-squares 3.00 % of √area" in drawing.alt


def test_without_runs_there_is_no_figure_but_a_command(rows):
    assert figure_correspondence_map([], arrays) is None
    assert missing_correspondence_map([])[0].command == "xcbench run configs/correspondence.yaml"
    assert missing_correspondence_map(rows) == []

"""Maps and their errors against the truth and brute force."""

from dataclasses import replace

import numpy as np
import pytest

from xcbench.data.surfaces.deformation import edge_graph
from xcbench.tasks.functional_correspondence.evaluation import (
    both_ways,
    map_errors,
    maps_between,
    share_within,
)
from xcbench.tasks.functional_correspondence.shapes import distances_from


def test_the_true_map_has_no_error_and_another_its_distance(contaminated):
    shapes, points = contaminated.shapes, np.arange(0, 380, 3)
    pairs = both_ways(3)
    maps = np.stack([shapes[j].places[points] for _, j in pairs])
    assert not map_errors(shapes, pairs, maps, points).any()
    maps[4, 70] = 11
    errors = map_errors(shapes, pairs, maps, points)
    j = pairs[4, 1]
    truth = shapes[j].places[points[70]]
    assert np.flatnonzero(errors).tolist() == [4 * len(points) + 70]
    assert errors[4, 70] == pytest.approx(distances_from(shapes[j].graph, np.array([truth]))[0, 11])


def test_the_edges_of_a_shape_are_taken_once(contaminated, monkeypatch):
    built = []
    monkeypatch.setattr(
        "xcbench.tasks.functional_correspondence.shapes.edge_graph",
        lambda mesh: built.append(mesh) or edge_graph(mesh),
    )
    shapes = [replace(shape) for shape in contaminated.shapes]
    points = np.arange(200)  # several blocks
    map_errors(shapes, both_ways(3), np.zeros((6, 200), int), points)
    assert built == [shape.mesh for shape in shapes]


def test_images_are_the_nearest_rows(contaminated):
    shapes, points = contaminated.shapes, np.arange(0, 380, 29)
    rng = np.random.default_rng(0)
    bases = tuple(np.linalg.qr(rng.standard_normal((3, 12, 12)))[0])
    pairs = both_ways(3)
    maps = maps_between(shapes, bases, pairs, points)
    for found, (i, j) in zip(maps, pairs, strict=True):
        start, end = shapes[i].basis @ bases[i], shapes[j].basis @ bases[j]
        for point, image in zip(points, found, strict=True):
            away = np.linalg.norm(end - start[shapes[i].places[point]], axis=1)
            assert away[image] == pytest.approx(away.min())


def test_all_pairs_are_taken_both_ways():
    assert both_ways(3).tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]


def test_the_curve_is_the_share_at_or_below_each_radius():
    errors = np.array([[0.0, 0.05], [0.1, 0.4]])
    found = share_within(errors, np.array([0.0, 0.04, 0.05, 0.3, 1.0]))
    assert found.tolist() == [25.0, 25.0, 50.0, 75.0, 100.0]

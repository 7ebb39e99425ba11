"""Labels beside points."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from xcbench.report.figures.labels import place_labels


def labelled(points, lines=()):
    figure = Figure(figsize=(4, 4), dpi=72)
    axis = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    axis.set(xlim=(0, 100), ylim=(0, 100))
    place_labels(axis, [(x, y, str(n)) for n, (x, y) in enumerate(points)], lines)
    figure.draw_without_rendering()
    return axis


def extents(axis):
    # a glyph's own box is a little larger than what is inked
    return [text.get_window_extent().padded(-1) for text in axis.texts]


def test_a_lone_label_stands_to_the_right_without_a_leader():
    (text,) = labelled([(50, 50)]).texts
    assert text.xyann == (7.0, 0.0)
    assert text.arrow_patch is None


def test_a_label_at_the_edge_stays_inside():
    axis = labelled([(99, 50), (50, 99), (99, 99), (1, 1)])
    frame = axis.get_window_extent()
    assert all(frame.x0 <= e.x0 and e.x1 <= frame.x1 and e.y1 <= frame.y1 for e in extents(axis))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_dozen_labels_cover_neither_each_other_nor_a_point(seed):
    grid = [(x, y) for x in range(10, 100, 10) for y in range(10, 100, 10)]
    chosen = np.random.default_rng(seed).choice(len(grid), 12, replace=False)
    points = [grid[n] for n in chosen]
    axis = labelled(points)
    boxes = extents(axis)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    places = axis.transData.transform(points)
    assert not any(box.contains(*place) for box in boxes for place in places)


def test_a_label_keeps_clear_of_a_line():
    wall = ((50, 50), (100, 50))
    axis = labelled([(50, 50)], [wall])
    (box,) = extents(axis)
    drawn = Line2D(*zip(*wall, strict=True), transform=axis.transData).get_window_extent()
    assert box.y0 > drawn.y1 or box.y1 < drawn.y0 or box.x1 < drawn.x0


def test_a_label_far_from_its_point_has_a_leader():
    crowd = [(50, 50), *((50 + 2 * x, 50 + 2 * y) for x in (-1, 0, 1) for y in (-1, 1))]
    assert any(text.arrow_patch is not None for text in labelled(crowd).texts)


def test_no_points_no_labels():
    assert list(labelled([]).texts) == []

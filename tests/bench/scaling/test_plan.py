"""Which points are measured."""

from dataclasses import replace

import pytest

from xcbench.bench.scaling.plan import AXES, OURS, PEERS, parse_scales, plan
from xcbench.errors import ConfigError


@pytest.fixture
def points(entry):
    groups = plan(entry, (0.04, 0.01, 0.02), jobs=6, peers_up_to=0.02)
    return [point for group in groups for point in group]


def along(points, axis):
    return [point for point in points if axis in point.axes]


def test_points_of_a_group_are_measured_on_one_file(entry):
    for group in plan(entry, (0.01, 0.02), jobs=4, peers_up_to=1.0):
        assert len({point.shape for point in group}) == 1


def test_the_base_is_a_point_of_every_axis(points):
    (base,) = [point for point in points if point.axes == AXES]
    assert base.scale == 0.02
    assert base.jobs == 6


def test_along_n_points_and_labels_grow_in_step_and_features_as_the_root(points, entry):
    for point in along(points, "n"):
        assert point.shape.n_train == pytest.approx(entry.n_train * point.scale, abs=1)
        assert point.shape.n_labels == pytest.approx(entry.n_labels * point.scale, abs=1)
        assert point.shape.n_features == pytest.approx(entry.n_features * point.scale**0.5, abs=1)
    assert [point.scale for point in along(points, "n")] == [0.01, 0.02, 0.04]


@pytest.mark.parametrize(("axis", "field"), [("d", "n_features"), ("l", "n_labels")])
def test_along_d_and_l_nothing_else_changes(points, axis, field):
    found = along(points, axis)
    assert len({getattr(point.shape, field) for point in found}) == 3
    assert len({replace(point.shape, **{field: 1000}) for point in found}) == 1
    assert {(point.jobs, point.method) for point in found} == {(6, OURS)}


def test_processes_go_by_powers_of_two_up_to_those_asked_for(points):
    found = along(points, "processes")
    assert sorted(point.jobs for point in found) == [1, 2, 4, 6]
    assert len({point.shape for point in found}) == 1


def test_peers_run_up_to_their_scale_only(points):
    peers = [point for point in points if point.method in PEERS]
    assert {(point.scale, point.method) for point in peers} == {
        (scale, name) for scale in (0.01, 0.02) for name in PEERS
    }


def test_one_core_is_one_point_along_processes(entry):
    groups = plan(entry, (0.01,), jobs=1, peers_up_to=0.0)
    assert [p.jobs for group in groups for p in along(group, "processes")] == [1]


def test_scales_are_sorted():
    assert parse_scales("0.2,0.05, 0.1") == (0.05, 0.1, 0.2)


@pytest.mark.parametrize("text", ["", "0.1,", "a", "0", "-0.1", "nan", "inf", "11", "0.1,0.1"])
def test_scales_that_say_nothing_are_refused(text):
    with pytest.raises(ConfigError, match="--scales"):
        parse_scales(text)


def test_a_scale_that_leaves_fewer_features_than_a_point_has_is_refused(entry):
    with pytest.raises(ConfigError, match=r"^--scales 1e-07: expected about"):
        plan(entry, (1e-7,), jobs=1, peers_up_to=0.0)


def test_a_base_too_small_for_a_quarter_of_its_features_is_refused_by_the_options_name(entry):
    with pytest.raises(ConfigError, match=r"^--scales 1e-05, the base, with 0.25 to 4 times"):
        plan(entry, (1e-5,), jobs=1, peers_up_to=0.0)

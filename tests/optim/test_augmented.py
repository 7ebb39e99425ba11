"""The generic X-step: cost, gradient and line, and the memory of last values."""

import numpy as np
import pytest

from tests.manifolds import laws
from tests.optim.split_problems import Modes, Products, path_laplacian
from xcbench.manifolds.euclidean import Euclidean
from xcbench.manifolds.psd_fixed_rank import PSDFixedRank
from xcbench.manifolds.stiefel import Stiefel
from xcbench.optim.augmented import Augmented, Measure, Recall

RHO = 1.7


@pytest.fixture(params=[Modes, Products])
def split(request):
    return request.param(path_laplacian(9), 0.3)


def problem_at(split, manifold):
    """The X-step at a random point with a random target, and a unit tangent vector there."""
    rng = np.random.default_rng(0)
    point = manifold.random_point(rng)
    target = rng.standard_normal(split.forward(point).shape)
    direction = manifold.project(point, rng.standard_normal(point.shape))
    direction /= np.linalg.norm(direction)
    return Augmented(split, manifold, Measure(split)).aim(target, RHO), point, direction, target


MANIFOLDS = [Stiefel(9, 2), PSDFixedRank(9, 2), Euclidean(9, 2)]


@pytest.mark.parametrize("manifold", MANIFOLDS, ids=lambda m: type(m).__name__)
def test_gradient_is_the_derivative_along_the_retraction(split, manifold):
    problem, point, direction, _ = problem_at(split, manifold)
    state = problem.start(point)
    slope = manifold.inner(point, problem.gradient(state), direction)
    line = problem.line(state, direction)
    assert abs(slope) > 1e-3
    laws.assert_gradient(line.cost, slope, np.logspace(-1.5, -3.5, 9))


def test_cost_is_f_and_the_squared_distance_to_the_target(split):
    problem, point, _, target = problem_at(split, Stiefel(9, 2))
    expected = split.smooth(point) + 0.5 * RHO * np.sum((split.forward(point) - target) ** 2)
    assert problem.start(point).cost == pytest.approx(expected)


def test_exact_step_is_exact_where_the_cost_is_a_parabola():
    manifold = Euclidean(9, 2)
    problem, point, _, _ = problem_at(Modes(path_laplacian(9), 0.3), manifold)
    state = problem.start(point)
    descent = -problem.gradient(state)
    line = problem.line(state, descent)
    t = line.exact_step()
    curvature = np.vdot(descent, 2 * path_laplacian(9) @ descent + RHO * descent)
    assert t == pytest.approx(np.vdot(descent, descent) / curvature, rel=1e-6)
    assert line.move(t).cost < state.cost


def test_a_line_that_bends_down_is_followed_further():
    class Hill(Modes):
        def smooth(self, point):
            return -float(np.sum(point**4))

        def smooth_gradient(self, point):
            return -4.0 * point**3

    problem = Augmented(split := Hill(np.zeros((2, 2)), 0.0), Euclidean(2), Measure(split))
    state = problem.start(np.array([1.0, 2.0]))
    direction = np.array([1.0, 1.0])
    assert problem.line(state, direction).exact_step() > 1.0 / np.linalg.norm(direction)


def test_moving_gives_the_state_of_the_retracted_point(split):
    manifold = Stiefel(9, 2)
    problem, point, direction, _ = problem_at(split, manifold)
    line = problem.line(problem.start(point), direction)
    line.cost(0.9)
    moved = line.move(0.4)
    np.testing.assert_allclose(moved.point, manifold.retract(point, direction, 0.4))
    assert moved.cost == pytest.approx(problem.start(moved.point.copy()).cost)


def test_a_state_is_that_of_its_target_and_penalty_whatever_is_aimed_at_later(split):
    manifold = Stiefel(9, 2)
    problem, point, direction, target = problem_at(split, manifold)
    state = problem.start(point)
    line = problem.line(state, direction)
    problem.aim(target + 1.0, 5.0 * RHO)
    fresh, _, _, _ = problem_at(split, manifold)
    np.testing.assert_array_equal(problem.gradient(state), fresh.gradient(fresh.start(point)))
    assert line.cost(0.3) == fresh.line(fresh.start(point), direction).cost(0.3)


def test_until_it_is_aimed_it_is_the_smooth_part_alone(split):
    _, point, _, _ = problem_at(split, manifold := Stiefel(9, 2))
    alone = Augmented(split, manifold, Measure(split))
    state = alone.start(point)
    assert state.cost == split.smooth(point)
    np.testing.assert_allclose(
        alone.gradient(state), manifold.project(point, split.smooth_gradient(point)), atol=1e-14
    )


def test_a_step_that_fitted_is_tried_first_at_the_next_target():
    problem, point, _, target = problem_at(Modes(path_laplacian(9), 0.3), Euclidean(9, 2))
    state = problem.start(point)
    fitted = problem.line(state, -problem.gradient(state)).exact_step()
    assert problem.aim(target + 1.0, RHO).measure.trial == fitted


def test_what_a_problem_recalls_is_not_kept_twice():
    class Own(Modes):
        def __init__(self):
            super().__init__(path_laplacian(4), 0.3)
            self.forward = Recall(super().forward)

    problem = Own()
    assert Measure(problem).image is problem.forward


def test_recall_asks_again_only_for_another_object():
    calls = []
    recall = Recall(lambda x: calls.append(x) or float(x[0]))
    a, b = np.array([1.0]), np.array([1.0])
    assert [recall(a), recall(a), recall(b), recall(a)] == [1.0] * 4
    assert len(calls) == 3
    recall.keep(b, 5.0)
    assert recall(b) == 5.0

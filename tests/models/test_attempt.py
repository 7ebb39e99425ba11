"""One task is tried: what it raises is its outcome, unless the run is to end."""

import pytest

from xcbench.models.base import Task, attempt

TASK = Task("task 1", ())


def raising(error, cause=None):
    def function():
        raise error from cause

    return function


def test_an_error_is_the_outcome_of_its_task():
    outcome = attempt(raising(ValueError("no"), KeyError("why")), TASK)
    assert (outcome.label, outcome.error) == ("task 1", "ValueError: no")


@pytest.mark.parametrize("ending", [KeyboardInterrupt(), SystemExit(143)])
def test_an_interruption_that_comes_out_as_an_error_still_ends_the_run(ending):
    """As numba's dispatcher words a signal that arrives while it prepares a call."""
    with pytest.raises(type(ending)):
        attempt(raising(SystemError("returned a result with an exception set"), ending), TASK)


def test_an_interruption_while_another_error_is_handled_ends_the_run():
    def function():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise RuntimeError("on the way out")  # noqa: B904

    with pytest.raises(KeyboardInterrupt):
        attempt(function, TASK)

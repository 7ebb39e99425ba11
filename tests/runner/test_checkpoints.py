"""Checkpoints: finished tasks come back equal, and nothing else comes back."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from xcbench.models.base import Outcome, Task
from xcbench.runner import checkpoints as module
from xcbench.runner.checkpoints import Checkpoints

SOFTWARE = {"xcbench": "1", "numpy": "2"}
TASKS = [Task(f"learner {i}, cluster 0", ()) for i in range(3)]

arrays = hnp.arrays(
    st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.bool_]),
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
)
leaves = st.one_of(arrays, st.integers(), st.floats(), st.text(), st.booleans(), st.none())
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=5), inner, max_size=3),
    ),
    max_leaves=8,
)


def opened(folder, after_s=0.0, software=SOFTWARE):
    return Checkpoints(folder, after_s, software)


def keep(folder, *outcomes, stage="clusters"):
    kept = opened(folder)
    kept.resume(stage, TASKS)
    for index, outcome in outcomes:
        kept.keep(stage, index, outcome)


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and (one == other or one != one)


@given(value=values)
def test_a_value_comes_back_equal(value, tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "task.npz"
    module._save(path, Outcome("a", value), 1.5)
    outcome, seconds = module._load(path, "a")
    assert same(outcome.value, value)
    assert seconds == 1.5


def test_a_value_that_is_not_plain_is_refused_not_pickled(tmp_path):
    for value in (object(), {1, 2}, np.array([object()])):
        with pytest.raises((TypeError, ValueError)):
            module._save(tmp_path / "task.npz", Outcome("a", value), 0.0)


def test_finished_tasks_are_found_by_position_and_counted(tmp_path):
    folder = tmp_path / "c"
    keep(folder, (2, Outcome(TASKS[2].label, (np.arange(3), 0.5))))
    again = opened(folder)
    found = again.resume("clusters", TASKS)
    assert list(found) == [2]
    assert same(found[2].value, (np.arange(3), 0.5))
    assert again.resumed_tasks == 1
    assert again.resumed_seconds["clusters"] >= 0
    assert again.resume("partition", TASKS) == {}


def test_what_an_earlier_stage_finished_before_its_time_is_written_with_the_rest(
    tmp_path, monkeypatch
):
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    kept = opened(tmp_path / "c", after_s=120.0)
    kept.resume("partition", TASKS[:1])
    kept.keep("partition", 0, Outcome(TASKS[0].label, "first"))
    now[0] += 121
    kept.resume("clusters", TASKS)
    kept.keep("clusters", 1, Outcome(TASKS[1].label, "second"))
    names = sorted(path.name for path in (tmp_path / "c").glob("*.npz"))
    assert names == ["clusters-000001.npz", "partition-000000.npz"]


def test_what_was_made_from_a_stage_that_is_not_all_there_is_done_again(tmp_path):
    folder = tmp_path / "c"
    kept = opened(folder)
    for stage in ("partition", "clusters"):
        kept.resume(stage, TASKS)
        for index, task in enumerate(TASKS):
            kept.keep(stage, index, Outcome(task.label, index))
    next(folder.glob("partition-000001*")).unlink()
    again = opened(folder)
    assert set(again.resume("partition", TASKS)) == {0, 2}
    assert again.resume("clusters", TASKS) == {}


def test_a_failed_task_is_not_kept(tmp_path):
    keep(tmp_path / "c", (0, Outcome(TASKS[0].label, error="ValueError: no")))
    assert opened(tmp_path / "c").resume("clusters", TASKS) == {}


def test_a_short_job_writes_nothing_and_a_long_one_also_what_was_finished_before(
    tmp_path, monkeypatch
):
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    kept = opened(tmp_path / "c", after_s=120.0)
    kept.resume("clusters", TASKS)
    now[0] += 119
    kept.keep("clusters", 0, Outcome(TASKS[0].label, 1))
    assert not (tmp_path / "c").exists()
    now[0] += 2
    kept.keep("clusters", 1, Outcome(TASKS[1].label, 2))
    again = opened(tmp_path / "c", after_s=120.0)
    assert {i: o.value for i, o in again.resume("clusters", TASKS).items()} == {0: 1, 1: 2}
    assert again.resumed_seconds == {"clusters": 121.0}
    now[0] += 10
    again.keep("clusters", 2, Outcome(TASKS[2].label, 3))  # not yet due in this attempt
    assert not list((tmp_path / "c").glob("*2.npz"))


def test_without_a_folder_nothing_is_kept(tmp_path):
    kept = Checkpoints(None, 0.0, {})
    assert kept.resume("clusters", TASKS) == {}
    kept.keep("clusters", 0, Outcome(TASKS[0].label, object()))


def test_what_other_versions_kept_is_removed(tmp_path):
    folder = tmp_path / "c"
    keep(folder, (0, Outcome(TASKS[0].label, 1)))
    assert opened(folder, software=SOFTWARE | {"numpy": "3"}).resume("clusters", TASKS) == {}
    assert not folder.exists()


@pytest.mark.parametrize("damage", ["cut", "emptied", "of another task", "flipped"])
def test_a_damaged_or_foreign_file_is_a_task_to_do(tmp_path, damage):
    folder = tmp_path / "c"
    keep(folder, (0, Outcome(TASKS[0].label, np.arange(1000))))
    path = next(folder.glob("*0.npz"))
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "emptied":
        content = bytearray()
    elif damage == "flipped":
        content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    tasks = [Task("learner 9, cluster 9", ())] if damage == "of another task" else TASKS
    assert opened(folder).resume("clusters", tasks) == {}


def test_a_full_disk_ends_the_keeping_and_not_the_job(tmp_path, monkeypatch, caplog):
    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.np, "savez", full)
    kept = opened(tmp_path / "c")
    kept.resume("clusters", TASKS)
    for i in (0, 1):
        kept.keep("clusters", i, Outcome(TASKS[i].label, 1))
    assert caplog.text.count("no longer kept") == 1
    assert not (tmp_path / "c").exists()


def test_the_software_is_noted_as_json(tmp_path):
    keep(tmp_path / "c", (0, Outcome(TASKS[0].label, 1)))
    assert json.loads((tmp_path / "c" / "software.json").read_text()) == SOFTWARE

"""Checkpoints: finished tasks come back equal, and nothing else comes back."""

import json
import mmap

import numpy as np
import pytest

from tests.runner.test_task_files import same
from xcbench.models.base import Outcome, Task
from xcbench.runner import checkpoints as module
from xcbench.runner.checkpoints import NEVER, Checkpoints
from xcbench.runner.work import BY_FILE, InFile, Work, do

SOFTWARE = {"xcbench": "1", "numpy": "2"}
TASKS = [Task(f"learner {i}, cluster 0", ()) for i in range(3)]


def opened(folder, after_s=0.0, software=SOFTWARE):
    return Checkpoints(folder, after_s, software)


def keep(folder, *outcomes, stage="clusters"):
    kept = opened(folder)
    kept.resume(stage, TASKS)
    for index, outcome in outcomes:
        kept.keep(stage, index, outcome)


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
    names = sorted(path.name for path in (tmp_path / "c").glob("*/*.task"))
    assert names == ["clusters-000001.task", "partition-000000.task"]


def test_what_was_made_from_a_stage_that_is_not_all_there_is_done_again(tmp_path):
    folder = tmp_path / "c"
    kept = opened(folder)
    for stage in ("partition", "clusters"):
        kept.resume(stage, TASKS)
        for index, task in enumerate(TASKS):
            kept.keep(stage, index, Outcome(task.label, index))
    next(folder.glob("*/partition-000001*")).unlink()
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
    assert not list((tmp_path / "c").glob("*/*2.task"))


def test_without_a_folder_nothing_is_kept(tmp_path):
    kept = Checkpoints(None, 0.0, {})
    assert kept.resume("clusters", TASKS) == {}
    assert kept.place("clusters", 0) is None
    value = object()
    assert kept.keep("clusters", 0, Outcome(TASKS[0].label, value)).value is value
    kept.close()


def large(kept, index):
    """A task that a worker does, with a value that goes by file; its outcome as it is kept."""
    value = np.arange(BY_FILE // 8, dtype=np.int64) + index
    place = kept.place("clusters", index)
    task = Task(TASKS[index].label, (value,))
    _, outcome = do(Work(index, lambda x: (x, "and more"), task, 1, place))
    assert outcome.value == InFile()
    return value, kept.keep("clusters", index, outcome)


def test_a_large_value_comes_back_mapped_and_read_only_and_is_written_once(tmp_path, monkeypatch):
    kept = opened(tmp_path / "c")
    kept.resume("clusters", TASKS)
    writes = []
    write = module.task_files.write
    monkeypatch.setattr(
        module.task_files, "write", lambda *a: writes.append(a[0].name) or write(*a)
    )
    value, outcome = large(kept, 1)
    array, text = outcome.value
    assert same((array, text), (value, "and more"))
    assert not array.flags.writeable
    assert mmap.mmap in _ancestors(array)
    kept.keep("clusters", 0, Outcome(TASKS[0].label, "small"))
    assert writes == ["clusters-000001.task", "clusters-000000.task"]
    again = opened(tmp_path / "c")
    found = again.resume("clusters", TASKS)
    assert same(found[1].value, (value, "and more"))
    assert found[0].value == "small"


def _ancestors(array):
    """What an array is a view of, down to what holds the bytes."""
    chain = [array]
    while (last := chain[-1]) is not None:
        chain.append(last.obj if isinstance(last, memoryview) else getattr(last, "base", None))
    return [type(each) for each in chain]


def test_a_large_value_of_a_short_job_is_gone_with_it_but_not_its_pages(tmp_path):
    kept = opened(tmp_path / "c", after_s=120.0)
    kept.resume("clusters", TASKS)
    value, outcome = large(kept, 0)
    assert (kept.folder / "clusters-000000.task").exists()
    kept.close()
    assert not (tmp_path / "c").exists()
    assert np.array_equal(outcome.value[0], value)


@pytest.mark.parametrize("after_s", [0.0, 120.0])
def test_what_is_kept_outlives_the_end_of_an_attempt(tmp_path, after_s):
    kept = opened(tmp_path / "c", after_s)
    kept.resume("clusters", TASKS)
    kept.keep("clusters", 0, Outcome(TASKS[0].label, 1))
    large(kept, 1)
    kept.keep_now()
    kept.close()
    again = opened(tmp_path / "c", after_s)
    assert set(again.resume("clusters", TASKS)) == {0, 1}
    again.close()  # What was found is as good as before, however short this attempt was.
    assert set(opened(tmp_path / "c").resume("clusters", TASKS)) == {0, 1}


def test_never_finds_nothing_keeps_nothing_and_clears_what_was_there(tmp_path):
    keep(tmp_path / "c", (0, Outcome(TASKS[0].label, 1)))
    kept = opened(tmp_path / "c", NEVER)
    assert kept.resume("clusters", TASKS) == {}
    large(kept, 0)
    kept.keep_now()
    assert not kept.is_keeping
    kept.close()
    assert not (tmp_path / "c").exists()


def test_a_file_that_another_machine_wrote_may_be_seen_late(tmp_path, monkeypatch):
    kept = opened(tmp_path / "c")
    kept.resume("clusters", TASKS)
    large(kept, 0)
    path = kept.folder / "clusters-000000.task"
    hidden = path.rename(tmp_path / "hidden")
    naps = []

    def sleep(seconds):
        naps.append(seconds)
        if len(naps) == 2:
            hidden.rename(path)

    monkeypatch.setattr(module.time, "sleep", sleep)
    kept.keep("clusters", 0, Outcome(TASKS[0].label, InFile()))
    assert len(naps) == 2


def test_what_other_versions_kept_is_removed(tmp_path):
    folder = tmp_path / "c"
    keep(folder, (0, Outcome(TASKS[0].label, 1)))
    assert opened(folder, software=SOFTWARE | {"numpy": "3"}).resume("clusters", TASKS) == {}
    assert not folder.exists()


@pytest.mark.parametrize("damage", ["cut", "emptied", "of another task", "flipped"])
def test_a_damaged_or_foreign_file_is_a_task_to_do(tmp_path, damage):
    folder = tmp_path / "c"
    keep(folder, (0, Outcome(TASKS[0].label, np.arange(1000))))
    path = next(folder.glob("*/*0.task"))
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

    kept = opened(tmp_path / "c")
    kept.resume("clusters", TASKS)
    with monkeypatch.context() as patch:
        patch.setattr(module.task_files, "write", full)
        for i in (0, 1):
            kept.keep("clusters", i, Outcome(TASKS[i].label, 1))
    value, outcome = large(kept, 2)  # a worker was at it meanwhile, and there is room again
    assert np.array_equal(outcome.value[0], value)
    assert caplog.text.count("no longer kept") == 1
    kept.close()
    assert not (tmp_path / "c").exists()


def test_a_disk_that_is_full_later_leaves_what_was_kept_before(tmp_path, monkeypatch):
    kept = opened(tmp_path / "c")
    kept.resume("clusters", TASKS)
    kept.keep("clusters", 0, Outcome(TASKS[0].label, 1))

    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.task_files, "write", full)
        kept.keep("clusters", 1, Outcome(TASKS[1].label, 1))
    kept.close()
    assert set(opened(tmp_path / "c").resume("clusters", TASKS)) == {0}


def test_the_software_is_noted_as_json(tmp_path):
    keep(tmp_path / "c", (0, Outcome(TASKS[0].label, 1)))
    (path,) = (tmp_path / "c").glob("*/software.json")
    assert json.loads(path.read_text()) == SOFTWARE

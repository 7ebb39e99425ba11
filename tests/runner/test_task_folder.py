"""Attempts at one job: what is finished moves on, and nothing comes in late from an earlier one."""

import numpy as np
import pytest

from xcbench.models.base import Outcome, Task
from xcbench.runner import slurm_queue
from xcbench.runner.checkpoints import NEVER, Checkpoints
from xcbench.runner.store import ResultStore
from xcbench.runner.work import BY_FILE, InFile, Work, do

CODE, OTHER_CODE = {"code_sha256": "a"}, {"code_sha256": "b"}
TASKS = [Task(f"task {i}", (i,)) for i in range(3)]


def begun(root, software=CODE, after_s=0.0):
    made = Checkpoints(root, after_s, software)
    made.resume("fit", TASKS)
    return made


def work(checkpoints, index, by, elsewhere=True):
    """What a process is given to do; ``by`` tells whose value it is."""
    place = checkpoints.place("fit", index, always=elsewhere)
    return Work(index, lambda i: np.full(BY_FILE // 8, 100 * by + i), TASKS[index], 1, place)


@pytest.mark.parametrize("software", [CODE, OTHER_CODE], ids=["same code", "other code"])
def test_a_task_of_an_earlier_attempt_that_ends_late_is_not_taken_for_one_of_this(
    tmp_path, software
):
    first = begun(tmp_path / "c")
    first.make_folder()
    assert first.keep("fit", 0, do(work(first, 0, by=1))[1]).value[0] == 100
    late = work(first, 1, by=1)
    second = Checkpoints(tmp_path / "c", 0.0, software)
    second.make_folder()
    found = second.resume("fit", TASKS)
    assert {i: outcome.value[0] for i, outcome in found.items()} == (
        {0: 100} if software == CODE else {}
    )
    with pytest.raises(FileNotFoundError):
        do(late)
    assert [path.name for path in (tmp_path / "c").iterdir()] == [second.folder.name]
    assert second.finished("fit") == len(found)
    assert second.keep("fit", 1, do(work(second, 1, by=2))[1]).value[0] == 201


def test_what_an_orphan_of_this_machine_still_writes_is_cleared_and_not_used(tmp_path):
    first = begun(tmp_path / "c")
    orphan = work(first, 1, by=1, elsewhere=False)
    second = begun(tmp_path / "c", OTHER_CODE)
    assert do(orphan)[1].value == InFile()
    second.keep("fit", 0, Outcome(TASKS[0].label, 5))
    second.close()
    third = Checkpoints(tmp_path / "c", 0.0, CODE)
    assert third.resume("fit", TASKS) == {}
    third.close()
    assert not (tmp_path / "c").exists()


def test_a_take_over_that_was_cut_short_loses_nothing(tmp_path):
    for index in (0, 1):
        made = Checkpoints(tmp_path / f"c{index}", 0.0, CODE)
        made.resume("fit", TASKS)
        made.keep("fit", index, Outcome(TASKS[index].label, index))
    (half,) = (tmp_path / "c1").iterdir()
    half.rename(tmp_path / "c0" / half.name)
    assert set(Checkpoints(tmp_path / "c0", 0.0, CODE).resume("fit", TASKS)) == {0, 1}
    assert len(list((tmp_path / "c0").iterdir())) == 1


def test_what_was_taken_over_outlives_an_attempt_that_ends_before_its_first_stage(tmp_path):
    first = begun(tmp_path / "c")
    first.keep("fit", 0, Outcome(TASKS[0].label, 5))
    first.close()
    Checkpoints(tmp_path / "c", 120.0, CODE).close()
    assert set(Checkpoints(tmp_path / "c", 0.0, CODE).resume("fit", TASKS)) == {0}


@pytest.mark.parametrize("after_s", [0.0, NEVER])
@pytest.mark.parametrize("software", [CODE, OTHER_CODE], ids=["same code", "other code"])
def test_slurm_jobs_of_an_earlier_attempt_are_cancelled(tmp_path, monkeypatch, after_s, software):
    calls = []
    monkeypatch.setattr(
        slurm_queue.subprocess, "run", lambda command, **options: calls.append(command)
    )
    first = begun(tmp_path / "c")
    first.make_folder()
    slurm_queue.note(first.folder, ["7"])
    slurm_queue.note(first.folder, ["12"])
    begun(tmp_path / "c", software, after_s)
    assert calls == [["scancel", "--name=xcbench", "7", "12"]]
    begun(tmp_path / "c", software, after_s)
    assert len(calls) == 1


def test_a_forced_repeat_cancels_them_too(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(
        slurm_queue.subprocess, "run", lambda command, **options: calls.append(command)
    )
    store = ResultStore(tmp_path)
    first = begun(store.checkpoint("tiny/a"))
    first.make_folder()
    slurm_queue.note(first.folder, ["7"])
    store.forget_tasks("tiny/a")
    assert calls == [["scancel", "--name=xcbench", "7"]]
    assert not first.folder.exists()


def test_without_scancel_the_folder_is_taken_over_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    first = begun(tmp_path / "c")
    first.make_folder()
    slurm_queue.note(first.folder, ["7"])
    first.keep("fit", 0, Outcome(TASKS[0].label, 5))
    assert set(Checkpoints(tmp_path / "c", 0.0, CODE).resume("fit", TASKS)) == {0}

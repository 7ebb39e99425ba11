"""The file of one task: values come back equal, read-only and mapped, and damage is seen."""

import json
import os
import subprocess
import sys

import joblib
import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from xcbench.runner import task_files

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
    path = tmp_path_factory.mktemp("kept") / "a.task"
    task_files.write(path, {"label": "a", "seconds": 1.5}, value)
    for check in (False, True):
        about, found = task_files.read(path, check)
        assert same(found, value)
        assert about == {"label": "a", "seconds": 1.5}
    assert [p.name for p in path.parent.iterdir()] == ["a.task"]


@pytest.mark.parametrize("large", [False, True])
def test_arrays_are_aligned_read_only_and_of_the_same_layout(tmp_path, large):
    n = 400 if large else 7
    rng = np.random.default_rng(0)
    value = [rng.random((n, 500)), np.asfortranarray(rng.random((n, 300))), rng.random((n, 9))[::2]]
    task_files.write(tmp_path / "a", {}, value)
    assert ((tmp_path / "a").stat().st_size >= task_files.MAPPED) == large
    _, found = task_files.read(tmp_path / "a")
    for array, before in zip(found, value, strict=True):
        assert same(array, before)
        assert array.flags.aligned
        assert not array.flags.writeable
        assert type(array) is np.ndarray
        assert not large or array.ctypes.data % 64 == 0
    assert found[1].flags.f_contiguous


def test_mapped_arrays_go_to_workers_as_they_are(tmp_path):
    """joblib has a way of its own with arrays over np.memmap, and garbles Fortran's order."""
    value = np.asfortranarray(np.random.default_rng(0).random((400, 500)))
    task_files.write(tmp_path / "a", {}, value)
    _, mapped = task_files.read(tmp_path / "a")
    (found,) = joblib.Parallel(2, max_nbytes=None)([joblib.delayed(np.copy)(mapped)])
    assert np.array_equal(found, value)


def test_a_mapped_value_outlives_its_file(tmp_path):
    value = np.arange(task_files.MAPPED, dtype=np.int32)
    task_files.write(tmp_path / "a", {}, value)
    _, found = task_files.read(tmp_path / "a")
    os.unlink(tmp_path / "a")
    assert np.array_equal(found, value)


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array([object()]), [1, b"x"]])
def test_a_value_that_is_not_plain_is_refused_not_pickled(tmp_path, value):
    with pytest.raises(TypeError, match="which cannot be kept"):
        task_files.write(tmp_path / "a", {}, value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", [1, (1, 2), None])
def test_a_key_that_is_no_text_is_refused_not_changed_into_one(tmp_path, key):
    with pytest.raises(TypeError, match=r"has the key .*, which is no text"):
        task_files.write(tmp_path / "a", {}, [{"a": {key: 1}}])
    assert list(tmp_path.iterdir()) == []


def test_checking_a_file_does_not_hold_its_pages(tmp_path):
    task_files.write(tmp_path / "a", {}, np.ones(64 << 20, np.uint8))
    before = psutil.Process().memory_info().rss
    _, found = task_files.read(tmp_path / "a", check=True)
    assert psutil.Process().memory_info().rss - before < 16 << 20
    assert found[-1] == 1


_MANY = """
import os, resource, sys
from pathlib import Path
import numpy as np
from xcbench.runner import task_files
resource.setrlimit(resource.RLIMIT_NOFILE, tuple(map(int, sys.argv[2:])))
task_files.MAPPED = 1
folder, found = Path(sys.argv[1]), []
for i in range(100):
    task_files.write(folder / str(i), {}, np.full(1000, i))
    found.append(task_files.read(folder / str(i), check=True)[1])
assert all((value == i).all() for i, value in enumerate(found))
print(len(os.listdir("/proc/self/fd")))
"""


@pytest.mark.parametrize(("soft", "hard", "held"), [(64, 64, (20, 40)), (64, 4096, (100, 120))])
def test_more_files_than_descriptors_can_be_open_and_some_are_left_for_others(
    tmp_path, soft, hard, held
):
    limits = (str(soft), str(hard))
    done = subprocess.run(
        [sys.executable, "-c", _MANY, tmp_path, *limits], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert held[0] < int(done.stdout) < held[1]


@pytest.mark.parametrize("at", [0, 1, 9, 70, 5000, -40, -3])
def test_any_changed_byte_is_seen(tmp_path, at):
    path = tmp_path / "a"
    task_files.write(path, {"label": "a"}, [np.arange(1000), "text"])
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ValueError):  # noqa: PT011 whichever part finds it
        task_files.read(path, check=True)


@pytest.mark.parametrize("size", [0, 5, 19, 300, 8000])
def test_a_file_cut_short_is_seen(tmp_path, size):
    path = tmp_path / "a"
    task_files.write(path, {"label": "a"}, np.arange(1000))
    os.truncate(path, size)
    with pytest.raises(ValueError):  # noqa: PT011 whichever part finds it
        task_files.read(path, check=True)


def test_a_failed_write_leaves_nothing_and_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a"
    task_files.write(path, {}, "before")

    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(task_files.npy, "write_array", full)
        with pytest.raises(OSError, match="No space"):
            task_files.write(path, {}, np.arange(5))
    assert task_files.read(path)[1] == "before"
    assert len(list(tmp_path.iterdir())) == 1


@given(value=values)
def test_the_bytes_of_a_value_are_those_of_its_arrays(value):
    def count(part):
        if isinstance(part, dict):
            part = list(part.values())
        if isinstance(part, (list, tuple)):
            return sum(count(each) for each in part)
        return part.nbytes if isinstance(part, np.ndarray) else 0

    assert task_files.nbytes(value) == count(value)


def test_the_index_is_json_at_the_end(tmp_path):
    task_files.write(tmp_path / "a", {"label": "a"}, np.zeros(3))
    tail = (tmp_path / "a").read_bytes()[:-12]
    index = json.loads(tail[tail.rindex(b'{"label"') :])
    assert index["label"] == "a"

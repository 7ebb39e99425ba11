import json
import multiprocessing
import os
import random
import shutil
import time

import pytest
from filelock import FileLock

from xcbench.data.cache import cache_contents, clear_cache, lock_of, work_folder
from xcbench.data.sources import Sources
from xcbench.data.store import prepare


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def sources(tmp_path):
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text("1 2 2\n0 1:1\n")
    return Sources("tiny", "files", (tmp_path / "train.txt", tmp_path / "test.txt"))


def left_behind(folder, content=b"half of an array"):
    work = work_folder(folder)
    work.mkdir()
    (work / "X_train.data.npy").write_bytes(content)
    return work


def kinds(items):
    return [(item.kind, item.path, item.in_use) for item in items]


def test_an_empty_or_missing_cache_holds_nothing(cache):
    assert cache_contents(cache) == clear_cache(cache) == []


def test_the_contents_are_listed_with_their_bytes(sources, cache):
    data = prepare(sources, "unit", cache)
    work = left_behind(data.folder)
    (cache / "digests").mkdir(exist_ok=True)
    (cache / "digests" / "a.json").write_text("{}")
    items = cache_contents(cache)
    assert kinds(items) == [
        ("leftover", work, False),
        ("prepared", data.folder, True),
        ("digests", cache / "digests", False),
    ]
    sizes = [sum(file.stat().st_size for file in item.path.iterdir()) for item in items]
    assert [item.n_bytes for item in items] == sizes
    assert sizes[0] == len(b"half of an array")
    assert cache_contents(cache) == items


def test_clearing_leaves_what_is_in_use_and_says_what_it_removed(sources, cache):
    used, idle = prepare(sources, "unit", cache), prepare(sources, "raw", cache).folder
    work = left_behind(used.folder)
    removed = clear_cache(cache)
    assert {item.path for item in removed} >= {idle, work}
    assert used.folder not in {item.path for item in removed}
    assert used.folder.is_dir()
    assert not idle.exists()
    assert not work.exists()
    assert used.train.X.sum() == 1
    folder = used.folder
    del used
    assert folder in {item.path for item in clear_cache(cache)}
    assert [path for path in (cache / "prepared").iterdir() if path.is_dir()] == []
    assert prepare(sources, "unit", cache).folder == folder


def test_what_is_being_built_is_not_removed(sources, cache):
    folder = prepare(sources, "unit", cache).folder
    work = left_behind(folder)
    with FileLock(lock_of(folder)):
        assert clear_cache(cache) == []
        assert work.is_dir()
        assert [item.in_use for item in cache_contents(cache) if item.path == work] == [True]


def test_a_damaged_split_is_removed_too(sources, cache):
    folder = prepare(sources, "unit", cache).folder
    (folder / "meta.json").unlink()
    assert kinds(clear_cache(cache)) == [("prepared", folder, False)]


def open_until_told(sources, cache, opened, done):
    data = prepare(sources, "unit", cache)
    opened.set()
    done.wait(60)
    assert data.train.n_points == 1


def test_a_split_that_another_process_has_open_is_in_use_until_that_ends(sources, cache):
    context = multiprocessing.get_context("fork")
    opened, done = context.Event(), context.Event()
    worker = context.Process(target=open_until_told, args=(sources, cache, opened, done))
    worker.start()
    assert opened.wait(60)
    assert clear_cache(cache) == []
    worker.kill()
    worker.join()
    assert [item.kind for item in clear_cache(cache)] == ["prepared"]


def build_for_ever(sources, cache, started):
    while True:
        folder = prepare(sources, "unit", cache).folder
        started.set()
        shutil.rmtree(folder)


def test_after_kills_at_any_moment_the_next_run_leaves_no_temporary_file(sources, cache):
    context = multiprocessing.get_context("fork")
    rng = random.Random(0)
    for path in sources.files:
        os.utime(path, (1, 1))  # long unchanged, so that its digest is noted
    for _ in range(12):
        started = context.Event()
        worker = context.Process(target=build_for_ever, args=(sources, cache, started))
        worker.start()
        assert started.wait(60)
        time.sleep(rng.uniform(0, 0.03))
        worker.kill()
        worker.join()
    folder = prepare(sources, "unit", cache).folder
    names = {path.name for path in (cache / "prepared").iterdir()}
    assert names == {folder.name, lock_of(folder).name}
    notes = list((cache / "digests").iterdir())
    assert len(notes) == 2
    for note in notes:
        assert json.loads(note.read_text())["sha256"]

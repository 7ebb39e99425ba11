import gzip
import json
import multiprocessing
import os
import pickle
import re
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from xcbench.data import store
from xcbench.data.cache import default_cache_root, work_folder
from xcbench.data.load import load
from xcbench.data.sources import Sources
from xcbench.data.store import open_prepared, prepare
from xcbench.errors import ConfigError, DataError

TRAIN = "3 3 4\n0,0 0:3 1:4\n1,2 1:2\n 2:3\n"
TEST = "2 3 4\n3 2:4\n\n"


@pytest.fixture
def sources(tmp_path):
    return written(tmp_path / "source", TRAIN, TEST)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def written(folder, train, test):
    folder.mkdir()
    (folder / "train.txt").write_text(train)
    (folder / "test.txt").write_text(test)
    return Sources("tiny", "files", (folder / "train.txt", folder / "test.txt"))


def folders(cache):
    return sorted(path.name for path in (cache / "prepared").iterdir() if path.is_dir())


def forbid_building(monkeypatch):
    def build(*_):
        raise AssertionError("built again")

    monkeypatch.setattr(store, "_build", build)


def test_what_is_prepared_is_what_was_read_scaled_and_mapped(sources, cache):
    data, parts = prepare(sources, "unit", cache), load(sources)
    for ours, theirs in ((data.train, parts.train), (data.test, parts.test)):
        np.testing.assert_allclose(ours.X.toarray(), normalize(theirs.X).toarray(), rtol=1e-6)
        np.testing.assert_array_equal(ours.Y.toarray(), theirs.Y.toarray())
        for matrix in (ours.X, ours.Y):
            assert isinstance(matrix.data.base, np.memmap)
            assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
            assert not matrix.data.flags.writeable
    assert data.train.name == "tiny"


def test_meta_says_what_the_data_is(sources, cache):
    meta = prepare(sources, "unit", cache).meta
    assert [(s["path"], s["bytes"]) for s in meta["sources"]] == [
        (str(sources.files[0]), len(TRAIN)),
        (str(sources.files[1]), len(TEST)),
    ]
    assert (meta["n_train"], meta["n_test"], meta["n_features"], meta["n_labels"]) == (3, 2, 3, 4)
    assert meta["train"] == {
        "rows_without_labels": 1,
        "rows_without_features": 0,
        "duplicate_labels": 1,
    }
    assert meta["test"]["rows_without_features"] == 1
    assert meta["train_labels_unused"] == 1
    assert len(meta["data_sha256"]) == 64


def test_prepared_data_is_found_again_and_nothing_is_parsed(sources, cache, monkeypatch):
    first = prepare(sources, "unit", cache)
    forbid_building(monkeypatch)
    again = prepare(sources, "unit", cache)
    assert (again.folder, again.meta) == (first.folder, first.meta)


def test_another_scaling_split_or_content_is_another_folder(sources, cache):
    paths = {prepare(sources, features, cache).folder for features in ("unit", "raw", "tfidf")}
    sources.files[0].write_text(TRAIN.replace("0:3", "0:4"))
    paths.add(prepare(sources, "unit", cache).folder)
    assert len(paths) == 4


def test_the_data_hash_is_of_the_content_not_of_how_it_is_written(sources, cache, tmp_path):
    plain = prepare(sources, "unit", cache).meta["data_sha256"]
    other = written(tmp_path / "other", TRAIN.replace("\n", " \r\n"), "")
    other.files[1].write_bytes(gzip.compress(TEST.encode()))
    assert prepare(other, "unit", cache).meta["data_sha256"] == plain
    assert prepare(sources, "raw", cache).meta["data_sha256"] != plain
    other.files[1].write_text(TEST.replace("2:4", "2:5"))
    assert prepare(other, "unit", cache).meta["data_sha256"] != plain


def test_a_dataset_pickles_as_its_path(sources, cache):
    text = "300 50 4\n" + "".join(f"{i % 4} {i % 50}:{i}\n" for i in range(300))
    sources.files[0].write_text(text)
    data = prepare(sources, "unit", cache)
    for part in (data.train, data.test):
        packed = pickle.dumps(part)
        assert len(packed) < 500
        arrived = pickle.loads(packed)
        assert isinstance(arrived.X.data.base, np.memmap)
        np.testing.assert_array_equal(arrived.X.toarray(), part.X.toarray())
        np.testing.assert_array_equal(arrived.Y.toarray(), part.Y.toarray())


def test_matrices_without_entries_are_mapped_too(cache, tmp_path):
    data = prepare(written(tmp_path / "none", "2 3 4\n\n\n", "1 3 4\n\n"), "tfidf", cache)
    assert (data.train.X.shape, data.train.X.nnz, data.test.Y.nnz) == ((2, 3), 0, 0)


def truncate(folder):
    path = folder / "X_train.data.npy"
    path.write_bytes(path.read_bytes()[:-1])


def swap(folder):
    shutil.copy(folder / "X_train.indices.npy", folder / "X_train.data.npy")


def break_header(folder):
    path = folder / "X_train.data.npy"
    path.write_bytes(path.read_bytes().replace(b"}", b"(", 1))


def outdate(folder):
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps(meta | {"format": store.FORMAT - 1}))


@pytest.mark.parametrize(
    "damage",
    [
        truncate,
        swap,
        break_header,
        outdate,
        lambda folder: (folder / "Y_test.indptr.npy").unlink(),
        lambda folder: (folder / "meta.json").unlink(),
        lambda folder: (folder / "meta.json").write_text("{"),
        lambda folder: (folder / "meta.json").write_text("{}"),
    ],
    ids=[
        "cut",
        "other type",
        "broken header",
        "other format",
        "no array",
        "no meta",
        "torn meta",
        "empty meta",
    ],
)
def test_a_damaged_store_is_told_and_built_anew(damage, sources, cache):
    folder = prepare(sources, "unit", cache).folder
    damage(folder)
    with pytest.raises(DataError, match="missing or damaged; run `xcbench data prepare`"):
        open_prepared(folder)
    mended = prepare(sources, "unit", cache)
    assert mended.folder == folder
    np.testing.assert_allclose(mended.train.X.toarray()[0], [0.6, 0.8, 0])
    assert folders(cache) == [folder.name]


def test_a_failed_build_leaves_nothing_behind(sources, cache, monkeypatch):
    saved = []

    def save(path, array):
        saved.append(path)
        if len(saved) == 5:
            raise OSError(28, "No space left on device")
        return original(path, array)

    original = store._save
    monkeypatch.setattr(store, "_save", save)
    message = f"no room in {cache} for the prepared data of tiny (No space left on device)"
    with pytest.raises(DataError, match=re.escape(message) + ".*set XCBENCH_CACHE to a folder"):
        prepare(sources, "unit", cache)
    assert folders(cache) == []
    monkeypatch.setattr(store, "_save", original)
    assert prepare(sources, "unit", cache).train.n_points == 3


def test_what_another_host_left_is_cleared_away_once_it_is_old(sources, cache):
    folder = prepare(sources, "unit", cache).folder
    shutil.rmtree(folder)
    old, live = (folder.with_name(f".{folder.name}@{host}") for host in ("one", "two"))
    for work in (old, live):
        work.mkdir()
    os.utime(old, (0, 0))
    prepare(sources, "unit", cache)
    assert folders(cache) == [live.name, folder.name]


def wait_in_the_build(sources, cache, ready):
    def save(path, array):
        path.touch()
        ready.set()
        time.sleep(60)

    store._save = save
    prepare(sources, "unit", cache)


def killed_in_the_build(sources, cache):
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    worker = context.Process(target=wait_in_the_build, args=(sources, cache, ready))
    worker.start()
    assert ready.wait(60)
    return worker


def test_what_a_killed_build_left_is_gone_after_the_next_of_any_data(sources, cache, tmp_path):
    worker = killed_in_the_build(sources, cache)
    other = written(tmp_path / "other", TRAIN, TEST.replace("2:4", "2:5"))
    prepare(other, "unit", cache)  # while the first still builds: its folder is respected
    assert sum(name.startswith(".") for name in folders(cache)) == 1
    worker.kill()
    worker.join()
    prepare(other, "unit", cache)  # which is there already
    assert not any(name.startswith(".") for name in folders(cache))
    worker = killed_in_the_build(sources, cache)
    worker.kill()
    worker.join()
    data = prepare(sources, "unit", cache)
    assert work_folder(data.folder).exists() is False
    assert len(folders(cache)) == 2


def test_malformed_sources_prepare_nothing(sources, cache):
    sources.files[1].write_text("2 3 4\n3 2:4\n")
    with pytest.raises(DataError, match=r"test\.txt, line 3: the file ends after 1 rows"):
        prepare(sources, "unit", cache)
    assert folders(cache) == []


def test_a_finished_store_is_used_where_the_cache_is_read_only(sources, cache, monkeypatch):
    prepare(sources, "unit", cache)
    monkeypatch.setattr(Path, "write_text", refuse)
    forbid_building(monkeypatch)
    assert prepare(sources, "unit", cache).train.n_points == 3


def refuse(*_):
    raise PermissionError(13, "Permission denied")


def test_a_cache_that_cannot_be_written_is_a_wrong_setting_and_says_what_to_do(sources, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(
        ConfigError, match=r"cannot write prepared data to .*file/cache \(Not a directory\); "
        "set XCBENCH_CACHE to a folder that can be written"
    ):  # fmt: skip
        prepare(sources, "unit", tmp_path / "file" / "cache")


def test_a_write_that_numpy_calls_too_short_is_a_full_disk(sources, cache, monkeypatch):
    def save(*_):
        raise OSError("4096 requested and 0 written")

    monkeypatch.setattr(np, "save", save)
    with pytest.raises(DataError, match="No space left on device"):
        prepare(sources, "unit", cache)
    assert folders(cache) == []


def test_other_widths_of_the_parts_are_said_when_the_data_is_prepared(tmp_path, cache, caplog):
    wide = written(tmp_path / "wide", TRAIN, TEST.replace("2 3 4", "2 5 4"))
    prepare(wide, "unit", cache)
    [record] = caplog.records
    assert "train.txt, line 1 states 3 features" in record.message
    assert "test.txt, line 1 states 5: both are read with 5" in record.message


def prepare_when_told(sources, cache, barrier, answers):
    barrier.wait()
    data = prepare(sources, "unit", cache)
    answers.put((str(data.folder), float(data.train.X.sum())))


def test_two_processes_may_prepare_the_same_data_at_once(sources, cache):
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(2), context.Queue()
    workers = [
        context.Process(target=prepare_when_told, args=(sources, cache, barrier, answers))
        for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    found = {answers.get(timeout=60) for _ in workers}
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(found) == 1
    assert len(folders(cache)) == 1


def test_without_a_working_lock_the_first_to_finish_wins(sources, cache, monkeypatch):
    finished = prepare(sources, "unit", cache)
    work = cache / "prepared" / ".mine"
    shutil.copytree(finished.folder, work)
    # Another host's process puts its folder in place between our look and our rename.
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    store._put_in_place(work, finished.folder)
    assert open_prepared(finished.folder).meta == finished.meta


def test_the_cache_root_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XCBENCH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_cache_root() == tmp_path / ".cache" / "xcbench"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert default_cache_root() == tmp_path / "x" / "xcbench"
    monkeypatch.setenv("XCBENCH_CACHE", str(tmp_path / "own"))
    assert default_cache_root() == tmp_path / "own"

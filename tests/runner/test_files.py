"""Files that are written whole, by several writers at once too."""

import os
import threading

import pytest

from xcbench.runner import files
from xcbench.runner.files import write_atomic, write_unlocked


def test_two_writers_without_a_lock_never_tear_a_file(tmp_path, monkeypatch):
    """The first is held between its writing and its renaming while the second does both."""
    path = tmp_path / "t.md"
    pids = iter([1, 2])
    monkeypatch.setattr(files.os, "getpid", lambda: next(pids))
    written, go_on = threading.Event(), threading.Event()
    replace = os.replace

    def held(source, target):
        if threading.current_thread() is first:
            written.set()
            assert go_on.wait(10)
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", held)
    first = threading.Thread(target=write_unlocked, args=(path, "first " * 1000))
    first.start()
    assert written.wait(10)
    write_unlocked(path, "second")
    assert path.read_text() == "second"
    go_on.set()
    first.join()
    assert path.read_text() == "first " * 1000
    assert [p.name for p in tmp_path.iterdir()] == ["t.md"]


@pytest.mark.parametrize("write", [write_atomic, write_unlocked])
def test_what_fails_leaves_the_file_before_and_nothing_else(tmp_path, monkeypatch, write):
    path = tmp_path / "t.md"
    write(path, "before")

    def refuse(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        write(path, "after")
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["t.md"]

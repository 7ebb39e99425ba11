import hashlib
import os
from pathlib import Path

import pytest

from xcbench.data import digests
from xcbench.data.digests import remembered_sha256
from xcbench.errors import DataError

LONG_AGO = 10**18


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one")
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    return path


def hashed_files(monkeypatch):
    seen = []
    original = digests.file_sha256

    def counting(path: Path) -> str:
        seen.append(path.name)
        return original(path)

    monkeypatch.setattr(digests, "file_sha256", counting)
    return seen


def test_an_unchanged_file_is_hashed_once(source, tmp_path, monkeypatch):
    seen = hashed_files(monkeypatch)
    for _ in range(3):
        digest = remembered_sha256(source, tmp_path / "cache")
        assert digest == hashlib.sha256(b"one").hexdigest()
    assert seen == ["a.txt"]


def test_a_file_of_another_time_or_size_is_hashed_again(source, tmp_path):
    remembered_sha256(source, tmp_path / "cache")
    source.write_text("two")
    os.utime(source, ns=(LONG_AGO + 1, LONG_AGO + 1))
    assert remembered_sha256(source, tmp_path / "cache") == hashlib.sha256(b"two").hexdigest()
    source.write_text("three")
    os.utime(source, ns=(LONG_AGO + 1, LONG_AGO + 1))
    assert remembered_sha256(source, tmp_path / "cache") == hashlib.sha256(b"three").hexdigest()


def test_a_file_just_written_is_not_remembered(source, tmp_path, monkeypatch):
    seen = hashed_files(monkeypatch)
    source.write_text("new")
    remembered_sha256(source, tmp_path / "cache")
    remembered_sha256(source, tmp_path / "cache")
    assert seen == ["a.txt", "a.txt"]


@pytest.mark.parametrize("note", ["", "{", "[]", "{}", '{"path": 3}'])
def test_a_damaged_note_is_written_anew(note, source, tmp_path, monkeypatch):
    remembered_sha256(source, tmp_path / "cache")
    [path] = (tmp_path / "cache" / "digests").iterdir()
    path.write_text(note)
    assert remembered_sha256(source, tmp_path / "cache") == hashlib.sha256(b"one").hexdigest()
    seen = hashed_files(monkeypatch)
    remembered_sha256(source, tmp_path / "cache")
    assert seen == []


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"a\.txt: cannot be read"):
        remembered_sha256(tmp_path / "a.txt", tmp_path / "cache")

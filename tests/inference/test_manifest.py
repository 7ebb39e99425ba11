"""A model folder that is not what it was is refused, with the reason."""

import json
import os
import re
import shutil

import pytest

from xcbench.data import digests
from xcbench.errors import ConfigError, DataError
from xcbench.inference import open_model
from xcbench.inference.manifest import MANIFEST, require_model


@pytest.fixture
def folder(model_of, tmp_path):
    return shutil.copytree(model_of("blend").folder, tmp_path / "m")


def edit(folder, change):
    path = folder / MANIFEST
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def largest(folder):
    return max((folder / "model").glob("*.npy"), key=lambda path: path.stat().st_size)


def test_a_missing_file_is_named(folder):
    path = largest(folder)
    path.unlink()
    with pytest.raises(DataError, match=rf"{path.name}' is missing"):
        open_model(folder)


def test_a_file_cut_short_is_named(folder):
    path = largest(folder)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=rf"{path.name}: has \d+ bytes; {MANIFEST} states"):
        open_model(folder)


@pytest.mark.parametrize("name", ["config.yaml", "Yf.txt", "idf.npy", "model/model.json"])
def test_a_changed_byte_is_found(folder, name):
    path = folder / name
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"{path.name}: its SHA-256 is not"):
        open_model(folder)


def test_a_newer_format_names_its_writer(folder):
    edit(folder, lambda content: content.update(format=2, versions={"xcbench": "9.9"}))
    with pytest.raises(DataError, match=r"format 2, written by xcbench 9\.9.*reads up to format 1"):
        open_model(folder)


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/hostname", "model/../../outside", "a\0b", "model", ""]
)
def test_what_is_no_file_of_the_folder_is_never_opened(folder, name):
    (folder.parent / "outside").write_bytes(b"x")
    record = {"bytes": 1, "sha256": "0" * 64}
    edit(folder, lambda content: content["files"].update({name: record}))
    with pytest.raises(DataError, match=f"the file {re.escape(repr(name))} is missing"):
        open_model(folder)


@pytest.mark.parametrize("name", ["model/label_indices.npy", "Yf.txt", "log.txt", "model"])
def test_a_link_is_refused_whether_it_is_described_or_not(folder, name):
    (folder / name).rename(folder.parent / "elsewhere") if (folder / name).exists() else None
    (folder / name).symlink_to(folder.parent / "elsewhere")
    edit(folder, lambda content: content["files"].pop(name, None))
    with pytest.raises(DataError, match="is no file of its own"):
        open_model(folder)


@pytest.mark.parametrize("name", ["Yf.txt", "idf.npy", "trn_X.txt", "text.json", "model/x.npy"])
def test_a_file_that_is_not_described_is_never_used(folder, name):
    (folder / name).touch()
    edit(folder, lambda content: content["files"].pop(name, None))
    with pytest.raises(DataError, match=rf"holds '{name}', which {MANIFEST} does not describe"):
        open_model(folder)
    edit(folder, lambda content: content.update(files={}))
    with pytest.raises(DataError, match="does not describe"):
        open_model(folder)


def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(folder, monkeypatch):
    scandir = os.scandir

    def refuse(path):
        if str(path).endswith("model"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ConfigError, match=r"model: cannot be read \(Permission denied\)"):
        require_model(folder)


def test_only_a_model_and_nothing_else_is_replaced(folder):
    require_model(folder)
    (folder / "model" / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds 'model/notes\.txt'"):
        require_model(folder)
    (folder / "model" / "notes.txt").unlink()
    (folder / MANIFEST).unlink()
    with pytest.raises(ConfigError, match="no model folder"):
        require_model(folder)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": "1"}', "\xff", "[" * 200_000]
)
def test_a_damaged_description_is_refused(folder, text):
    (folder / MANIFEST).write_text(text, encoding="latin-1")
    with pytest.raises(DataError, match=rf"{MANIFEST}: is damaged"):
        open_model(folder)


def test_a_newer_format_is_told_whatever_its_versions_are(folder):
    edit(folder, lambda content: content.update(format=2, versions=[]))
    with pytest.raises(DataError, match="format 2, written by xcbench a newer version"):
        open_model(folder)


def test_what_is_no_model_folder_is_told_apart(tmp_path):
    with pytest.raises(DataError, match="no model folder"):
        open_model(tmp_path)


def test_bytes_are_read_once_and_not_at_every_opening(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(digests, "_SETTLED_NS", -(10**18))  # the copy is as good as old
    open_model(folder, tmp_path / "cache")
    monkeypatch.setattr(digests, "file_sha256", lambda path: pytest.fail(f"{path} is read again"))
    open_model(folder, tmp_path / "cache")
    largest(folder).touch()
    with pytest.raises(pytest.fail.Exception):
        open_model(folder, tmp_path / "cache")

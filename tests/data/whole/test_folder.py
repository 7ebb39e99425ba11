"""A folder appears whole, or everything stays as it was."""

import os
from pathlib import Path

import pytest

from xcbench.data.whole.folder import whole_folder
from xcbench.errors import ConfigError, DataError


def ours(folder: Path) -> None:
    if not (folder / "ours").exists():
        raise ConfigError("not ours")


@pytest.fixture
def made(tmp_path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "ours").write_text("old")
    return folder


def test_it_gets_its_name_at_the_end_and_replaces_the_old_one(made):
    with whole_folder(made, True, ours) as folder:
        (folder / "ours").write_text("new")
        assert (made / "ours").read_text() == "old"
    assert (made / "ours").read_text() == "new"
    assert [*made.parent.iterdir()] == [made]


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "full")])
def test_the_old_one_stays_whenever_it_ends(made, monkeypatch, at, error):
    """``at``: which of the two renamings is interrupted, before it is done."""
    rename, calls = os.rename, []

    def interrupted(source, target, **more):
        calls.append(source)
        if len(calls) == at:
            raise error
        rename(source, target, **more)

    monkeypatch.setattr(os, "rename", interrupted)
    with pytest.raises((KeyboardInterrupt, DataError)), whole_folder(made, True, ours) as folder:
        (folder / "ours").write_text("new")
    assert len(calls) >= at
    assert (made / "ours").read_text() == "old"
    assert [*made.parent.iterdir()] == [made]


def test_what_comes_between_is_not_replaced(made):
    with pytest.raises(ConfigError, match="not ours"), whole_folder(made, True, ours):
        (made / "ours").rename(made / "theirs")
    assert [path.name for path in made.iterdir()] == ["theirs"]


def test_an_empty_folder_may_be_replaced_and_a_link_or_file_may_not(tmp_path):
    (tmp_path / "empty").mkdir()
    with whole_folder(tmp_path / "empty", True, ours) as folder:
        (folder / "a").touch()
    assert (tmp_path / "empty" / "a").exists()
    (tmp_path / "link").symlink_to("empty")
    for name in ("link", "empty/a"):
        with (
            pytest.raises(ConfigError, match="is no folder"),
            whole_folder(tmp_path / name, True, ours),
        ):
            pass

import os
import stat

import pytest

from xcbench.data.whole.file import whole_file, whole_files


def test_a_file_appears_when_it_is_whole_with_the_usual_rights(tmp_path):
    mask = os.umask(0o027)
    try:
        with whole_file(tmp_path / "a") as stream:
            stream.write(b"new")
            assert not (tmp_path / "a").exists()
    finally:
        os.umask(mask)
    assert (tmp_path / "a").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def fail_in_one(folder):
    with whole_file(folder / "a") as stream:
        stream.write(b"half")
        raise KeyError


def fail_in_several(folder):
    with whole_files(folder) as work:
        (work / "a").write_bytes(b"half")
        raise KeyError


@pytest.mark.parametrize("fail", [fail_in_one, fail_in_several])
def test_after_a_failure_what_was_there_is_there_and_nothing_else(fail, tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(KeyError):
        fail(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_folders_that_were_made_for_nothing_are_gone_and_others_stay(tmp_path):
    with pytest.raises(KeyError):
        fail_in_several(tmp_path / "made" / "too")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty").mkdir()
    with pytest.raises(KeyError):
        fail_in_several(tmp_path / "empty")
    assert (tmp_path / "empty").is_dir()


def test_several_files_are_put_beside_those_that_are_there(tmp_path):
    (tmp_path / "in" / "a").mkdir(parents=True)
    folder = tmp_path / "in"
    (folder / "kept").write_bytes(b"kept")
    with whole_files(folder) as work:
        (work / "b").write_bytes(b"new")
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "kept"]

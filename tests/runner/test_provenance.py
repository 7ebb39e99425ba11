"""Provenance: the checkout's commit and whether it was changed."""

import os
import subprocess

import pytest

from xcbench.runner.provenance import collect, git_state


@pytest.fixture
def checkout(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", tmp_path, *identity, *arguments], check=True)

    package = tmp_path / "package"
    package.mkdir()
    (package / "a.py").write_text("1")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "c")
    return package


def test_a_clean_checkout_is_its_commit(checkout):
    commit, dirty = git_state(checkout)
    assert len(commit) == 40
    assert dirty is False


@pytest.mark.parametrize("name", ["a.py", "new.py"])
def test_a_changed_or_new_source_file_is_dirty(checkout, name):
    (checkout / name).write_text("2")
    assert git_state(checkout)[1] is True


def test_asking_leaves_the_index_alone(checkout):
    (source,) = (checkout).glob("*.py")
    os.utime(source, (1, 1))  # what git status would refresh the index for
    index = checkout.parent / ".git" / "index"
    before = index.stat()
    assert git_state(checkout)[1] is False
    after = index.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_change_outside_the_package_is_not(checkout):
    (checkout.parent / "notes.txt").write_text("2")
    assert git_state(checkout)[1] is False


def test_outside_a_checkout_nothing_is_claimed(tmp_path):
    assert git_state(tmp_path) == ("", None)


def test_the_blas_of_this_process_is_named():
    assert collect()["blas"].startswith(("openblas", "mkl", "blis", "flexiblas", "accelerate"))

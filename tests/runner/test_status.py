"""The state of runs that change while they are looked at."""

import os

from xcbench.runner import status
from xcbench.runner.locks import Holder
from xcbench.runner.store import ResultStore

HOLDER = Holder(1, "h", "xcbench run", "2026-01-01T00:00:00+00:00", 0.0)


def test_a_run_taken_while_it_is_looked_at_is_not_called_killed(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)
    (store.folder("tiny/rxml-00000000") / ".partial").mkdir(parents=True)
    looks = iter([None, HOLDER])
    monkeypatch.setattr(status, "holder_of", lambda folder: next(looks))
    found = status.run_status(store, "tiny/rxml-00000000")
    assert (found.state, found.holder) == ("running", HOLDER)


def test_a_run_that_vanishes_is_to_do(tmp_path):
    found = status.run_status(ResultStore(tmp_path), "tiny/gone-00000000")
    assert found == status.RunStatus("tiny/gone-00000000", "to do")


def test_a_holder_without_a_heartbeat_has_no_age(tmp_path, monkeypatch):
    monkeypatch.setattr(status, "holder_of", lambda folder: HOLDER)
    assert status.run_status(ResultStore(tmp_path), "tiny/rxml-00000000").heartbeat_s is None


def test_the_last_line_of_a_log_is_the_last_that_says_anything(tmp_path):
    log = tmp_path / "log.txt"
    assert status.last_line(log) == ""
    log.touch()
    assert status.last_line(log) == ""
    log.write_bytes(b"first\n" + os.urandom(20_000).hex().encode() + b"\nthe \xff\x1b[2Jlast\n\n")
    assert status.last_line(log) == "the ��[2Jlast"

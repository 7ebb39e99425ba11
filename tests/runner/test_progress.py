"""Progress without a terminal: a line when a stage ends, an estimate while a long one lasts."""

import logging

import pytest

from xcbench.runner.memory import PeakMemory
from xcbench.runner.progress import BarProgress, LogProgress, spoken


def test_a_long_stage_says_how_far_it_is(caplog):
    with caplog.at_level(logging.INFO, "xcbench"), LogProgress(every=0).stage("fit", 3) as advance:
        for _ in range(3):
            advance()
    messages = [record.getMessage() for record in caplog.records]
    assert messages[0].startswith("fit: 1 of 3 tasks, about 0.0 s left")
    assert messages[-1].startswith("fit: 3 tasks in ")
    assert len(messages) == 3


def test_bars_count_jobs_and_tasks(capsys):
    progress = BarProgress()
    with progress.jobs(2) as advance_job, progress.stage("fit", 3) as advance:
        advance()
        advance_job()
    assert "jobs:  50%" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (59.4, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations_are_spoken(seconds, text):
    assert spoken(seconds) == text


def test_peak_memory_sees_what_was_held_between():
    with PeakMemory(every=0.01) as before:
        pass
    with PeakMemory(every=0.01) as memory:
        block = bytearray(b"x" * 80_000_000)
        while memory.bytes < before.bytes + 40_000_000:
            block[0] ^= 1
    assert memory.bytes > before.bytes

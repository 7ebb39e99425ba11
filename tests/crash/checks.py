"""What the tests of this folder look at."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.crash import runs


def finish(project: Path, *arguments: str) -> int:
    """Run undisturbed, and give the exit code."""
    process = runs.start(runs.run, project, *arguments)
    process.join(120)
    return process.exitcode


def wait_for(condition: Callable[[], Any], seconds: float = 30.0) -> Any:
    """The first true value of a condition; fails when it stays false."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return value


def rows(project: Path, results: str = "results") -> list[dict[str, str]]:
    with open(project / results / "results.csv", newline="") as file:
        return list(csv.DictReader(file))


def predictions(project: Path, results: str = "results") -> dict[str, dict[str, bytes]]:
    """The bytes of every run's predictions."""
    found = {}
    for path in (project / results / "runs").glob("*/*/predictions.npz"):
        with np.load(path) as arrays:
            found[path.parent.name] = {name: arrays[name].tobytes() for name in arrays.files}
    return found


def litter(project: Path) -> list[str]:
    """What no undisturbed run leaves behind."""
    return [
        str(path.relative_to(project))
        for root in ("results", "cache")
        for path in (project / root).rglob("*")
        if path.name.startswith(".") and not path.name.endswith(".lock")
    ]


def check_finished_runs_are_whole(project: Path) -> None:
    """Every result that can be seen is whole, at whatever moment."""
    for path in (project / "results" / "runs").glob("*/*/result.json"):
        result = json.loads(path.read_text())
        if result["status"] == "done":
            with np.load(path.with_name("predictions.npz"), allow_pickle=False) as arrays:
                assert arrays["labels"].shape == (25, 5)

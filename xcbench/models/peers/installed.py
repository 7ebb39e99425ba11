"""Whether the library of a method can be used here, asked before anything is run."""

from __future__ import annotations

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import xcbench
from xcbench.errors import XCBenchError
from xcbench.models.metric_neighbours.library import missing_metric_learn

LIBRARIES = {"omikuji": "omikuji", "napkinxc": "napkinXC"}
PECOS_PYTHON = "XCBENCH_PECOS_PYTHON"
# In a checkout, where `make peers` makes it; the working directory may be anybody's.
PECOS_ENVIRONMENT = Path(xcbench.__file__).parents[1] / ".venv-pecos"


def missing(settings: Any) -> str | None:
    """What has to be installed before a method of these settings can run, as a sentence."""
    if settings.model == "pecos":
        return _missing_pecos()
    if settings.model == "metric_learn":
        return missing_metric_learn()
    if settings.model in LIBRARIES and find_spec(settings.model) is None:
        return f"{LIBRARIES[settings.model]} is not installed: pip install 'xcbench[peers]'"
    return None


def require(settings: Any) -> None:
    """Raise an XCBenchError where the library of a method is missing."""
    if (what := missing(settings)) is not None:
        raise XCBenchError(what)


def pecos_python() -> str:
    """The interpreter that has libpecos: the one the environment names, else of ``make peers``."""
    return os.environ.get(PECOS_PYTHON) or str(PECOS_ENVIRONMENT / "bin" / "python")


def _missing_pecos() -> str | None:
    python = pecos_python()
    remedy = f"`make peers` in a checkout makes one, or {PECOS_PYTHON} names another"
    command = [python, "-I", "-c", "import pecos"]
    try:
        found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        return f"PECOS needs a Python of its own, and {python} does not run ({error}): {remedy}"
    if found.returncode:
        return f"libpecos is not installed for {python}: {remedy}"
    return None

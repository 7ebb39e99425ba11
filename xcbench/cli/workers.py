"""Stopping the worker processes of a command that is ended."""

from __future__ import annotations

import sys


def kill_workers() -> None:
    """Kill them; none are there as long as the module that starts them is not loaded.

    Asked of the loaded modules, for a signal may arrive while others are still being imported.
    """
    executors = sys.modules.get("xcbench.runner.executors")
    if executors is not None and hasattr(executors, "kill_workers"):
        executors.kill_workers()

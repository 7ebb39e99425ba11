"""Runs in processes of their own, made to be killed.

A fork server that has everything imported makes them: a start takes milliseconds, not seconds, so
a test can afford many.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["xcbench.cli.main", "xcbench.runner.run", "tests.crash.runs"])


def start(function: Callable[..., None], *arguments: Any) -> Any:
    """Start a process, the leader of a group of its own, that calls the function."""
    process = _CONTEXT.Process(target=_in_own_group, args=(function, arguments))
    process.start()
    while process.is_alive() and os.getpgid(process.pid) != process.pid:
        time.sleep(0.001)
    return process


def _in_own_group(function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell's background ignores it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # And nohup this one.
    code = 1
    try:
        function(*arguments)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # Else multiprocessing waits for the workers that loky keeps for later.


def run(folder: Path, *arguments: str) -> None:
    """``xcbench run`` in a folder, its output in ``output.txt`` there; exits with its code."""
    from xcbench.cli.main import main

    os.chdir(folder)
    os.environ["XCBENCH_CACHE"] = str(folder / "cache")
    with open("output.txt", "a", encoding="utf-8") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        sys.argv = ["xcbench", "run", *arguments]
        main()


def run_and_die_at(operation: int, below: str, folder: Path, *arguments: str) -> None:
    """As ``run``, but killed just before the n-th file operation on a path that holds ``below``."""
    left = operation

    def count(event: str, details: tuple[Any, ...]) -> None:
        nonlocal left
        if event not in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"):
            return
        # Within a tree that is removed names are bare, beside the descriptor of their folder.
        is_bare = event in ("os.remove", "os.rmdir") and details[-1] != -1
        if not (is_bare or any(below in str(detail) for detail in details)):
            return
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    run(folder, *arguments)


def run_slow_tasks(seconds: float, folder: Path, *arguments: str) -> None:
    """As ``run``, with a model of three tasks that leave a mark and then sleep."""
    run_model(_Sleep(folder, seconds), folder, *arguments)


def run_model(on_task: Callable[[int], None], folder: Path, *arguments: str) -> None:
    """As ``run``, with PopularityModel in the place of every method."""
    from tests.conftest import PopularityModel
    from xcbench.tasks import xc

    xc.make_model = lambda settings, seed: PopularityModel(on_task, learners=3)
    xc.load_model = PopularityModel.load
    run(folder, *arguments)


class _Sleep:
    """What a slow task does; picklable, as a worker process gets it."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds

    def __call__(self, learner: int) -> None:
        with open(self.folder / f"task-{learner}", "a", encoding="utf-8") as mark:
            mark.write(f"{os.getpid()}\n")
        # The largest task is done at once; it is the one that a later attempt need not repeat.
        time.sleep(0 if learner == 2 else self.seconds)


def run_compiled_for_minutes(folder: Path, *arguments: str) -> None:
    """As ``run``, with a task that is one call of compiled code, which no signal interrupts."""
    import hashlib

    def hash_on(learner: int) -> None:
        (folder / "begun").touch()
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

    run_model(hash_on, folder, *arguments)

"""A dask cluster of processes on this machine, made to be killed, and tasks to be run on it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from xcbench.config.executor import ExecutorConfig
from xcbench.runner.checkpoints import Checkpoints
from xcbench.runner.executors import make_executor
from xcbench.runner.progress import LogProgress

ROOT = Path(__file__).parents[2]
SOFTWARE = {"numpy": "2"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class DaskCluster:
    """A scheduler and some workers, each a process of its own."""

    def __init__(
        self, workers: int, port: int | None = None, options: tuple[str, ...] = ()
    ) -> None:
        self.port = port or free_port()
        self.address = f"127.0.0.1:{self.port}"
        place = ("--host", "127.0.0.1", "--port", str(self.port))
        self.scheduler = self._start("scheduler", *place)
        self._await_scheduler()
        self.workers = [
            self._start(
                "worker", f"tcp://{self.address}", "--no-nanny", "--memory-limit", "0",
                *(options or ("--nthreads", "1")),
            )
            for _ in range(workers)
        ]  # fmt: skip

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
        quiet = subprocess.DEVNULL
        return subprocess.Popen([*command, "--no-dashboard"], cwd=ROOT, stdout=quiet, stderr=quiet)

    def _await_scheduler(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError("the scheduler does not answer")

    def await_workers(self) -> None:
        from distributed import Client

        if not self.workers:
            return
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=60)

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.send_signal(signal.SIGKILL)
            process.wait()


def executor_on(config: ExecutorConfig, folder: Path, after_s: float = 0.0):
    """An executor that is ready, with a task folder and "prepared data" of its own."""
    data = folder / "prepared"
    data.mkdir(exist_ok=True)
    (data / "meta.json").touch()
    checkpoints = Checkpoints(folder / "tasks", after_s, SOFTWARE)
    made = make_executor(config, LogProgress(), checkpoints, data)
    made.start()
    return made, checkpoints


def begun(folder: Path) -> dict[int, list[int]]:
    """The processes that each task was begun in, as the tasks themselves note."""
    marks: dict[int, list[int]] = {}
    for path in folder.glob("begun-*"):
        index, pid = map(int, path.name.split("-")[1:])
        marks.setdefault(index, []).append(pid)
    return marks


class Marks:
    """A task that notes where it was begun; picklable by name.

    It hangs as the task ``hangs_at``, or in the process ``hangs_in``.
    """

    def __init__(
        self,
        folder: Path,
        hangs_at: int | None = None,
        hangs_in: int | None = None,
        hangs_s: float = 600,
    ) -> None:
        self.folder, self.hangs_at, self.hangs_in = folder, hangs_at, hangs_in
        self.hangs_s = hangs_s

    def __call__(self, index: int):
        import numpy

        (self.folder / f"begun-{index}-{os.getpid()}").touch()
        if index == self.hangs_at or os.getpid() == self.hangs_in:
            time.sleep(self.hangs_s)
        return index, numpy.full(1000, index)


class Dies(Marks):
    """Kills its process as task 0, ``times`` times."""

    def __init__(self, folder: Path, times: int = 1) -> None:
        super().__init__(folder)
        self.times = times

    def __call__(self, index: int):
        value = super().__call__(index)
        if index == 0 and len(begun(self.folder)[0]) <= self.times:
            sys.stderr.write("about to die\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return value


@contextmanager
def when(condition: Callable[[], bool], act: Callable[[], None]) -> Iterator[None]:
    """Meanwhile do something as soon as a condition holds."""
    done = threading.Event()

    def wait() -> None:
        while not condition() and not done.wait(0.02):
            pass
        if not done.is_set():
            act()

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def thread_counts(index: int) -> list[int]:
    """Of the BLAS and OpenMP pools where this runs."""
    import numpy
    import scipy.linalg
    from threadpoolctl import threadpool_info

    scipy.linalg.inv(numpy.eye(3) @ numpy.eye(3))
    return [pool["num_threads"] for pool in threadpool_info()]

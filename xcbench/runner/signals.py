"""Signals that end a run: SIGINT (Ctrl-C), SIGTERM (scheduler, shutdown), SIGHUP (line closed).

The first one raises in the main thread, so that locks are freed, workers stopped and the job at
work is recorded as interrupted. Python cannot raise inside compiled code, and one call of BLAS may
take minutes; a thread therefore ends the process when it is still there some seconds later.
What it raises inside a callback of C code (numba's compiler has such) is printed and forgotten; it
is raised again a moment later.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

GRACE_S = 5.0
AGAIN_S = 0.05

Hook = Callable[["sys.UnraisableHookArgs"], object]


@contextmanager
def ended_by_signals(last_act: Callable[[], None]) -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise SystemExit(128 + number), as SIGINT raises KeyboardInterrupt.

    A signal that is ignored (nohup) stays ignored.

    Parameters
    ----------
    last_act : callable
        Called from another thread just before a process that does not react is ended.
    """
    before = {
        number: signal.signal(number, _end)
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    wakeup = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    out = threading.Event()
    unraisable, sys.unraisablehook = sys.unraisablehook, _raised_again(sys.unraisablehook)
    threading.Thread(
        target=_enforce, args=(reader, out, last_act), name="signals", daemon=True
    ).start()
    try:
        yield
    finally:
        out.set()
        sys.unraisablehook = unraisable
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        writer.close()


def ending(error: KeyboardInterrupt | SystemExit) -> str:
    """The name of the signal an exception stands for."""
    if isinstance(error, KeyboardInterrupt):
        return "SIGINT"
    code = error.code if isinstance(error.code, int) else 0
    return signal.Signals(code - 128).name if code > 128 else f"exit {error.code}"


def _raised_again(otherwise: Hook) -> Hook:
    """A hook for exceptions that nobody can catch: the end of the process is raised once more."""

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        error = unraisable.exc_value
        if not isinstance(error, (KeyboardInterrupt, SystemExit)):
            otherwise(unraisable)
            return
        number = signal.Signals[name] if (name := ending(error)).startswith("SIG") else 0
        if number:  # Not at once: this hook still runs inside the callback.
            main = threading.main_thread().ident
            threading.Timer(AGAIN_S, signal.pthread_kill, (main, number)).start()

    return hook


def _end(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def _enforce(reader: socket.socket, out: threading.Event, last_act: Callable[[], None]) -> None:
    """Wait for a signal; if the main thread has not left the context in time, end the process."""
    ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    with reader:
        while received := reader.recv(1):
            if received[0] in ends and not out.wait(GRACE_S):
                last_act()
                os._exit(128 + received[0])

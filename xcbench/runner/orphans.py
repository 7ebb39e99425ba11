"""No worker outlives its run, however the run ends."""

from __future__ import annotations

import os
import signal
import threading
import time

_EVERY_S = 1.0


def end_with_parent() -> None:
    """Called first in a worker process: end it when its parent is gone, and leave Ctrl-C to that.

    A killed parent cannot stop its workers, which would otherwise finish their tasks for nobody and
    then wait for more. Ctrl-C reaches the whole group; a worker of its own would print a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), name="end-with-parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY_S)
    os._exit(1)

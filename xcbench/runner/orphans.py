"""No worker outlives its run, however the run ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

_EVERY_S = 1.0


def end_with_parent() -> None:
    """Called first in a worker process: end it when its parent is gone.

    A killed parent cannot stop its workers, which would otherwise finish their tasks for nobody and
    then wait for more.
    """
    parent = multiprocessing.parent_process()
    # Its number as it was at the start: it may be gone by now, and another one be our parent.
    if parent is not None and parent.pid is not None:
        threading.Thread(target=_watch, args=(parent.pid,), name="orphans", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY_S)
    os._exit(1)

"""Lets a signal end the wait for compiled code that knows of none."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def interruptible(function: Callable[[], T]) -> T:
    """Call a function in a thread of its own and wait for it.

    Python runs no signal handler while its main thread is inside compiled code, which here takes
    minutes. The wait for another thread it can leave; that thread ends with the process.
    """
    values: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            values.append(function())
        except BaseException as error:  # Raised again where it is waited for.
            errors.append(error)

    thread = Thread(target=call, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return values[0]

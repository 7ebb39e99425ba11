"""A call that can be waited for and left."""

import signal
import threading

import pytest

from xcbench.models.peers.interruptible import interruptible


def test_the_value_and_the_error_are_those_of_the_function():
    assert interruptible(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


def test_a_signal_ends_the_wait_while_the_call_goes_on():
    started, ended = threading.Event(), threading.Event()

    def call():
        started.set()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        ended.wait(10)
        return "finished for nobody"

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible(call)
    finally:
        signal.signal(signal.SIGINT, before)
    assert started.is_set()
    assert not ended.is_set()
    ended.set()

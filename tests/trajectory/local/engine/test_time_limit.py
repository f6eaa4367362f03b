"""The limit on an observer's time."""

from __future__ import annotations

import itertools
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

import pytest

from trajectory.local.engine.time_limit import Budget, OverBudgetError


def test_block_in_time_passes_and_leaves_no_timer():
    with Budget(5):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_endless_loop_in_the_main_thread_is_interrupted():
    with pytest.raises(OverBudgetError, match=r"took longer than 0\.02 s"), Budget(0.02):
        all(number >= 0 for number in itertools.count())


def test_slow_block_in_another_thread_is_reported_after_it():
    caught: list[BaseException] = []

    def slow() -> None:
        try:
            with Budget(0.01):
                time.sleep(0.05)
        except OverBudgetError as error:
            caught.append(error)

    thread = threading.Thread(target=slow)
    thread.start()
    thread.join()
    assert [str(error) for error in caught] == ["took longer than 0.01 s"]


def test_timer_of_somebody_else_is_left_alone():
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with Budget(5):
            pass
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_block_is_interrupted_again_where_a_finalizer_swallows_the_first_interruption(monkeypatch: pytest.MonkeyPatch):
    # Python tells of what a finalizer raises; pytest's way to keep it takes long enough to be interrupted itself.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)

    class Slow:
        def __del__(self) -> None:
            while True:
                time.sleep(0.001)

    def finalize_and_go_on() -> None:
        slow = Slow()
        del slow
        all(number >= 0 for number in itertools.count())

    with pytest.raises(OverBudgetError), Budget(0.02):
        finalize_and_go_on()


@pytest.mark.parametrize(("function", "moment"), [("__enter__", "return"), ("__exit__", "call")])
def test_time_that_is_over_before_or_after_the_block_leaves_no_timer(function: str, moment: str):
    """What is raised there would prevent the block's end: the timer would interrupt whatever runs next."""
    signals: list[str] = []

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        if (frame.f_code.co_name, event) == (function, moment):
            signals.append(event)
            signal.raise_signal(signal.SIGALRM)

    sys.setprofile(profile)
    try:
        with Budget(5):
            pass
    finally:
        sys.setprofile(None)
    assert signals == [moment]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL

"""A limit on the time that one observer may take, so that none holds up the agent's tool calls."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

BUDGET_SECONDS = 0.5


class OverBudgetError(Exception):
    """An observer took longer than it may; the text says how long that is."""


@contextlib.contextmanager
def budget(seconds: float = BUDGET_SECONDS) -> Iterator[None]:
    """Raise OverBudgetError in the block when `seconds` are over, or after it if it took longer.

    It is interrupted where the system has a timer to do so: in the main thread, not on Windows, and not
    where somebody else uses that timer. Elsewhere the time is only measured.
    """
    deadline = time.monotonic() + seconds
    error = OverBudgetError(f"took longer than {seconds:g} s")
    with _interrupted(seconds, error):
        yield
    if time.monotonic() > deadline:
        raise error


@contextlib.contextmanager
def _interrupted(seconds: float, error: OverBudgetError) -> Iterator[None]:
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or not hasattr(signal, "setitimer") or any(signal.getitimer(signal.ITIMER_REAL)):
        yield
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

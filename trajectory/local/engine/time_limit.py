"""A limit on the time that one observer may take, so that none holds up the agent's tool calls."""

from __future__ import annotations

import contextlib
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

BUDGET_SECONDS = 0.5


class OverBudgetError(Exception):
    """An observer took longer than it may; the text says how long that is."""


@contextlib.contextmanager
def budget(seconds: float | None = None) -> Iterator[None]:
    """Raise OverBudgetError in the block when `seconds`, by default BUDGET_SECONDS, are over, or after it.

    It is interrupted where the system has a timer to do so: in the main thread and not on Windows. Elsewhere the
    time is only measured. Somebody else's use of that timer, as the limit of a whole process, goes on after the block;
    where it is nearer it comes first.
    """
    seconds = BUDGET_SECONDS if seconds is None else seconds
    deadline = time.monotonic() + seconds
    error = OverBudgetError(f"took longer than {seconds:g} s")
    with _interrupted(seconds, error):
        yield
    if time.monotonic() > deadline:
        raise error


@contextlib.contextmanager
def _interrupted(seconds: float, error: OverBudgetError) -> Iterator[None]:
    left = signal.getitimer(signal.ITIMER_REAL)[0] if hasattr(signal, "setitimer") else 0.0
    if not _in_main_thread() or not hasattr(signal, "setitimer") or 0 < left <= seconds:
        yield
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise error

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, interrupt)
    # Again and again: Python drops an exception that a handler raises within a finalizer.
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001))


def _in_main_thread() -> bool:
    threading = sys.modules.get("threading")  # who has not loaded it has no other thread
    return threading is None or threading.current_thread() is threading.main_thread()

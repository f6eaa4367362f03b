"""A limit on the time that one observer may take, so that none holds up the agent's tool calls."""

from __future__ import annotations

import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

BUDGET_SECONDS = 0.5


class OverBudgetError(Exception):
    """An observer took longer than it may; the text says how long that is."""


class Budget:
    """Raise OverBudgetError in the block when `seconds`, by default BUDGET_SECONDS, are over, or after it.

    It is interrupted where the system has a timer to do so: in the main thread and not on Windows. Elsewhere the
    time is only measured. Somebody else's use of that timer, as the limit of a whole process, goes on after the block;
    where it is nearer it comes first.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = BUDGET_SECONDS if seconds is None else seconds
        self._error = OverBudgetError(f"took longer than {self._seconds:g} s")

    def __enter__(self) -> None:
        self._began = time.monotonic()
        self._others = signal.getitimer(signal.ITIMER_REAL)[0] if hasattr(signal, "setitimer") else 0.0
        nearer = 0 < self._others <= self._seconds
        self._interrupts = hasattr(signal, "setitimer") and _in_main_thread() and not nearer
        if self._interrupts:
            self._handler: Any = signal.signal(signal.SIGALRM, self._interrupt)
            # Again and again: Python drops an exception that a handler raises within a finalizer.
            signal.setitimer(signal.ITIMER_REAL, self._seconds, self._seconds)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._interrupts:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            if self._others:
                left = self._others - (time.monotonic() - self._began)
                signal.setitimer(signal.ITIMER_REAL, max(left, 0.001))
        if error is None and time.monotonic() > self._began + self._seconds:
            raise self._error

    def _interrupt(self, _signal: int, frame: FrameType | None) -> None:
        """Raise the error, unless the block has not begun or is over: the timer and the handler would stay."""
        while frame is not None:
            if frame.f_code in (Budget.__enter__.__code__, Budget.__exit__.__code__):
                return
            frame = frame.f_back
        raise self._error


def _in_main_thread() -> bool:
    threading = sys.modules.get("threading")  # who has not loaded it has no other thread
    return threading is None or threading.current_thread() is threading.main_thread()

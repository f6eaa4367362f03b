"""How long the model itself computes, apart from the wait for a thread, a socket or another process.

What computes calls `add`, in whichever thread; what hands texts to another thread or process adds there what that one
needed. Only within `measured` anything is kept, for the thread that asks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Spent:
    """Seconds of forward passes."""

    seconds: float = 0.0


class _Local(threading.local):
    spent: Spent | None = None


_local = _Local()


@contextmanager
def measured() -> Iterator[Spent]:
    """Yield what this thread adds within; it counts outside too, if that is measured."""
    outer, inner = _local.spent, Spent()
    _local.spent = inner
    try:
        yield inner
    finally:
        _local.spent = outer
        add(inner.seconds)


def add(seconds: float) -> None:
    """Count `seconds` of forward passes for this thread."""
    if _local.spent is not None:
        _local.spent.seconds += seconds

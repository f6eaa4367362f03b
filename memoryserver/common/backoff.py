"""The pause after failed attempts: twice as long each time, and never shorter than the server asks for."""

from __future__ import annotations


def pause(failures: int, *, first: float, longest: float, retry_after: float = 0.0) -> float:
    """Return the seconds to wait after `failures` failed attempts in a row, at least one.

    max(min(first * 2 ** (failures - 1), longest), retry_after)
    """
    return max(min(first * 2.0 ** min(max(failures, 1) - 1, 30), longest), retry_after)

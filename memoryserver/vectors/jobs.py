"""Jobs of the vectors app. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from memoryserver.vectors import indexes


def index_grown() -> int:
    """Build the index of each collection that is too large for exact search and return how many were built."""
    return indexes.build_grown()

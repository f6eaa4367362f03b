"""The bound of what a laptop keeps for its server: the setting `outbox_mb`, also through weeks without one.

Counted are the recorded tool calls, the outbox and the queue of learnings. What goes, once that is too much: the
oldest tool calls, then what the server has refused and the oldest observations of the log. Journal entries and
learnings are never given up; of these the queue has a bound of its own, at which capture pauses.
"""

from __future__ import annotations

import os
from pathlib import Path

from memorycli.delivery import observations
from memoryserver.client import config, discarded, home_folder
from memoryserver.common.files import LockTimeoutError
from trajectory.local import delivery

MEGABYTE = 1_000_000


def limit() -> int:
    """Return the limit in bytes."""
    return config.number("outbox_mb") * MEGABYTE


def used() -> dict[str, int]:
    """Return the bytes that wait, by kind."""
    home = home_folder.path()
    return {
        "tool_calls": delivery.disk_use(),
        "outbox": _bytes_below(home / "outbox"),
        "learnings": _bytes_below(home / "learning_queue"),
    }


def enforce() -> bool:
    """Discard what exceeds the limit, and return whether anything was. Does nothing while a delivery runs."""
    excess = sum(used().values()) - limit()
    if excess <= 0:
        return False
    try:
        excess -= delivery.shrink(excess)
        if excess > 0:
            number, freed = observations.outbox().drop_oldest(excess)
            discarded.add(observations=number, size=freed)
    except LockTimeoutError:
        return False
    return True


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # delivered meanwhile
                continue
    return total

"""The synchronous owner of `.tool_count`, and of the quick answer to "is an entry active?".

A hook calls this on every tool use, so nothing here imports asyncio, aiofiles or the entry's classes. The
file is replaced atomically but not fsynced: a power cut may lose a count, which costs one check-in its
moment; a tool call must not wait for the disk.
"""

from __future__ import annotations

import os
from pathlib import Path

from ghap.local import layout
from memoryserver.common import files

CHECK_IN_FREQUENCY = 10  # tool calls
_LONGEST = 18  # digits; anything longer was not written here


def increment(journal_dir: Path, *, timeout: float = layout.HOOK_LOCK_SECONDS) -> int:
    """Count one tool call and return the new count. The folder must exist.

    Waits at most `timeout` seconds for other writers, then raises LockTimeoutError; raises OSError.
    """
    with files.lock(journal_dir / layout.LOCK, timeout=timeout):
        return advance(journal_dir)


def record_call(journal_dir: Path, frequency: int, *, active: bool, timeout: float = layout.HOOK_LOCK_SECONDS) -> bool:
    """Count one tool call and return whether a check-in is due; if so the count starts at 0 again.

    `active` is whether there is an entry to ask about; a `frequency` of 0 never asks. Of hooks that run at the same
    time one gets True. Waits and raises like `increment`.
    """
    with files.lock(journal_dir / layout.LOCK, timeout=timeout):
        due = advance(journal_dir) >= frequency > 0 and active
        if due:
            store(journal_dir, 0)
        return due


def reset(journal_dir: Path, *, timeout: float = layout.HOOK_LOCK_SECONDS) -> None:
    """Set the count to 0, as after a check-in was shown; waits and raises like `increment`."""
    with files.lock(journal_dir / layout.LOCK, timeout=timeout):
        store(journal_dir, 0)


def check_in_due(journal_dir: Path, frequency: int = CHECK_IN_FREQUENCY) -> bool:
    """Return whether `frequency` tool calls or more were counted while an entry is active; takes no lock."""
    return has_active_entry(journal_dir) and peek(journal_dir) >= frequency


def has_active_entry(journal_dir: Path) -> bool:
    """Return whether `current_ghap.json` exists, without reading it.

    After a crash it may hold an entry that is already filed, or be damaged; Journal.get_current repairs that.
    """
    return os.path.isfile(journal_dir / layout.CURRENT)


def peek(journal_dir: Path) -> int:
    """Return the count in the file, 0 where it is missing or damaged; changes nothing, takes no lock."""
    return _read(journal_dir / layout.TOOL_COUNT) or 0


def advance(journal_dir: Path) -> int:
    """Count one tool call, the caller holding the lock; a damaged file is set aside and counts as 0."""
    path = journal_dir / layout.TOOL_COUNT
    count = _read(path)
    if count is None and os.path.lexists(path):
        layout.set_aside(path, "not a whole number")
    store(journal_dir, (count or 0) + 1)
    return (count or 0) + 1


def store(journal_dir: Path, count: int) -> None:
    """Write the count; the caller holds the journal's lock. Raises OSError."""
    path = journal_dir / layout.TOOL_COUNT
    layout.clear_folder(path)
    files.write_atomic(path, str(count), durable=False)


def _read(path: Path) -> int | None:
    try:
        digits = path.read_bytes().strip()
    except (FileNotFoundError, IsADirectoryError):
        return None
    return int(digits) if digits.isdigit() and len(digits) <= _LONGEST else None

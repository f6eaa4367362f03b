"""The names in a journal folder, and how a damaged file is set aside without losing it.

    current_ghap.json      the active entry; missing when there is none
    session_entries.jsonl  entries resolved in this session, one a line, append-only
    .session_id            the open session; missing when there is none
    .tool_count            tool calls since the last check-in, an integer
    archive/               {date}_{session id}.jsonl, the entries of past sessions
    .lock                  held by every writer of the files above
    .hook.json             what hooks remember of the active entry; its owner is `active`
    .open.json             what the server last received of the active entry; its owner is `open_entry`
    .sync.json             what the server has confirmed; its owner is `server_answers`
    .sync.lock             held by the one sync that runs

Imported on every tool call: it imports nothing beyond what `files` needs.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from memoryserver.common import files

CURRENT = "current_ghap.json"
SESSION_ENTRIES = "session_entries.jsonl"
SESSION_ID = ".session_id"
TOOL_COUNT = ".tool_count"
ARCHIVE = "archive"
LOCK = ".lock"
HOOK_NOTES = ".hook.json"
OPEN_STATE = ".open.json"
SYNC_STATE = ".sync.json"
SYNC_LOCK = ".sync.lock"
HOOK_LOCK_SECONDS = 2.0  # how long a hook waits for the lock


class DamagedError(Exception):
    """A file does not hold what it should; the text says why. Never leaves this package."""


def prepare(folder: Path) -> None:
    """Create the folder, and remove what crashed writers left unless another process is writing just now.

    Raises OSError where there is no folder and none can be created. One that is there but cannot be written to can
    still be read, so that is left to the first call that writes.
    """
    try:
        files.make_folder(folder, ignored_by_git=True)
        descriptor = files.try_lock(folder / LOCK)
    except OSError:
        if not folder.is_dir():
            raise
        return
    if descriptor is not None:
        with contextlib.suppress(OSError):  # as above: a leftover that cannot be removed is harmless
            _sweep(folder)
        os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Every writer but that of .gitignore holds the lock, so no other temporary file is in use."""
    for place in (folder, folder / ARCHIVE):
        for name in os.listdir(place) if place.is_dir() else []:
            if name.endswith(files.TEMPORARY_SUFFIX) and not name.startswith("..gitignore."):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(place / name)


def read(path: Path) -> bytes | None:
    """Return the content of `path`, None where there is no such file; DamagedError for a folder in its place."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except IsADirectoryError as error:
        raise DamagedError("a folder in its place") from error


def clear_folder(path: Path) -> None:
    """Set aside a folder that stands in place of the file `path`, as before it is written."""
    if os.path.isdir(path):
        set_aside(path, "a folder in its place")


def remove(path: Path) -> None:
    """Unlink `path` durably; a folder in its place is set aside, one that is missing is fine. Raises OSError."""
    if os.path.isdir(path):
        set_aside(path, "a folder in its place")
    elif os.path.lexists(path):
        path.unlink()
        files.sync_folder(path.parent)


def set_aside(path: Path, reason: str) -> Path:
    """Rename the damaged `path` to `{stem}.corrupted.{unix time}` beside it, log it, and return the new path.

    A name that is taken gets `-2`, `-3`, ... so two of one second both stay. The caller holds the lock.
    Raises JournalCorruptedError where the file cannot be moved.
    """
    backup = unused_backup(path)
    try:
        os.replace(path, backup)
        files.sync_folder(path.parent)
    except OSError as error:
        from ghap.local.errors import JournalCorruptedError

        raise JournalCorruptedError(
            f"{path} is damaged ({reason}) and cannot be moved out of the way: {error.strerror or error}"
        ) from error
    log_damage(f"{path.name} was damaged ({reason}); it is kept as {backup.name}")
    return backup


def unused_backup(path: Path) -> Path:
    """Return the name for a backup of `path` that is created now."""
    first = path.with_suffix(f".corrupted.{int(time.time())}")
    backup, number = first, 1
    while os.path.lexists(backup):
        number += 1
        backup = first.with_name(f"{first.name}-{number}")
    return backup


def log_damage(message: str) -> None:
    """Log damage as an error."""
    import logging  # rarely needed, and slow to import in a hook

    logging.getLogger("ghap.local").error(message)

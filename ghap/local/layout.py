"""The names in a journal folder, and how a damaged file is put out of the way without losing it.

    current_ghap.json      the active entry; missing when there is none
    session_entries.jsonl  entries resolved in this session, one a line, append-only
    .session_id            the open session; missing when there is none
    .tool_count            tool calls since the last check-in, an integer
    archive/               {date}_{session id}.jsonl, the entries of past sessions
    .lock                  held by every writer of the files above
    .hook.json             what hooks remember of the active entry; its owner is `active`
    .sync.json             what the server has confirmed; its owner is `syncstate`
    .sync.lock             held by the one sync that runs

Imported on every tool call: it imports nothing beyond what `files` needs.
"""

from __future__ import annotations

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
SYNC_STATE = ".sync.json"
SYNC_LOCK = ".sync.lock"
HOOK_LOCK_SECONDS = 2.0  # how long a hook waits for the lock


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
    """The name that a backup of `path` made now takes."""
    first = path.with_suffix(f".corrupted.{int(time.time())}")
    backup, number = first, 1
    while os.path.lexists(backup):
        number += 1
        backup = first.with_name(f"{first.name}-{number}")
    return backup


def log_damage(message: str) -> None:
    """Report damage as an error; `logging` costs a hook too much to be imported before it is needed."""
    import logging

    logging.getLogger("ghap.local").error(message)

"""The file of the open session: one line, the session's id. The caller holds the journal's lock to change it."""

from __future__ import annotations

from pathlib import Path

from ghap.local import layout
from ghap.local.ids import is_session_id
from memoryserver.common import files, text


def read(folder: Path) -> str | None:
    """Return the open session's id, None where no session is open. Raises DamagedError."""
    content = layout.read(folder / layout.SESSION_ID)
    if content is None:
        return None
    session_id = text.decode(content).strip(" \t\r\n")
    if not is_session_id(session_id):
        raise layout.DamagedError("not a session id")
    return session_id


def load(folder: Path) -> str | None:
    """Return the open session's id; a damaged file is set aside and counts as missing."""
    try:
        return read(folder)
    except layout.DamagedError as damage:
        layout.set_aside(folder / layout.SESSION_ID, str(damage))
        return None


def write(folder: Path, session_id: str) -> None:
    """Make `session_id` the open session. Raises OSError."""
    layout.clear_folder(folder / layout.SESSION_ID)
    files.write_atomic(folder / layout.SESSION_ID, session_id)


def remove(folder: Path) -> None:
    """Let no session be open. Raises OSError."""
    layout.remove(folder / layout.SESSION_ID)

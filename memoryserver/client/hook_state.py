"""What the hook remembers about one session of an agent between its events.

    $MEMORYSERVER_HOME/sessions/<digest of the session's id>.json

Holds `journal_session` (the journal's session that this one opened), `offered` (the orphan that was offered to it) and
`root` (where it began). If the file is lost, an orphan may be offered twice.
"""

from __future__ import annotations

import json

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

TYPE_CHECKING = False

MAX_SESSIONS = 500
_FOLDER = "sessions"


class SessionMemory:
    """The memory of the session `session_id`; empty if nothing is stored."""

    __slots__ = ("_path", "journal_session", "offered", "root")

    def __init__(self, session_id: str) -> None:
        self._path = home_folder.path() / _FOLDER / f"{digest(session_id or 'default')}.json"
        stored = files.read_object(self._path)
        self.journal_session = _text(stored.get("journal_session"))
        self.offered = _text(stored.get("offered"))
        self.root = _text(stored.get("root"))

    def save(self) -> None:
        """Write it, without an fsync. Raises OSError."""
        folder = files.make_folder(self._path.parent)
        if not self._path.exists():
            files.make_room(folder, MAX_SESSIONS)
        content = {name: getattr(self, name) for name in ("journal_session", "offered", "root")}
        files.write_atomic(self._path, json.dumps(content), durable=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

"""What the hook remembers of one of the agent's sessions between its events.

    $MEMORYSERVER_HOME/sessions/<digest of the session's id>.json

Holds `injected` (the context was put before the model), `journal_session` (the session of the journal that this one
opened) and `offered` (the orphan that it was told of). A lost file costs a text that is said twice.
"""

from __future__ import annotations

import contextlib
import json
import os

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

MAX_SESSIONS = 500
_FOLDER = "sessions"


class SessionMemory:
    """The memory of the session `session_id`; an empty one where nothing is kept."""

    __slots__ = ("_path", "injected", "journal_session", "offered")

    def __init__(self, session_id: str) -> None:
        self._path = home_folder.path() / _FOLDER / f"{digest(session_id or 'default')}.json"
        kept = files.read_object(self._path)
        self.injected = kept.get("injected") is True
        self.journal_session = _text(kept.get("journal_session"))
        self.offered = _text(kept.get("offered"))

    def save(self) -> None:
        """Keep it, without a sync. Raises OSError."""
        folder = files.make_folder(self._path.parent)
        if not self._path.exists():
            _make_room(folder)
        kept = {"injected": self.injected, "journal_session": self.journal_session, "offered": self.offered}
        files.write_atomic(self._path, json.dumps(kept), durable=False)


def _make_room(folder: Path) -> None:
    names = [entry.path for entry in os.scandir(folder)]
    if len(names) < MAX_SESSIONS:
        return
    aged: list[tuple[float, str]] = []
    for name in names:
        with contextlib.suppress(OSError):  # another process forgets at the same time
            aged.append((os.stat(name).st_mtime, name))
    for _, name in sorted(aged)[: MAX_SESSIONS // 2]:
        with contextlib.suppress(OSError):
            os.unlink(name)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

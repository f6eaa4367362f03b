"""When agents' sessions ended, as their hook says.

    $MEMORYSERVER_HOME/ended_sessions/<digest of the session's id>    empty; its time of modification is the end
    $MEMORYSERVER_HOME/ended_sessions                                 its time of modification is that of the last end

A session that goes on after its end is not recorded here: its transcript grows, which the readers of transcripts see.
"""

from __future__ import annotations

import os

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

MAX_FILES = 1000
_FOLDER = "ended_sessions"


def record(session_id: str) -> None:
    """Record that the session ends now. Raises OSError."""
    folder = files.make_folder(home_folder.path() / _FOLDER)
    files.make_room(folder, MAX_FILES)
    path = folder / digest(session_id)
    path.touch(mode=0o600)
    os.utime(path)
    os.utime(folder)


def last_change() -> int:
    """Return when an end was last recorded, in nanoseconds of the epoch; 0 if none ever was. Costs one `stat`."""
    try:
        return (home_folder.path() / _FOLDER).stat().st_mtime_ns
    except OSError:  # none ended yet, or a home that cannot be used
        return 0


class EndedSessions:
    """The recorded ends, as of now."""

    def __init__(self) -> None:
        self._ends: dict[str, int] = {}
        try:
            entries = list(os.scandir(home_folder.path() / _FOLDER))
        except OSError:  # none ended yet, or a home that cannot be used
            entries = []
        for entry in entries:
            try:
                self._ends[entry.name] = entry.stat().st_mtime_ns
            except FileNotFoundError:  # removed meanwhile, to make room
                continue

    def end_of(self, session_id: str) -> int | None:
        """Return when the session ended, in nanoseconds of the epoch; None if no end is recorded."""
        return self._ends.get(digest(session_id))

    def latest(self) -> int:
        """Return the time of the last end, in nanoseconds of the epoch; 0 if none is recorded."""
        return max(self._ends.values(), default=0)

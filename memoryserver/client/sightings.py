"""What this laptop remembers of the folders in which agents worked: to which project each belongs.

    $MEMORYSERVER_HOME/folders/<digest of the folder>.json      {"folder", "main", "key"}

A worktree may live for minutes, and its transcript is read, and its records are sent, when it is gone. Each file is
replaced as a whole, so any number of processes may share the folder without a lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import time

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

MAX_FOLDERS = 2000
_FRESH_SECONDS = 86_400.0  # for which a sighting is not written again
_FOLDER = "folders"


class Sighting:
    """The project of `folder`: the `main` folder of its repository ("" without one), and its `key`."""

    __slots__ = ("folder", "key", "main")

    def __init__(self, folder: str, main: str, key: str) -> None:
        self.folder, self.main, self.key = folder, main, key


def record(folder: str, main: str, key: str) -> None:
    """Remember the project of `folder`, unless the same was remembered today. Raises OSError."""
    path = _path(folder)
    with contextlib.suppress(FileNotFoundError):
        is_fresh = 0 <= time.time() - path.stat().st_mtime < _FRESH_SECONDS
        stored = files.read_object(path)
        if is_fresh and (stored.get("main"), stored.get("key")) == (main, key):
            return
    if not path.exists():
        files.make_room(files.make_folder(path.parent), MAX_FOLDERS)
    content = {"folder": folder, "main": main, "key": key}
    files.write_atomic(path, json.dumps(content), durable=False)


def of(folder: str) -> Sighting | None:
    """Return what is remembered of `folder`, or else of the nearest folder above it; None for an unknown one."""
    while True:
        stored = files.read_object(_path(folder))
        main, key = stored.get("main"), stored.get("key")
        if stored.get("folder") == folder and isinstance(main, str) and isinstance(key, str):
            return Sighting(folder, main, key)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _path(folder: str) -> Path:
    return home_folder.path() / _FOLDER / f"{digest(folder)}.json"

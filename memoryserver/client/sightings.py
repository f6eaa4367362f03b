"""What this laptop remembers of the folders in which agents worked: to which project each belongs.

    $MEMORYSERVER_HOME/folders/<digest of the folder>.json      {"folder", "main", "key"}

A worktree may live for minutes, and its transcript is read, and its records are sent, when it is gone. Each file is
replaced as a whole, so any number of processes may share the folder without a lock.

Of a project there is a file more, whose "folder" is what identifies it wherever it is moved (`memorycli.renamed`). It
may have "earlier", the keys before this one whose memory nobody has brought over, and "announced", whether a session
has got them.
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
    from collections.abc import Iterator
    from pathlib import Path

MAX_FOLDERS = 2000
_FRESH_SECONDS = 86_400.0  # for which a sighting is not written again
_FOLDER = "folders"


class Sighting:
    """The project of `folder`: the `main` folder of its repository ("" without one), and its `key`.

    `earlier` are its keys before that, and `announced` is whether a session has got them.
    """

    __slots__ = ("announced", "earlier", "folder", "key", "main")

    def __init__(
        self, folder: str, main: str, key: str, earlier: tuple[str, ...] = (), *, announced: bool = False
    ) -> None:
        self.folder, self.main, self.key = folder, main, key
        self.earlier, self.announced = earlier, announced


def record(folder: str, main: str, key: str) -> None:
    """Remember the project of `folder`, unless the same was remembered today. Raises OSError."""
    store(Sighting(folder, main, key))


def store(sighting: Sighting) -> None:
    """Remember `sighting`, unless the same was remembered today. Raises OSError."""
    path = _path(sighting.folder)
    content: dict[str, object] = {"folder": sighting.folder, "main": sighting.main, "key": sighting.key}
    if sighting.earlier:
        content |= {"earlier": list(sighting.earlier), "announced": sighting.announced}
    with contextlib.suppress(FileNotFoundError):
        is_fresh = 0 <= time.time() - path.stat().st_mtime < _FRESH_SECONDS
        if is_fresh and files.read_object(path) == content:
            return
    if not path.exists():
        files.make_room(files.make_folder(path.parent), MAX_FOLDERS)
    files.write_atomic(path, json.dumps(content), durable=False)


def of(folder: str) -> Sighting | None:
    """Return what is remembered of `folder`, or else of the nearest folder above it; None for an unknown one."""
    sightings = _folder()
    while True:
        seen = _read_in(sightings, folder)
        parent = os.path.dirname(folder)
        if seen is not None or parent == folder:
            return seen
        folder = parent


def exact(folder: str) -> Sighting | None:
    """Return what is remembered of `folder` itself, None if nothing is."""
    return _read_in(_folder(), folder)


def all_seen() -> Iterator[Sighting]:
    """Yield everything that is remembered."""
    for path in _folder().glob("*.json"):
        seen = _read(path)
        if seen is not None:
            yield seen


def rename(old: str, new: str, main: str) -> None:
    """Let the folders of the project at `main` that were seen under the key `old` have the key `new`.

    So do those of a project whose main folder is gone, such as that from which it was moved. Raises OSError.
    """
    for seen in list(all_seen()):
        if seen.key == old and (seen.main == main or not os.path.isdir(seen.main)):
            store(Sighting(seen.folder, seen.main, new, seen.earlier, announced=seen.announced))


def _read_in(sightings: Path, folder: str) -> Sighting | None:
    seen = _read(sightings / _name(folder))
    return seen if seen is not None and seen.folder == folder else None


def _read(path: Path) -> Sighting | None:
    stored = files.read_object(path)
    folder, main, key, earlier = (stored.get(name) for name in ("folder", "main", "key", "earlier"))
    if not (isinstance(folder, str) and isinstance(main, str) and isinstance(key, str)):
        return None
    keys = tuple(item for item in earlier if isinstance(item, str)) if isinstance(earlier, list) else ()
    return Sighting(folder, main, key, keys, announced=stored.get("announced") is True)


def _folder() -> Path:
    return home_folder.path() / _FOLDER


def _path(folder: str) -> Path:
    return _folder() / _name(folder)


def _name(folder: str) -> str:
    return f"{digest(folder)}.json"

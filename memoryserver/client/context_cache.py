"""The short context that a session starts with, kept from the server so that no session waits for the network.

    $MEMORYSERVER_HOME/context/<digest of the project's key>.json     what the server last gave for the project
    $MEMORYSERVER_HOME/context/<digest of the project's key>.asked    its key; the file's time is when it was wanted

`load` and `note` run at the start of a session and import little. Each file is replaced as a whole, so any number of
hooks, daemons and commands may share the folder without a lock.
"""

from __future__ import annotations

import json
import os
import time

from memoryserver.client import config, home_folder
from memoryserver.common import files, text
from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from memoryserver.client.http import Client

MAX_TEXT = 16_000  # characters of a context that are kept
MAX_PROJECTS = 50
FORGET_AFTER = 60 * 86_400.0  # seconds without a session in the project
OLD_AFTER = 3600.0  # seconds after which a context is fetched again
_MAX_KEY = 500
_MAX_BYTES = 1 << 20
_FOLDER = "context"
_HEAD = 120  # characters that the line above the context takes
_LEAST, _MOST = 200, 8000  # characters that the server may be asked for


class Cached:
    """What was kept for a project: the server's text, from which server, and its age in seconds."""

    __slots__ = ("age", "project", "server", "text")

    def __init__(self, project: str, server: str, said: str, age: float) -> None:
        self.project = project
        self.server = server
        self.text = said
        self.age = age

    @property
    def is_old(self) -> bool:
        """Whether it is time to fetch it again; a clock that was set back makes it old as well."""
        return not 0 <= self.age < OLD_AFTER


def load(project: str) -> Cached | None:
    """What is kept for the project with that key; None where there is nothing or nothing readable."""
    path = _path(project, ".json")
    try:
        with path.open("rb") as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            kept = json.loads(file.read(_MAX_BYTES))
        if kept["project"] != _key(project):
            return None
        return Cached(kept["project"], str(kept["server"]), _bounded(kept["text"]), age)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def store(project: str, server: str, said: str) -> None:
    """Keep `said` as the context of the project, as `server` gave it just now. Raises OSError."""
    path = _path(project, ".json")
    files.make_folder(path.parent)
    fetched_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    kept = {"project": _key(project), "server": server, "fetched_at": fetched_at, "text": _bounded(said)}
    # Not fsynced: what a power cut takes is fetched again.
    files.write_atomic(path, json.dumps(kept, indent=2) + "\n", durable=False)


def refresh(client: Client, project: str) -> None:
    """Fetch the project's context from the server and keep it.

    Raises ServerError (RefusedError with status 404 where the server knows no such page) and OSError.
    """
    from memoryserver.client.http import ServerError

    wanted = min(max(config.number("context_chars") - _HEAD, _LEAST), _MOST)
    answer = client.get("/context", {"project": _key(project), "chars": wanted})
    said = answer.get("text") if isinstance(answer, dict) else None
    if not isinstance(said, str):
        raise ServerError(f"{client.url} sent a context without a text; is it a memoryserver of this version?")
    store(project, client.url, said)


def note(project: str) -> None:
    """Remember that a session wanted the project's context, so that it is kept fresh from now on. Raises OSError."""
    path = _path(project, ".asked")
    try:
        os.utime(path)
    except FileNotFoundError:
        files.make_folder(path.parent)
        files.write_atomic(path, _key(project), durable=False)


def known_projects() -> list[str]:
    """The keys of the projects in which sessions started lately, the latest first, at most MAX_PROJECTS.

    What is kept of others is removed by this call, as far as the folder lets it.
    """
    folder = home_folder.path() / _FOLDER
    try:
        found = [(path.stat().st_mtime, path) for path in folder.glob("*.asked")]
    except OSError:  # no folder, or a file went meanwhile: the next call sees the rest
        return []
    found.sort(key=lambda pair: -pair[0])
    since = time.time() - FORGET_AFTER
    keys: list[str] = []
    for wanted_at, path in found:
        key = _read(path)
        if key and wanted_at >= since and len(keys) < MAX_PROJECTS:
            keys.append(key)
        else:
            _forget(path)
    return keys


def _forget(asked: Path) -> None:
    for path in (asked, asked.with_suffix(".json")):
        try:
            path.unlink(missing_ok=True)
        except OSError:  # a folder that cannot be written holds what it holds; it stays bounded all the same
            continue


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return _key(text.decode(file.read(_MAX_KEY * 4)))
    except OSError:
        return ""


def _path(project: str, suffix: str) -> Path:
    return home_folder.path() / _FOLDER / f"{digest(_key(project))}{suffix}"


def _key(project: str) -> str:
    return text.one_line(text.printable(project))[:_MAX_KEY]


def _bounded(said: object) -> str:
    if not isinstance(said, str):
        raise TypeError("a context is a text")
    return text.shorten(text.printable(said[: MAX_TEXT * 2]), MAX_TEXT)

"""A local copy of the short context that a session starts with, so that no session waits for the network.

    $MEMORYSERVER_HOME/context/<digest of the project's key>.json     what the server last sent for the project
    $MEMORYSERVER_HOME/context/<digest of the project's key>.asked    its key; the file's time is the last use
    $MEMORYSERVER_HOME/context/<digest of the project's key>.changed  empty; the file's time is when something was last
                                                                      sent that the context may now contain
    $MEMORYSERVER_HOME/outbox/context_deliveries/ID.json              which session got which context, until the server
                                                                      knows

`load`, `record_use` and `record_delivery` run at the start of a session and import little. Each file is replaced as a
whole, so any number of hooks, daemons and commands may share the folder without a lock.
"""

from __future__ import annotations

import json
import os
import time

from memoryserver.client import config, context_version, home_folder
from memoryserver.common import files, text
from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memoryserver.client.http import Client

MAX_TEXT = 16_000  # characters of a context that are kept
MAX_PROJECTS = 50
FORGET_AFTER = 60 * 86_400.0  # seconds without a session in the project
MAX_DELIVERIES = 1000
DELIVERIES = "context_deliveries"  # kind of the outbox
OLD_AFTER = 3600.0  # seconds after which a context is fetched again
_MAX_KEY = 500
_MAX_SESSION = 200  # characters that the server takes
_MAX_ID, _MAX_DOCUMENTS = 120, 100  # characters, and how many of them, that the server takes
_MAX_BYTES = 1 << 20
_FOLDER = "context"
_HEAD = 120  # characters that the line above the context takes
_MIN_CHARS, _MAX_CHARS = 200, 8000  # that the server may be asked for


class Cached:
    """The copy of a project's context: the server's text, that server's address, and the copy's age in seconds.

    `has_changed` says that this laptop has sent something since that the context may now contain. `documents` are the
    ids of its lines that can be read in full; None if the server did not say, and counts the context when it sends it.
    """

    __slots__ = ("age", "documents", "has_changed", "project", "server", "text")

    def __init__(
        self,
        project: str,
        server: str,
        content: str,
        age: float,
        *,
        has_changed: bool = False,
        documents: Sequence[str] | None = None,
    ) -> None:
        self.documents = documents
        self.project = project
        self.server = server
        self.text = content
        self.age = age
        self.has_changed = has_changed

    @property
    def is_old(self) -> bool:
        """Whether it should be fetched again; also true if the clock was set back."""
        return self.has_changed or not 0 <= self.age < OLD_AFTER


def load(project: str) -> Cached | None:
    """Return the copy for the project with that key; None if there is none, it cannot be read, or it quotes too much.

    The latter if the server has let it be known since that contexts have changed (`context_version`).
    """
    path = _path(project, ".json")
    try:
        with path.open("rb") as file:
            asked_at = os.fstat(file.fileno()).st_mtime
            content = json.loads(file.read(_MAX_BYTES))
        if content["project"] != _key(project):
            return None
        if content.get("version", "") != context_version.current(str(content["server"])):
            return None
        text_of_server, age = _bounded(content["text"]), time.time() - asked_at
        return Cached(
            content["project"],
            str(content["server"]),
            text_of_server,
            age,
            has_changed=_changed_at(project) >= asked_at,
            documents=_documents(content.get("documents")),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def renamed_to(project: str) -> str:
    """Return the key that the server's last answer had for the project, "" if that is unknown or the same."""
    stored = files.read_object(_path(project, ".json"))
    key = stored.get("renamed_to")
    return key if stored.get("project") == _key(project) and isinstance(key, str) else ""


def store(
    project: str,
    server: str,
    context: str,
    *,
    asked_at: float | None = None,
    renamed_to: str = "",
    documents: Sequence[str] | None = None,
) -> None:
    """Store `context` as what `server` has sent for the project, asked at that time, by default now. Raises OSError.

    `renamed_to` is the key that the project has there, if it is another one; `documents` are as in `Cached`.
    """
    path = _path(project, ".json")
    files.make_folder(path.parent)
    version = context_version.current(server)
    content: dict[str, object] = {"project": _key(project), "server": server, "version": version}
    content |= {"text": _bounded(context), "renamed_to": renamed_to, "documents": documents, "fetched_at": _now()}
    # Not fsynced: what a power cut takes is fetched again.
    files.write_atomic(path, json.dumps(content, indent=2) + "\n", durable=False)
    if asked_at is not None:
        os.utime(path, (asked_at, asked_at))


def record_change(project: str) -> None:
    """Record that something was sent which the project's context may now contain. Raises OSError."""
    path = _path(project, ".changed")
    if _path(project, ".json").exists():  # else it is fetched anyway
        path.touch(mode=0o600)


def refresh(client: Client, project: str) -> None:
    """Fetch the project's context from the server and store it; it counts when a session gets it.

    Raises ServerError (RefusedError with status 404 if the server is too old to have contexts) and OSError.
    """
    from memoryserver.client.http import ServerError

    chars = min(max(config.number("context_chars") - _HEAD, _MIN_CHARS), _MAX_CHARS)
    asked_at = time.time()
    answer = client.get("/context", {"project": _key(project), "chars": chars, "deliveries": 1})
    context = answer.get("text") if isinstance(answer, dict) else None
    if not isinstance(context, str):
        raise ServerError(f"{client.url} sent a context without a text; is it a memoryserver of this version?")
    key = answer.get("project")
    renamed = _key(key) if isinstance(key, str) and key != _key(project) else ""
    documents = _documents(answer.get("documents"))
    store(project, client.url, context, asked_at=asked_at, renamed_to=renamed, documents=documents)


def record_use(project: str) -> None:
    """Record that a session asked for the project's context, so that it is fetched regularly. Raises OSError."""
    path = _path(project, ".asked")
    try:
        os.utime(path)
    except FileNotFoundError:
        files.make_folder(path.parent)
        files.write_atomic(path, _key(project), durable=False)


def record_delivery(cached: Cached, text: str, session_id: str, way: str = "agent") -> None:
    """Put into the outbox that a session, "" if it is not known, got `text` of the copy `cached` now. Raises OSError.

    `way` is `agent`, or `command` if a command printed it. Nothing is recorded if the server has not said which
    documents the copy has. Of MAX_DELIVERIES that wait the older half goes.
    """
    if cached.documents is None or not text:
        return
    folder = files.make_folder(home_folder.path() / "outbox" / DELIVERIES)
    files.make_room(folder, MAX_DELIVERIES)
    identifier = f"{time.time_ns():016x}{os.urandom(8).hex()}"  # ids of the outbox sort by time
    content = {
        "id": identifier,
        "project": cached.project,
        "session_id": session_id[:_MAX_SESSION],
        "way": way,
        "lines": f"\n{text}".count("\n- "),
        "documents": [name for name in cached.documents if _has(text, name)],
        "delivered_at": _now(),
    }
    # Not fsynced: a power cut may take a count.
    files.write_atomic(folder / f"{identifier}.json", json.dumps(content), durable=False)


def known_projects() -> list[str]:
    """Return the keys of the projects in which sessions started lately, the latest first, at most MAX_PROJECTS.

    The copies of other projects are removed, if the folder can be written.
    """
    folder = home_folder.path() / _FOLDER
    try:
        markers = [(path.stat().st_mtime, path) for path in folder.glob("*.asked")]
    except OSError:  # no folder, or a file went meanwhile: the next call sees the rest
        return []
    markers.sort(key=lambda pair: -pair[0])
    since = time.time() - FORGET_AFTER
    keys: list[str] = []
    for used_at, path in markers:
        key = _read(path)
        if key and used_at >= since and len(keys) < MAX_PROJECTS:
            keys.append(key)
        else:
            _forget(path)
    return keys


def _forget(asked: Path) -> None:
    for path in (asked, asked.with_suffix(".json"), asked.with_suffix(".changed")):
        try:
            path.unlink(missing_ok=True)
        except OSError:  # the folder cannot be written; it does not grow either
            continue


def _changed_at(project: str) -> float:
    try:
        return _path(project, ".changed").stat().st_mtime
    except OSError:
        return 0.0


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


def _has(text: str, document: str) -> bool:
    """Return whether the line of `document` was not cut off: its number is behind it, as in "- Use uv [12]"."""
    return f"[{document.rpartition('/')[2]}]\n" in f"{text}\n"


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _documents(value: object) -> list[str] | None:
    if not isinstance(value, list):
        return None
    return [name for name in value if isinstance(name, str) and len(name) <= _MAX_ID][:_MAX_DOCUMENTS]


def _bounded(context: object) -> str:
    if not isinstance(context, str):
        raise TypeError("a context must be a string")
    return text.shorten(text.printable(context[: MAX_TEXT * 2]), MAX_TEXT)

"""The way of recorded calls to the server: each trajectory's file is sent from where the last delivery ended.

    $MEMORYSERVER_HOME/trajectory/<session>[.<agent>]/sent.json     {"offset": bytes, "server": address}

Nothing is copied: the records are the queue. The hook has no part in it. Each call's id is a hash of its line, so
what is sent twice is kept once. Of what waits, the newest 8 MiB of a trajectory are sent, older calls are dropped;
trajectories that were not used for thirty days are removed. Where the laptop's bound for all that waits is reached
the oldest calls go, sent or not (`shrink`). Calls that were dropped unsent are counted.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryserver.local import dropped, files, places
from memoryserver.local.client import RefusedError
from memoryserver.local.digest import digest
from trajectory.local import store
from trajectory.local.store import Trajectory

PATH = "/trajectory/calls"
BATCH = 200
MAX_WAITING_BYTES = 8 << 20
KEEP_SECONDS = 30 * 24 * 3600
IDLE_SECONDS = 24 * 3600  # after which a session is taken to be over
_CURSOR = "sent.json"
_LOCK = ".sent.lock"

Post = Callable[[str, object], Any]


@dataclass
class Delivered:
    """What one delivery did: calls that the server has now, calls it refused, bytes dropped, trajectories removed."""

    sent: int = 0
    refused: int = 0
    dropped_bytes: int = 0
    removed: int = 0
    reason: str = ""


def deliver(post: Post, server: str) -> Delivered:
    """Send what each trajectory has that `server` (its address) was not sent yet.

    `post` is called with a path and a body and raises as the client does; what it raises other than a refusal passes
    through, and the rest waits. Raises LockTimeoutError where another delivery is at work.
    """
    done = Delivered()
    files.make_folder(store.root())
    with files.lock(store.root() / _LOCK, timeout=1.0):
        for trajectory in store.all_trajectories():
            _deliver_one(trajectory, post, server, done)
            if time.time() - trajectory.used_at() > KEEP_SECONDS:
                trajectory.remove()
                done.removed += 1
    return done


def disk_use() -> int:
    """The bytes that the calls of all trajectories take."""
    return sum(trajectory.size() for trajectory in store.all_trajectories())


def shrink(excess: int) -> int:
    """Forget at least `excess` bytes of calls, those of the sessions that were not used for longest first.

    Returns the bytes that were freed. Raises LockTimeoutError where a delivery is at work.
    """
    freed = 0
    files.make_folder(store.root())
    with files.lock(store.root() / _LOCK, timeout=1.0):
        for trajectory in reversed(store.all_trajectories()):
            if freed >= excess:
                break
            freed += _forget(trajectory, min(excess - freed, trajectory.size()))
    return freed


def _forget(trajectory: Trajectory, size: int) -> int:
    cursor = _cursor(trajectory)
    sent = int(cursor["offset"]) if cursor else 0
    _note_dropped(trajectory, sent, size)
    if size == trajectory.size() and time.time() - trajectory.used_at() > IDLE_SECONDS:
        trajectory.remove()
        return size
    # Without a cursor all that is left is sent again, which the server knows by its ids; with the old one, after a
    # crash, calls would be passed over.
    (trajectory.folder / _CURSOR).unlink(missing_ok=True)
    gone = trajectory.cut(size)
    if cursor and sent > gone:
        content = json.dumps(cursor | {"offset": sent - gone})
        files.write_atomic(trajectory.folder / _CURSOR, content, durable=False)
    return gone


def _note_dropped(trajectory: Trajectory, start: int, end: int) -> None:
    """Count the calls between two places of the file, where a line that is cut counts."""
    if end > start:
        with open(trajectory.folder / store.CALLS, "rb") as file:
            file.seek(start)
            lines = file.read(end - start).rstrip(b"\n").count(b"\n") + 1
        dropped.note(tool_calls=lines, size=end - start)


def _deliver_one(trajectory: Trajectory, post: Post, server: str, done: Delivered) -> None:
    offset = _offset(trajectory, server)
    size = trajectory.size()
    if offset > size:
        offset = 0  # it was cleared and begun anew
    if size - offset > MAX_WAITING_BYTES:
        done.dropped_bytes += size - MAX_WAITING_BYTES - offset
        _note_dropped(trajectory, offset, size - MAX_WAITING_BYTES)
        offset = size - MAX_WAITING_BYTES  # the first line read there is a torn one, and no row
    if offset == size:
        return
    about = _about(trajectory)
    while batch := trajectory.rows_from(offset, BATCH):
        offset = batch[-1][1]
        calls = [row | {"id": _id_of(row)} for row, _ in batch if row is not None]
        if calls:
            _send(post, about | {"calls": calls}, done)
        content = json.dumps({"offset": offset, "server": server})
        files.write_atomic(trajectory.folder / _CURSOR, content, durable=False)


def _send(post: Post, body: dict[str, Any], done: Delivered) -> None:
    try:
        results = post(PATH, body)["results"]
    except RefusedError as error:
        if error.status in (401, 403):
            raise
        done.refused += len(body["calls"])
        done.reason = str(error)
        return
    refused = [one for one in results if one.get("status") == "refused"]
    done.refused += len(refused)
    done.sent += len(results) - len(refused)
    done.reason = str(refused[-1].get("reason")) if refused else done.reason


def _about(trajectory: Trajectory) -> dict[str, Any]:
    state = trajectory.state()
    session = state.get("session_id") or trajectory.folder.name.partition(".")[0]
    project = state.get("project")
    key = ""
    if isinstance(project, str) and project:
        with contextlib.suppress(OSError, ValueError):  # the folder is gone; its calls still have their session
            key = places.project_key(Path(project))
    return {"project": key, "session_id": str(session), "agent_id": str(state.get("agent_id") or "")}


def _offset(trajectory: Trajectory, server: str) -> int:
    cursor = _cursor(trajectory)
    return int(cursor["offset"]) if cursor and cursor["server"] == server else 0


def _cursor(trajectory: Trajectory) -> dict[str, Any] | None:
    try:
        kept = json.loads((trajectory.folder / _CURSOR).read_bytes())
        return {"offset": int(kept["offset"]), "server": str(kept["server"])}
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _id_of(row: dict[str, Any]) -> str:
    content = json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    return digest(content, 16)

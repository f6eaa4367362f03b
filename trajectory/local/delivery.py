"""The way of recorded calls to the server: each trajectory's file is sent from where the last delivery ended.

    $MEMORYSERVER_HOME/trajectory/<session>[.<agent>]/sent.json     {"offset": bytes, "server": address}

Nothing is copied: the records are the queue. The hook has no part in it. Each call's id is a hash of its line, so
what is sent twice is kept once. Of what waits, the newest 8 MiB of a trajectory are sent, older calls are dropped;
trajectories that were not used for thirty days are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryserver.local import files, places
from memoryserver.local.client import RefusedError
from trajectory.local import store
from trajectory.local.store import Trajectory

PATH = "/trajectory/calls"
BATCH = 200
MAX_WAITING_BYTES = 8 << 20
KEEP_SECONDS = 30 * 24 * 3600
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


def _deliver_one(trajectory: Trajectory, post: Post, server: str, done: Delivered) -> None:
    offset = _offset(trajectory, server)
    size = trajectory.size()
    if offset > size:
        offset = 0  # it was cleared and begun anew
    if size - offset > MAX_WAITING_BYTES:
        done.dropped_bytes += size - MAX_WAITING_BYTES - offset
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
    try:
        kept = json.loads((trajectory.folder / _CURSOR).read_bytes())
        return int(kept["offset"]) if kept["server"] == server else 0
    except (OSError, ValueError, TypeError, KeyError):
        return 0


def _id_of(row: dict[str, Any]) -> str:
    content = json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=16).hexdigest()

"""The way of recorded calls to the server: each trajectory's file is sent from where the last delivery ended.

    $MEMORYSERVER_HOME/trajectory/<session>[.<agent>]/sent.json     {"offset": bytes, "server": address}

Nothing is copied: the records are the queue. The hook has no part in it. Each call's id is a hash of its line, so
what is sent twice is kept once. The offset moves only past calls that the server has stored, or refused one by one:
a refused call is set aside in the outbox, with the reason beside it, and `memory sync --retry-refused` sends it again.
A batch refused as a whole (413, 422) is halved until the call at fault is found; any other status means "later", and
the calls wait. Of what waits, the newest 8 MiB of a trajectory are sent, older calls are dropped;
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

from memoryserver.client import discarded, home_folder, places
from memoryserver.client.http import RefusedError, ServerError
from memoryserver.client.outbox import Outbox
from memoryserver.common import files
from memoryserver.common.digest import digest
from trajectory.local import store
from trajectory.local.store import Trajectory

PATH = "/trajectory/calls"
OUTBOX_KIND = "tool_calls"
BATCH = 200
MAX_WAITING_BYTES = 8 << 20
KEEP_SECONDS = 30 * 24 * 3600
IDLE_SECONDS = 24 * 3600  # after which a session is taken to be over
_CURSOR = "sent.json"
_LOCK = ".sent.lock"
_BAD_BODY = (413, 422)  # the server will not take this batch, though it may take parts of it

Post = Callable[[str, object], Any]


@dataclass
class Delivered:
    """What one delivery did: calls that the server has now, calls set aside, bytes dropped, trajectories removed."""

    sent: int = 0
    refused: int = 0
    dropped_bytes: int = 0
    removed: int = 0
    reason: str = ""


def deliver(post: Post, server: str, *, retry_refused: bool = False) -> Delivered:
    """Send what each trajectory has that `server` (its address) was not sent yet.

    With `retry_refused` the calls that were set aside are sent again first. `post` is called with a path and a body
    and raises as the client does; what it raises other than 413 and 422 passes through, and the rest waits. Raises
    ServerError for an answer that does not say what became of each call, LockTimeoutError where another delivery is
    at work.
    """
    done = Delivered()
    files.make_folder(store.root())
    with files.lock(store.root() / _LOCK, timeout=1.0):
        _send_outbox(post, done, retry_refused=retry_refused)
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
        discarded.note(tool_calls=lines, size=end - start)


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
    calls = body["calls"]
    try:
        results = _results(post(PATH, body), calls)
    except RefusedError as error:
        if error.status not in _BAD_BODY:
            raise
        if len(calls) > 1:
            middle = len(calls) // 2
            _send(post, body | {"calls": calls[:middle]}, done)
            _send(post, body | {"calls": calls[middle:]}, done)
            return
        results = [{"status": "refused", "reason": str(error)}]
    for call, result in zip(calls, results, strict=True):
        if result.get("status") == "refused":
            done.refused += 1
            done.reason = str(result.get("reason") or "no reason given")
            Outbox(home_folder.path(), OUTBOX_KIND).set_aside(call["id"], body | {"calls": [call]}, done.reason)
        else:
            done.sent += 1


def _send_outbox(post: Post, done: Delivered, *, retry_refused: bool) -> None:
    """Send the calls that wait in the outbox: with `retry_refused` all that were set aside are put back there."""
    outbox = Outbox(home_folder.path(), OUTBOX_KIND)
    if retry_refused:
        outbox.put_back()
    for path in outbox.waiting():
        _send(post, json.loads(path.read_bytes()), done)
        path.unlink(missing_ok=True)  # missing where it was set aside again


def _results(answer: Any, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list) or len(results) != len(calls) or not all(isinstance(one, dict) for one in results):
        raise ServerError("the server's answer does not say what became of each call; is it a memoryserver?")
    return results


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

"""Delivery of recorded calls to the server: each trajectory's file is sent from where the last delivery ended.

    $MEMORYSERVER_HOME/trajectory/<session>[.<agent>]/sent.json     {"offset": bytes, "server": address}

Nothing is copied: the records are the queue. The hook takes no part in it. Each call's id is a hash of its line, so the
server keeps a call that is sent twice once. The offset moves only past calls that the server has stored, or that were
set aside in the outbox (kind `tool_calls`); `memory sync --retry-failed` puts those back, and they are sent from there.

Of what waits, the newest 8 MiB of a trajectory are sent, older calls are discarded; trajectories that were not used for
thirty days are removed. Where the laptop's quota for everything that waits is reached the oldest calls are discarded,
sent or not (`shrink`). Calls that were discarded unsent are counted.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryserver.client import delivery, discarded, home_folder, places
from memoryserver.client.delivery import Item, Post, Report
from memoryserver.client.exclusions import Exclusions
from memoryserver.client.outbox import Outbox
from memoryserver.common import files
from memoryserver.common.digest import digest
from trajectory.local import store
from trajectory.local.store import Trajectory

PATH = "/trajectory/calls"
OUTBOX_KIND = "tool_calls"
BATCH = 200
MAX_BATCH_BYTES = 4 << 20
MAX_WAITING_BYTES = 8 << 20
KEEP_SECONDS = 30 * 24 * 3600
IDLE_SECONDS = 24 * 3600  # after which a session is taken to be over
_CURSOR = "sent.json"
_LOCK = ".sent.lock"


@dataclass
class CallReport(Report):
    """The result of a delivery; also the bytes that were discarded unsent and how many trajectories were removed."""

    discarded_bytes: int = 0
    removed: int = 0


@dataclass(frozen=True)
class _Line:
    """The position of a recorded call: its trajectory, and the byte after its line."""

    trajectory: Trajectory
    end: int


_Origin = _Line | Path  # a line of a trajectory, or a file of the outbox


class CallChannel:
    """The delivery channel (delivery.Channel) of all trajectories to `server` (its address)."""

    path = PATH
    max_items = BATCH
    max_bytes = MAX_BATCH_BYTES

    def __init__(self, server: str, report: CallReport) -> None:
        self._server = server
        self._report = report
        self._outbox = Outbox(home_folder.path(), OUTBOX_KIND)
        self._exclusions = Exclusions()

    def waiting(self) -> Iterator[Item[_Origin]]:
        """Yield the calls that were put back in the outbox, then those of each trajectory.

        Those of a session in a folder that has been excluded since stay where they are.
        """
        for path, content, size in self._outbox.contents():
            yield Item(path.stem, content, size, path, group=path.stem)
        for trajectory in store.all_trajectories():
            if not (self._exclusions and self._exclusions.of(str(trajectory.state().get("project") or ""))):
                yield from self._calls_of(trajectory)

    def body(self, items: Sequence[Item[_Origin]]) -> object:
        """Return {"project", "session_id", "agent_id", "calls"} of calls of one trajectory."""
        return items[0].content | {"calls": [call for item in items for call in item.content["calls"]]}

    def reasons(self, answer: Any, items: Sequence[Item[_Origin]]) -> list[str | None]:
        """Return why each call was refused, or None. Raises UnexpectedAnswerError."""
        return delivery.results(answer, [item.id for item in items])

    def settle(self, outcomes: Sequence[tuple[Item[_Origin], str | None]]) -> None:
        """Set refused calls aside, durably, and only then move the offset past all of them."""
        for item, reason in outcomes:
            if reason is not None:
                self._outbox.set_aside(item.id, item.content, reason)
            elif isinstance(item.origin, Path):
                item.origin.unlink(missing_ok=True)
        last = outcomes[-1][0].origin
        if isinstance(last, _Line):
            self._save_offset(last.trajectory, last.end)

    def _save_offset(self, trajectory: Trajectory, offset: int) -> None:
        content = json.dumps({"offset": offset, "server": self._server})
        files.write_atomic(trajectory.folder / _CURSOR, content, durable=False)

    def _calls_of(self, trajectory: Trajectory) -> Iterator[Item[_Origin]]:
        offset = _offset(trajectory, self._server)
        size = trajectory.size()
        if offset > size:
            offset = 0  # it was cleared and has new calls
        if size - offset > MAX_WAITING_BYTES:
            start = size - MAX_WAITING_BYTES  # the first line read there is a torn one, and not a row
            self._save_offset(trajectory, start)  # before they are counted, so that no attempt counts them again
            self._report.discarded_bytes += start - offset
            _count_discarded(trajectory, offset, start)
            offset = start
        if offset == size:
            return
        state = trajectory.state()
        about = _about(trajectory, state)
        notified = _notified(state)
        while rows := trajectory.rows_from(offset, BATCH):
            for row, end in rows:
                if row is not None:
                    call = row | {"id": id_of(row)}
                    if row.get("call_index") in notified:
                        call["notified"] = notified[row["call_index"]]
                    origin = _Line(trajectory, end)
                    yield Item(call["id"], about | {"calls": [call]}, end - offset, origin, trajectory.folder)
                offset = end


def deliver(post: Post, server: str, *, retry_failed: bool = False) -> CallReport:
    """Send what each trajectory has that `server` (its address) was not sent yet.

    With `retry_failed` the calls that were set aside are sent again first. Raises UnauthorizedError, OSError, and
    LockTimeoutError where another delivery is running.
    """
    report = CallReport()
    files.make_folder(store.root())
    with files.lock(store.root() / _LOCK, timeout=1.0):
        if retry_failed:
            Outbox(home_folder.path(), OUTBOX_KIND).put_back()
        delivery.deliver(CallChannel(server, report), post, report)
        if not report.later:
            for trajectory in store.all_trajectories():
                if time.time() - trajectory.used_at() > KEEP_SECONDS:
                    trajectory.remove()
                    report.removed += 1
    return report


def disk_use() -> int:
    """Return the bytes that the calls of all trajectories take."""
    return sum(trajectory.size() for trajectory in store.all_trajectories())


def unsent(server: str) -> int:
    """Return the bytes of the calls that `server` was not sent yet."""
    return sum(max(each.size() - _offset(each, server), 0) for each in store.all_trajectories())


def shrink(excess: int) -> int:
    """Discard at least `excess` bytes of calls, those of the sessions that were not used for longest first.

    Returns the bytes that were freed. Raises LockTimeoutError where a delivery is running.
    """
    freed = 0
    files.make_folder(store.root())
    with files.lock(store.root() / _LOCK, timeout=1.0):
        for trajectory in reversed(store.all_trajectories()):
            if freed >= excess:
                break
            freed += _discard(trajectory, min(excess - freed, trajectory.size()))
    return freed


def _discard(trajectory: Trajectory, size: int) -> int:
    cursor = _cursor(trajectory)
    sent = int(cursor["offset"]) if cursor else 0
    _count_discarded(trajectory, sent, size)
    if size == trajectory.size() and time.time() - trajectory.used_at() > IDLE_SECONDS:
        trajectory.remove()
        return size
    # Without a cursor all that is left is sent again, and the server recognises it by its ids; with the old one, after
    # a crash, calls would be passed over.
    (trajectory.folder / _CURSOR).unlink(missing_ok=True)
    removed = trajectory.cut(size)
    if cursor and sent > removed:
        content = json.dumps(cursor | {"offset": sent - removed})
        files.write_atomic(trajectory.folder / _CURSOR, content, durable=False)
    return removed


def _count_discarded(trajectory: Trajectory, start: int, end: int) -> None:
    """Count the calls between two places of the file; a line that is cut counts as one."""
    if end > start:
        with open(trajectory.folder / store.CALLS, "rb") as file:
            file.seek(start)
            lines = file.read(end - start).rstrip(b"\n").count(b"\n") + 1
        discarded.add(tool_calls=lines, size=end - start)


def _notified(state: dict[str, Any]) -> dict[int, list[list[str]]]:
    """Return what the agent was notified of in the answer to each call, as [observer, identity], by call_index."""
    by_call: dict[int, list[list[str]]] = {}
    entries = state.get("notified")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 3 and isinstance(entry[0], int):
            by_call.setdefault(entry[0], []).append([str(entry[1]), str(entry[2])])
    return by_call


def _about(trajectory: Trajectory, state: dict[str, Any]) -> dict[str, Any]:
    session = state.get("session_id") or trajectory.folder.name.partition(".")[0]
    project = state.get("project")
    key = ""
    if isinstance(project, str) and project:
        with contextlib.suppress(OSError, ValueError):  # the folder is gone; its calls still have their session
            key = places.project_key(Path(project))
    about = {"project": key, "session_id": str(session), "agent_id": str(state.get("agent_id") or "")}
    return about | {name: str(state[name]) for name in (store.TITLE, store.BRANCH) if state.get(name)}


def _offset(trajectory: Trajectory, server: str) -> int:
    cursor = _cursor(trajectory)
    return int(cursor["offset"]) if cursor and cursor["server"] == server else 0


def _cursor(trajectory: Trajectory) -> dict[str, Any] | None:
    try:
        cursor = json.loads((trajectory.folder / _CURSOR).read_bytes())
        return {"offset": int(cursor["offset"]), "server": str(cursor["server"])}
    except (OSError, ValueError, TypeError, KeyError):
        return None


def id_of(row: dict[str, Any]) -> str:
    """Return the id under which the server knows a recorded call: a hash of its row."""
    content = json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    return digest(content, 16)

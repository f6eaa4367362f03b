"""A trajectory kept in files between the processes that record it: one folder per session and (sub-)agent.

    $MEMORYSERVER_HOME/trajectory/<session>[.<agent>]/
        calls.jsonl     one row a call, append-only; the store numbers the calls and their streaks of failures
        state.json      what the observers remember, open findings, when the next of them is due
        .lock           held while a call is numbered and appended
        .observers.lock held while observers look, so that a slow one never holds up recording

Reads are bounded, so a call costs the same after 100,000 calls as after 20. Works on plain dicts, because it
runs at every tool call.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from memoryserver.client import home_folder, places
from memoryserver.common import files, text
from memoryserver.common.digest import digest
from trajectory.local.calls import repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CALLS = "calls.jsonl"
STATE = "state.json"
NO_SESSION = "default"
LOCK_SECONDS = 10.0
_FOLDER = "trajectory"
_PROMPTS, _COMPACTIONS = "prompts", "compactions"  # keys of the state
TITLE, BRANCH = "title", "branch"
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
_MAX_SAFE = 64
_FIRST_READ = 1 << 19
_RECENT_BYTES = 3 << 14  # some thirty calls
_TAIL_BYTES = 1 << 18
_MAX_STATE = 1 << 22
_MAX_LINE = 1 << 20


class Trajectory:
    """The files of one trajectory; making one touches nothing on the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._calls = folder / CALLS
        self._state = folder / STATE

    def append(self, row: dict[str, Any]) -> dict[str, Any]:
        """Keep `row`, numbered one after the last call and with its place in a streak of failures.

        Returns the row as it was written. A call whose `tool_use_id` is among the last ones is not kept again,
        since agents are known to run a hook twice: the answer is then the row that was there. Raises
        LockTimeoutError, or OSError where it cannot be written.
        """
        with self._lock(".lock"):
            recent, _ = self._rows_in_tail(_RECENT_BYTES, limit=repeats.WITHIN)
            known = row.get("tool_use_id") and _with_id(recent, row["tool_use_id"])
            if known:
                return known
            last = recent[-1] if recent else self.last()
            row = row | {"call_index": _index(last) + 1 if last else 1}
            row |= repeats.relations(recent or [last] if last else [], row)
            line = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
            # Not fsynced: what a power cut takes is a call's trace, and a sync at every call costs more
            # than all the rest.
            files.append_line(self._calls, line, durable=False)
        return row

    def last(self) -> dict[str, Any] | None:
        """Return the newest row, None where there is none; torn or foreign lines after it are passed over."""
        size = _FIRST_READ
        while True:
            rows, complete = self._rows_in_tail(size, limit=1)
            if rows or complete:
                return rows[-1] if rows else None
            size *= 8

    def tail(self, limit: int) -> list[dict[str, Any]]:
        """Return at most the `limit` newest rows, oldest first; the read is bounded by 256 KiB."""
        return self._rows_in_tail(_TAIL_BYTES, limit=limit)[0]

    def state(self) -> dict[str, Any]:
        """Return what `save_state` kept; empty where there is nothing or nothing readable, as after a crash."""
        return files.read_object(self._state, _MAX_STATE)

    def save_state(self, state: dict[str, Any]) -> None:
        """Replace the state atomically, without a sync; the caller holds `observing()`."""
        line = json.dumps(state, separators=(",", ":"))  # escaped: the project's folder need not be UTF-8
        files.write_atomic(self._state, line, durable=False)

    def count_prompt(self) -> None:
        """Note that a person has spoken: the calls from now on belong to another turn. Raises OSError."""
        self._count(_PROMPTS)

    def count_compaction(self) -> None:
        """Note that the agent's context is compacted: it has lost what earlier calls answered. Raises OSError."""
        self._count(_COMPACTIONS)

    def describe(self, title: str, branch: str) -> None:
        """Note the title and the branch of the session. Raises OSError."""
        with self.observing():
            self.save_state(self.state() | {TITLE: title, BRANCH: branch})

    def observing(self) -> contextlib.AbstractContextManager[None]:
        """Hold the observers' lock: from reading the state to saving it."""
        return self._lock(".observers.lock")

    def clear(self) -> None:
        """Forget the calls and the state; the next call is number 1 again. The caller holds `observing()`."""
        with self._lock(".lock"):
            for path in (self._calls, self._state, self.folder / "sent.json", self.folder / "task.json"):
                path.unlink(missing_ok=True)
            files.sweep_temporaries(self.folder)

    def used_at(self) -> float:
        """Return when a call was last recorded, in seconds of the epoch; 0 where none was."""
        try:
            return self._calls.stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def size(self) -> int:
        """Return the bytes that the calls take."""
        try:
            return self._calls.stat().st_size
        except FileNotFoundError:
            return 0

    def rows_from(self, offset: int, limit: int) -> list[tuple[dict[str, Any] | None, int]]:
        """Return at most `limit` whole lines from the byte `offset`, oldest first, each with the byte after it.

        A line that is not a row is None.
        """
        rows: list[tuple[dict[str, Any] | None, int]] = []
        with contextlib.suppress(FileNotFoundError), self._calls.open("rb") as file:
            file.seek(offset)
            while len(rows) < limit and (line := file.readline(_MAX_LINE)):
                if not line.endswith(b"\n") and len(line) < _MAX_LINE:
                    break  # still being written
                rows.append((_row(line), file.tell()))
        return rows

    def cut(self, size: int) -> int:
        """Forget the oldest calls, `size` bytes of them or a line more; the bytes that were forgotten.

        The last call is always kept, since the next one is numbered after it. A crash in between leaves all of it.
        """
        with self._lock(".lock"):
            try:
                data = self._calls.read_bytes()
            except FileNotFoundError:
                return 0
            at = data.find(b"\n", max(size - 1, 0)) + 1
            last = data.rfind(b"\n", 0, len(data) - 1) + 1
            at = min(at or last, last)
            files.write_atomic(self._calls, data[at:], durable=False)
            return at

    def remove(self) -> None:
        """Delete the trajectory, its folder too."""
        with self.observing(), self._lock(".lock"):
            for path in self.folder.iterdir():
                path.unlink()
        with contextlib.suppress(OSError):  # a call was recorded meanwhile
            self.folder.rmdir()

    def _count(self, name: str) -> None:
        with self.observing():
            state = self.state()
            self.save_state(state | {name: _counted(state, name) + 1})

    @contextlib.contextmanager
    def _lock(self, name: str) -> Iterator[None]:
        files.make_folder(self.folder)
        with files.lock(self.folder / name, timeout=LOCK_SECONDS):
            yield

    def _rows_in_tail(self, size: int, *, limit: int) -> tuple[list[dict[str, Any]], bool]:
        """Return the newest rows within the last `size` bytes, and whether that was the whole file."""
        try:
            with self._calls.open("rb") as file:
                end = file.seek(0, os.SEEK_END)
                start = max(0, end - size)
                file.seek(start)
                lines = file.read(size).split(b"\n")
        except FileNotFoundError:
            return [], True
        if start:
            lines = lines[1:]  # its beginning lies before what was read
        rows: list[dict[str, Any]] = []
        for line in reversed(lines):
            row = _row(line)
            if row is not None:
                rows.append(row)
            if len(rows) == limit:
                break
        return rows[::-1], start == 0


def root() -> Path:
    """Return the folder that holds all trajectories of this laptop."""
    return home_folder.path() / _FOLDER


def trajectory(session_id: str, agent_id: str = "") -> Trajectory:
    """Return the trajectory of a session, or of a sub-agent in it; the ids may be anything, also hostile."""
    name = file_name(session_id or places.agents_session() or NO_SESSION)
    return Trajectory(root() / (f"{name}.{file_name(agent_id)}" if agent_id else name))


def all_trajectories() -> list[Trajectory]:
    """Return every trajectory with a recorded call, the most recently used first."""
    try:
        trajectories = [Trajectory(folder) for folder in root().iterdir() if folder.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    used = [(trajectory.used_at(), trajectory) for trajectory in trajectories]
    return [trajectory for at, trajectory in sorted(used, key=lambda pair: -pair[0]) if at]


def of_session(session_id: str, agent_id: str = "") -> list[Trajectory]:
    """Return the trajectories with a recorded call of the sub-agent, or of the session and all of its sub-agents."""
    own = trajectory(session_id, agent_id)
    others = [] if agent_id else [Trajectory(folder) for folder in sorted(root().glob(f"{own.folder.name}.*"))]
    return [trajectory for trajectory in (own, *others) if trajectory.used_at()]


def file_name(identifier: str) -> str:
    """Return a file name for an id: itself where that is safe on every system, else derived with a hash of it.

    Safe are 1 to 64 lower-case letters, digits, `_` and `-`. A derived name holds a `~`, so it never meets
    a name that was kept; two ids which differ only in case stay apart where the file system ignores case.
    """
    if 0 < len(identifier) <= _MAX_SAFE and _SAFE.issuperset(identifier) and identifier not in _RESERVED:
        return identifier
    suffix = digest(text.clean(identifier).encode(), 10)
    readable = "".join(letter for letter in identifier.lower()[:_MAX_SAFE] if letter in _SAFE)[:24]
    return f"{readable}~{suffix}"


def turn_of(state: dict[str, Any]) -> str:
    """Return the turn of the next call by a trajectory's state, "" where no prompt was counted."""
    prompts = _counted(state, _PROMPTS)
    return f"prompt {prompts}" if prompts else ""


def compactions_of(state: dict[str, Any]) -> int:
    """Return how often the agent's context was compacted, by a trajectory's state."""
    return _counted(state, _COMPACTIONS)


def apart_from_calls(state: dict[str, Any]) -> dict[str, Any]:
    """Return what a trajectory's state has apart from its calls: counts, title and branch."""
    return {name: state[name] for name in (_PROMPTS, _COMPACTIONS, TITLE, BRANCH) if name in state}


def _counted(state: dict[str, Any], name: str) -> int:
    count = state.get(name)
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def _with_id(rows: list[dict[str, Any]], tool_use_id: object) -> dict[str, Any] | None:
    return next((row for row in rows if row.get("tool_use_id") == tool_use_id), None)


def _row(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _index(value) > 0 else None


def _index(row: dict[str, Any]) -> int:
    index = row.get("call_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else 0

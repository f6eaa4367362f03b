"""Which process runs an agent's session, so that a program which the agent started finds the session that it serves.

    $MEMORYSERVER_HOME/processes/<process id>-<digest of the session's id>

An agent starts its hooks and its MCP server from one process. The hooks record that process with their session; the
server, which is told no session, looks for the nearest of its own ancestors that was recorded. A process is known by
its number and the time at which it began, since numbers are used again.
"""

from __future__ import annotations

import json
import os

from memoryserver.client import agent_session, home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILES = 500
_FOLDER = "processes"
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "ash"})
_MOST_ANCESTORS = 20


def record(session_id: str) -> None:
    """Record that the process which runs this hook, behind a shell perhaps, runs the session. Raises OSError."""
    pid, birth = os.getppid(), ""
    while (stat := _stat(pid)) is not None:
        name, parent, birth = stat
        if name not in _SHELLS:
            break
        pid = parent
    if pid <= 1 or not session_id:  # the agent is gone, or it is no agent but a person's shell in a container
        return
    path = files.make_folder(home_folder.path() / _FOLDER) / f"{pid}-{digest(session_id)}"
    lasts = path.exists()
    if not lasts:
        files.make_room(path.parent, MAX_FILES)
    fields = {"birth": birth, "session": session_id, "namespace": _namespace(), "lasts": lasts}
    files.write_atomic(path, json.dumps(fields), durable=False)


def record_ends() -> list[str]:
    """Record the end of each session whose process is gone, and return these sessions. Raises OSError.

    Not every agent says when a session ends, and a killed one never does. Only a process that has run two hooks is
    judged, since another may have run the hook for the agent, and only sessions of this process's own namespace: from
    outside of a container those in it are not seen.
    """
    gone, living = {}, set()
    for path in _paths("*"):
        fields = files.read_object(path)
        session, pid = fields.get("session"), int(path.name.partition("-")[0])
        if not isinstance(session, str) or not session:
            continue
        if fields.get("namespace") != _namespace() or _birth(pid) == fields.get("birth"):
            living.add(session)
        elif fields.get("lasts") is True:
            gone[path] = session
    from memoryserver.client import ended_sessions

    ended = sorted(set(gone.values()) - living)
    for session in ended:
        ended_sessions.record(session)
    for path in gone:
        path.unlink(missing_ok=True)
    return ended


def sessions_here() -> dict[str, float]:
    """Return the sessions of the nearest ancestor of this process that runs any, each with when it was recorded.

    The times are seconds of the epoch. Sessions that have ended since are left out.
    """
    for pid, birth in _ancestors():
        found = {session: at for session, at, born in _recorded(f"{pid}-*") if born == birth}
        if found:
            return _not_ended(found)
    return {}


def session_of_command() -> str:
    """Return the session of the agent that runs this command, "" where a person does or it is not known.

    It is as the agent gives it to its commands, else that of the process which started this one, if it runs only one.
    """
    running = () if agent_session.current() else sessions_here()
    return agent_session.current() or (agent_session.sendable(next(iter(running))) if len(running) == 1 else "")


def sessions_elsewhere() -> set[str]:
    """Return the sessions that another living process runs than an ancestor of this one."""
    own = {pid for pid, _ in _ancestors()}
    found: dict[str, float] = {}
    for path in _paths("*"):
        pid = int(path.name.partition("-")[0])
        birth = _birth(pid) if pid not in own else None
        if birth is not None:
            found |= {session: at for session, at, born in _recorded(path.name) if born == birth}
    return set(_not_ended(found))


def _recorded(pattern: str) -> Iterator[tuple[str, float, object]]:
    """Yield session, time and birth of what was recorded."""
    for path in _paths(pattern):
        fields = files.read_object(path)
        session = fields.get("session")
        try:
            at = path.stat().st_mtime_ns / 1e9  # as the ends are, so that equal times compare equal
        except OSError:  # removed meanwhile, to make room; or a home that cannot be used
            continue
        if isinstance(session, str) and session:
            yield session, at, fields.get("birth")


def _paths(pattern: str) -> list[Path]:
    paths = (home_folder.path() / _FOLDER).glob(pattern)
    return [path for path in paths if path.name.partition("-")[0].isdecimal()]


def _not_ended(found: dict[str, float]) -> dict[str, float]:
    from memoryserver.client.ended_sessions import EndedSessions

    ends = EndedSessions()
    return {session: at for session, at in found.items() if (ends.end_of(session) or 0) / 1e9 <= at}


def _namespace() -> str:
    """Return the namespace in which this process has its number, "" where the system has none."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _birth(pid: int) -> str | None:
    """Return when the living process began, "" where the system does not tell; None if there is no such process."""
    if os.path.isdir("/proc/self"):
        stat = _stat(pid)
        return None if stat is None else stat[2]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:  # somebody else's
        pass
    return ""


def _ancestors() -> Iterator[tuple[int, str]]:
    """Yield the processes above this one, the nearest first, each with when it began."""
    pid = os.getppid()
    parents = None if os.path.isdir("/proc/self") else _parents()
    for _ in range(_MOST_ANCESTORS):
        if pid <= 1:
            return
        stat = _stat(pid) if parents is None else ("", parents.get(pid, 0), "")
        if stat is None:
            return
        yield pid, stat[2]
        pid = stat[1]


def _stat(pid: int) -> tuple[str, int, str] | None:
    """Return name, parent and time of birth of the process by Linux's /proc; None where there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            content = file.read()
    except OSError:
        return None
    head, _, rest = content.rpartition(") ")
    fields = rest.split()
    return head.partition(" (")[2], int(fields[1]), fields[19]


def _parents() -> dict[int, int]:
    """Return the parent of each process where there is no /proc (macOS), by `ps`; only this one's without that."""
    import subprocess

    try:
        done = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    pairs = (line.split() for line in done.stdout.splitlines())
    return {int(pid): int(parent) for pid, parent in pairs}

"""The context of a call: a project on the laptop, or one caller of a team's server."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver.client import agent_processes, agent_session, places
from memoryserver.client.ended_sessions import EndedSessions
from memoryserver.client.hook_state import SessionMemory
from memoryserver.client.http import Client
from trajectory.local import store

LIVE_SECONDS = 300.0
SECONDS = 20.0  # timeout of a request to the server


class NoServerError(Exception):
    """The laptop has no server, or its login cannot be used; the message is one line."""


@dataclass(frozen=True)
class Place:
    """The context of a call: `root` is the project's folder, None for a caller over HTTP, who has no files here.

    `caller` is that caller's own client of the server; on a laptop the client is created when it is needed.
    """

    root: Path | None = None
    caller: Client | None = field(default=None, repr=False)

    @property
    def journal(self) -> Path:
        """The folder of the project's journal."""
        return places.journal_dir(self.folder)

    @property
    def folder(self) -> Path:
        """The project's folder; only tools of the laptop use it."""
        assert self.root is not None, "a tool that needs the laptop's files was offered over HTTP"
        return self.root

    @property
    def project(self) -> str | None:
        """The project's key, None over HTTP."""
        return None if self.root is None else places.project_key(self.root)

    @property
    def on_laptop(self) -> bool:
        """True if the laptop's files are available, including the outbox."""
        return self.root is not None

    def client(self) -> Client:
        """Return a client of the server with the caller's token. Raises NoServerError."""
        try:
            client = self.caller or connection.load(timeout=SECONDS)
        except CommandError as error:
            raise NoServerError(str(error)) from error
        client.for_agent = True
        client.session = self.session()
        return client

    def session(self) -> str:
        """Return the id of the agent's session that calls, "" if it is not known.

        It is the session of the process that started this one, as the hooks recorded it; of several the one in this
        folder, or the only one that did something in the last minutes. Where none was recorded, it is the one session
        in the project whose calls the hooks have recorded in the last minutes, without those of other processes; where
        there are several or none, what the environment of this process says, unless that session is not among them.
        """
        if self.root is None:
            return ""
        own = {
            session: at for session, at in agent_processes.sessions_here().items() if agent_session.sendable(session)
        }
        if own:
            return _the_one(own, str(self.folder))
        live, named = _live_sessions(str(self.folder)), agent_session.current()
        if live:
            live -= agent_processes.sessions_elsewhere()
        if len(live) == 1:
            return live.pop()
        return named if named in live or not live else ""

    def sessions_at_work(self) -> set[str]:
        """Return the sessions with a call in the project's folder that the hooks recorded in the last minutes."""
        return _live_sessions(str(self.folder))


def laptop(roots: list[Path]) -> Place:
    """Return the place of an agent on this laptop that reported `roots` as its folders.

    It is the project of the first root that exists. If the project of the agent's own folder (`places.here`) is among
    those of the roots, or no root exists, it is that one, as for its hooks.
    """
    default = places.here()
    projects = [places.of(root) for root in roots if root.is_dir()]
    if not projects or any(project.journal == default.journal for project in projects):
        return Place(default.root)
    return Place(projects[0].root)


def _the_one(sessions: dict[str, float], folder: str) -> str:
    """Return the session in `folder`, or the only one with a sign of life within LIVE_SECONDS; "" if that is none."""
    here = [session for session in sessions if SessionMemory(session).root == folder] or list(sessions)
    if len(here) > 1:
        since = time.time() - LIVE_SECONDS
        here = [name for name in here if max(sessions[name], store.trajectory(name).used_at()) > since]
    return here[0] if len(here) == 1 else ""


def _live_sessions(project: str) -> set[str]:
    """Return the sessions with a recorded call in the folder `project` within LIVE_SECONDS, unless they ended."""
    since, ended = time.time() - LIVE_SECONDS, EndedSessions()
    found: set[str] = set()
    for trajectory in takewhile(lambda each: each.used_at() > since, store.all_trajectories()):
        state = trajectory.state()
        session = agent_session.sendable(state.get("session_id"))
        if session and state.get("project") == project and (ended.end_of(session) or 0) / 1e9 <= trajectory.used_at():
            found.add(session)
    return found

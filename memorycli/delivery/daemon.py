"""The daemon's deliveries after each cycle: every channel but the queue of learnings, then session contexts.

The cycle itself delivers the queue. The journals are those of every project that was worked in lately. Being offline is
normal: after the first failed attempt the other steps wait for the next cycle.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from capture.local.scanning.state import STATE_FOLDER
from capture.local.service.daemon import Cycle, Step
from capture.local.service.projects import FILE, Workplaces
from memorycli.delivery import connection, laptop_state, observer_config, quota
from memorycli.delivery.channels import CHANNELS, JOURNAL, LEARNINGS, Channel
from memorycli.delivery.scope import Journal, Scope
from memorycli.errors import CommandError
from memoryserver.client import context_cache, places
from memoryserver.client.exclusions import Exclusions
from memoryserver.client.http import Client, RefusedError, UnauthorizedError, UnreachableError
from memoryserver.common.files import LockTimeoutError

_log = logging.getLogger("capture.upkeep")


def steps(home: Path) -> list[Step]:
    """Return the steps in their order."""
    projects = _Projects(home)
    server = _Server()
    channels = {
        name: partial(_send, name, channel, projects) for name, channel in CHANNELS.items() if name != LEARNINGS
    }
    fetches = {"observers": projects.fetch_observers, "context": _fetch_contexts, "laptop": _report_laptop}
    local = [Step("workplaces", projects.record), Step("quota", lambda _: _enforce_quota())]
    return [*local, *(Step(name, server.asked_by(step)) for name, step in (channels | fetches).items())]


class _Server:
    """The server during one cycle: once it cannot be reached, or refuses the token, no other step asks it."""

    def __init__(self) -> None:
        self._failed_in: Cycle | None = None

    def asked_by(self, step: Callable[[Client], None]) -> Callable[[Cycle], None]:
        """Return `step` for a server that answers; it is not an error that there is none."""

        def do(cycle: Cycle) -> None:
            queue_failed = cycle.delivered.error and not cycle.delivered.delivered
            if cycle is self._failed_in or queue_failed:
                return
            try:
                step(connection.load())
            except (UnreachableError, CommandError) as error:
                self._failed_in = cycle
                _log.info("later: %s", error)
            except LockTimeoutError as error:
                _log.info("later: %s", error)
            except UnauthorizedError:
                self._failed_in = cycle
                raise

        return do


class _Projects:
    """The projects that were worked in lately."""

    def __init__(self, home: Path) -> None:
        self._workplaces = Workplaces(home / STATE_FOLDER / FILE)
        self._worked_in: set[Path] = set()  # since their configuration was fetched

    def record(self, cycle: Cycle) -> None:
        """Record where work was seen in this cycle."""
        self._worked_in.update(self._workplaces.record(cycle.scanned.folders))

    def journals(self) -> tuple[Journal, ...]:
        """Return the journals of the projects.

        A journal outside of its project, by a setting, is that of all projects: only a session knows whose it is.
        """
        exclusions = Exclusions()
        roots = [root for root in self._workplaces.roots() if not exclusions.of(str(root))]
        projects = {project.journal: project for project in map(places.of, roots)}
        return tuple(
            Journal(folder, project.key(environment=False))
            for folder, project in projects.items()
            if not project.main or folder.is_relative_to(project.main)
        )

    def fetch_observers(self, client: Client) -> None:
        """Ask which observers run where was just worked."""
        for root in sorted(self._worked_in):
            observer_config.refresh(places.project_key(root, environment=False), client)
            self._worked_in.discard(root)


def _send(name: str, channel: Channel, projects: _Projects, client: Client) -> None:
    report = channel(client, Scope(projects.journals() if name == JOURNAL else ()))
    if report.has_news:
        _log.info("%s: %s", name, "; ".join((report.line, *report.details)))
    if report.offline:
        raise UnreachableError(report.line)


def _fetch_contexts(client: Client) -> None:
    """Fetch what sessions start with, where it is old or another server's."""
    for project in context_cache.known_projects():
        cached = context_cache.load(project)
        if cached is None or cached.is_old or cached.server != client.url:
            try:
                context_cache.refresh(client, project)
            except UnauthorizedError:
                raise
            except RefusedError as error:
                _log.info("no context of %s: %s", project, error)


def _enforce_quota() -> None:
    if quota.enforce():
        _log.warning("more waited for the server than may be kept: the oldest tool calls or observations are gone")


def _report_laptop(client: Client) -> None:
    """Tell the server the state of this laptop. Raises ServerError, but not where it is too old to take it."""
    try:
        laptop_state.report(client)
    except UnauthorizedError:
        raise
    except RefusedError as error:
        _log.info("the state of this laptop was not reported: %s", error)

"""What the daemon does after each cycle: sends what else waits, and fetches what sessions begin with.

These are the parts of `memory sync`, for every project that was worked in lately. Being offline is normal: after the
first vain try the others wait for the next cycle.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from capture.local.scanning.scanner import STATE_FOLDER
from capture.local.service.daemon import Cycle, Step
from capture.local.service.projects import FILE, Workplaces
from ghap.local.sync import sync_journal
from memorycli.delivery import connection, observer_config, quota, transcripts
from memorycli.delivery.outboxes import OUTBOXES, Deliver
from memorycli.errors import CommandError
from memoryserver.client import context_cache, places
from memoryserver.client.http import Client, RefusedError, UnreachableError
from memoryserver.common.files import LockTimeoutError
from trajectory.local import delivery

_log = logging.getLogger("capture.upkeep")
_TOKEN_REFUSED = (401, 403)


def steps(home: Path) -> list[Step]:
    """The parts, in this order."""
    upkeep = _Upkeep(home)
    parts: dict[str, Callable[[Client, Cycle], None]] = {
        "transcripts": _transcripts,
        **{name: _outbox(name, deliver) for name, deliver in OUTBOXES.items()},
        "tool calls": upkeep.tool_calls,
        "journals": upkeep.journals,
        "contexts": upkeep.contexts,
    }
    server = _Server()
    local = [Step("workplaces", upkeep.note), Step("bound", lambda _: _keep_within_bound())]
    return [*local, *(Step(name, server.asked_by(part)) for name, part in parts.items())]


class _Server:
    """The server as it is in this cycle: once it does not answer, or refuses the token, no other part asks it."""

    def __init__(self) -> None:
        self._vain_in: Cycle | None = None

    def asked_by(self, part: Callable[[Client, Cycle], None]) -> Callable[[Cycle], None]:
        """`part` where there is a server that answers; that there is none is no error."""

        def do(cycle: Cycle) -> None:
            queue_was_in_vain = cycle.delivered.error and not cycle.delivered.delivered
            if cycle is self._vain_in or queue_was_in_vain:
                return
            try:
                part(connection.load(), cycle)
            except (UnreachableError, CommandError) as error:
                self._vain_in = cycle
                _log.info("later: %s", error)
            except LockTimeoutError as error:
                _log.info("later: %s", error)
            except RefusedError as error:
                if error.status in _TOKEN_REFUSED:
                    self._vain_in = cycle
                raise

        return do


def _keep_within_bound() -> None:
    if quota.enforce():
        _log.warning("more waited for the server than may be kept: the oldest tool calls or observations were given up")


def _transcripts(client: Client, cycle: Cycle) -> None:
    """Tell the server which transcripts were read, so that it knows how many yield something."""
    told = transcripts.deliver(client)
    if told:
        _log.info("transcripts: told of %d", told)


def _outbox(name: str, deliver: Deliver) -> Callable[[Client, Cycle], None]:
    def send(client: Client, cycle: Cycle) -> None:
        done = deliver(client)
        if done.sent or done.refused:
            _log.info("%s: %d sent, %d refused", name, done.sent, done.refused)

    return send


class _Upkeep:
    """Knows which projects were worked in lately."""

    def __init__(self, home: Path) -> None:
        self._workplaces = Workplaces(home / STATE_FOLDER / FILE)
        self._worked_in: set[Path] = set()  # since their configuration was asked for

    def note(self, cycle: Cycle) -> None:
        """Keep in mind where was worked."""
        self._worked_in.update(self._workplaces.note(cycle.scanned.folders))

    def tool_calls(self, client: Client, cycle: Cycle) -> None:
        """Send recorded tool calls, and ask which observers run where was just worked."""
        done = delivery.deliver(client.post, client.url)
        if done.sent or done.refused:
            _log.info("tool calls: %d sent, %d refused %s", done.sent, done.refused, done.reason)
        for root in sorted(self._worked_in):
            observer_config.refresh(places.project_key(root, environment=False), client)
            self._worked_in.discard(root)

    def journals(self, client: Client, cycle: Cycle) -> None:
        """Send what the journals of the projects worked in lately have to send."""
        for root in self._workplaces.roots():
            folder = places.journal_dir(root)
            if not folder.is_relative_to(root):
                continue  # one journal for all projects, by a setting: whose it is, a session knows
            report = sync_journal(folder, places.project_key(root, environment=False), client.post, server=client.url)
            if report.confirmed:
                _log.info("%s: %d entries sent", folder, report.confirmed)
            if report.offline:
                raise UnreachableError(report.offline)

    def contexts(self, client: Client, cycle: Cycle) -> None:
        """Fetch anew what sessions begin with, where it is old or another server's."""
        for project in context_cache.known_projects():
            kept = context_cache.load(project)
            if kept is None or kept.is_old or kept.server != client.url:
                try:
                    context_cache.refresh(client, project)
                except RefusedError as error:
                    if error.status in _TOKEN_REFUSED:
                        raise
                    _log.info("no context of %s: %s", project, error)

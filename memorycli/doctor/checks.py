"""The checks of `memory doctor`: everything that can be wrong on a laptop, and how to fix it.

A check is a function that yields a Finding for each thing that is wrong; CHECKS names them in the order in which they
are run and shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memorycli.doctor import agents, laptop, server
from memorycli.doctor.finding import Finding, View

CHECKS: dict[str, Callable[[View], Iterator[Finding]]] = {
    "home folder": laptop.home_usable,
    "disk": laptop.disk_has_room,
    "settings": laptop.settings_valid,
    "agents' settings": agents.settings_readable,
    "hooks are there": agents.hooks_there,
    "hooks are there once": agents.hooks_once,
    "hooks can run": agents.hooks_run,
    "hooks are allowed": agents.hooks_allowed,
    "hooks have a token": agents.http_token,
    "MCP server": agents.mcp_server,
    "journal": laptop.journal_sound,
    "capture": laptop.capture_runs,
    "queue of learnings": laptop.queue_moves,
    "outbox": laptop.outbox_moves,
    "observers": laptop.observers_run,
    "login": server.logged_in,
    "server": server.reachable,
    "token": server.token_taken,
    "clock": server.clocks_agree,
    "versions": server.versions_fit,
}
_OF_SERVER = ("login", "server", "token", "clock", "versions")
_OF_ANSWER = _OF_SERVER[2:]  # nothing to look at while the server does not answer


def examine(*, offline: bool = False) -> dict[str, list[Finding]]:
    """What each check has found. A check that cannot look says so as its finding."""
    view = View(offline=offline)
    found = {}
    for name, check in CHECKS.items():
        if name in _OF_SERVER and not _can_look(view, name):
            continue
        try:
            found[name] = list(check(view))
        except OSError as error:
            found[name] = [Finding(f"cannot be looked at: {error}", "mend that, and run memory doctor again")]
    return found


def _can_look(view: View, name: str) -> bool:
    if view.offline:
        return False
    return name == "login" or (bool(view.server.url) and (name not in _OF_ANSWER or view.server.answers))

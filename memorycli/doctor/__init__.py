"""`memory doctor`: everything that can be wrong on a laptop is looked for, and explained with what mends it.

A check is a function that yields a Finding for each thing that is wrong; CHECKS names them in the order in which they
are run and shown.
"""

from __future__ import annotations

import json
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict

from memorycli.doctor import agents, laptop, server
from memorycli.doctor.finding import Finding, View

HELP = "find what is wrong, and say what mends it"
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
_WIDTH = 80


def configure(parser: ArgumentParser) -> None:
    """How it is said."""
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--offline", action="store_true", help="do not ask the server")


def run(args: Namespace) -> int:
    """Run the checks; 1 if anything is wrong."""
    found = examine(offline=args.offline)
    wrong = sum(map(len, found.values()))
    if args.json:
        checks = [{"check": name, "findings": [asdict(one) for one in findings]} for name, findings in found.items()]
        print(json.dumps({"ok": not wrong, "checks": checks}, indent=2))
    else:
        print("\n".join(_rendered(found)))
    return 1 if wrong else 0


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


def _rendered(found: dict[str, list[Finding]]) -> Iterator[str]:
    well = [name for name, findings in found.items() if not findings]
    for name, findings in found.items():
        for one in findings:
            yield from textwrap.wrap(
                f"{name}: {one.what}", _WIDTH, initial_indent="WRONG  ", subsequent_indent="       ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            yield f"       -> {one.mend}"
    if well:
        yield from textwrap.wrap(
            ", ".join(well), _WIDTH, initial_indent="well   ", subsequent_indent="       ", break_on_hyphens=False
        )

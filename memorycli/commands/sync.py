"""`memory sync`: send what the server does not have yet.

`--background` is the way of hooks: silent, one at a time, and after a failure not before the pause that `sync_state`
keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from ghap.local import GHAPError
from memorycli.arguments.journal import add_journal_option
from memorycli.delivery import connection, quota
from memorycli.delivery.parts import PARTS
from memorycli.delivery.report import PartReport
from memorycli.errors import CommandError
from memoryserver.client import discarded, home_folder, sync_state
from memoryserver.client.http import Client, ServerError
from memoryserver.common import files
from memoryserver.common.files import LockTimeoutError

HELP = "send what the server does not have yet"
_LOCK = ".sync.lock"
_PATIENCE = 10.0  # seconds for which a person waits for a sync that is at work


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `memory sync`."""
    add_journal_option(parser)
    parser.add_argument("--retry-refused", action="store_true", help="send again what the server refused before")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when offline or when something was refused")
    parser.add_argument(
        "--background", action="store_true", help="as hooks do: say nothing, wait for nobody, heed the pause"
    )


def run(args: argparse.Namespace) -> int:
    """Send each part; being offline is normal and no error unless `--strict`."""
    given_up = quota.enforce()
    if args.background:
        return _background(args)
    client = connection.load()
    try:
        with files.lock(_lock_path(), timeout=_PATIENCE):
            sent = _send(args, client)
    except LockTimeoutError as error:
        raise CommandError(f"another sync is at work: {error}") from error
    if given_up:
        sent.reports["outbox"] = PartReport(_given_up())
    _print(args, sent.reports)
    behind = [f"{name}: {report.line}" for name, report in sent.reports.items() if args.strict and not report.complete]
    if sent.problems or behind:
        raise CommandError("; ".join(sent.problems + behind))
    return 0


@dataclass
class _Sent:
    """What became of each part, and what went wrong so that the parts after it were not tried."""

    reports: dict[str, PartReport] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def _send(args: argparse.Namespace, client: Client) -> _Sent:
    """Try the parts, and keep how that went. The caller holds the lock."""
    sent = _Sent()
    for name, part in PARTS.items():
        try:
            sent.reports[name] = part(args, client)
        except (ServerError, LockTimeoutError, GHAPError) as error:
            sent.problems.append(f"{name}: {error}")
            break
        if sent.reports[name].offline:
            break
    behind = [f"{name}: {report.line}" for name, report in sent.reports.items() if not report.complete]
    if sent.problems or behind:
        sync_state.fail(client.url, (sent.problems + behind)[0])
    else:
        sync_state.succeed(client.url)
    return sent


def _background(args: argparse.Namespace) -> int:
    """Being offline, not logged in or not due is no matter here; anything else is for the hook's log."""
    if not connection.is_configured():
        return 0
    client = connection.load()
    if not sync_state.load(client.url).is_due(time.time()):
        return 0
    lock = files.try_lock(_lock_path())
    if lock is None:
        return 0
    try:
        sent = _send(args, client)
    finally:
        os.close(lock)
    if sent.problems:
        raise CommandError("; ".join(sent.problems))
    return 0


def _lock_path() -> Path:
    return files.make_folder(home_folder.path()) / _LOCK


def _given_up() -> str:
    total = discarded.load()
    return (
        f"above its bound of {quota.limit() // quota.MEGABYTE} MB; in all {total.tool_calls} tool calls and "
        f"{total.observations} observations were given up, the oldest first"
    )


def _print(args: argparse.Namespace, reports: dict[str, PartReport]) -> None:
    if args.json:
        print(json.dumps({name: vars(report) for name, report in reports.items()}, indent=2))
        return
    for name, report in reports.items():
        print(f"{name}: {report.line}")
        for detail in report.details:
            print(f"  {detail}")

"""`memory sync`: send what the server does not have yet.

PARTS are the things that are sent, in this order; each is a function that reports in one line.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass

from ghap.local import GHAPError
from ghap.local.sync import SyncReport, sync_journal
from memoryserver.cli import capture, connection, log
from memoryserver.cli.journal import add_journal_option, folder, told
from memoryserver.cli.main import CommandError
from memoryserver.local import places
from memoryserver.local.client import Client, ServerError, UnreachableError
from memoryserver.local.files import LockTimeoutError

HELP = "send what the server does not have yet"


@dataclass(frozen=True)
class PartReport:
    """What became of one part: a line, further lines about single things, whether all of it was taken.

    `offline` says why the server could not be reached: the parts after it are then not tried.
    """

    line: str
    details: tuple[str, ...] = ()
    complete: bool = True
    offline: bool = False


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `memory sync`."""
    add_journal_option(parser)
    parser.add_argument("--retry-refused", action="store_true", help="send again what the server refused before")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when offline or when something was refused")


def run(args: argparse.Namespace) -> int:
    """Send each part; being offline is normal and no error unless `--strict`."""
    client = connection.load()
    reports: dict[str, PartReport] = {}
    problems = []
    for name, part in PARTS.items():
        try:
            reports[name] = part(args, client)
        except (ServerError, LockTimeoutError, GHAPError) as error:
            problems.append(f"{name}: {error}")
            break
        if args.strict and not reports[name].complete:
            problems.append(f"{name}: {reports[name].line}")
        if reports[name].offline:
            break
    _print(args, reports)
    if problems:
        raise CommandError("; ".join(problems))
    return 0


def _print(args: argparse.Namespace, reports: dict[str, PartReport]) -> None:
    if args.json:
        print(json.dumps({name: vars(report) for name, report in reports.items()}, indent=2))
        return
    for name, report in reports.items():
        print(f"{name}: {report.line}")
        for detail in report.details:
            print(f"  {detail}")


def _journal(args: argparse.Namespace, client: Client) -> PartReport:
    with told():
        report = sync_journal(
            folder(args),
            places.project_key(places.project_root()),
            client.post,
            server=client.url,
            retry_refused=args.retry_refused,
        )
    details = [f"refused: {entry_id}: {reason}" for entry_id, reason in report.refused.items()]
    details += [f"unreadable: {line}" for line in report.unreadable]
    complete = not report.offline and not report.refused
    return PartReport(_line(report), tuple(details), complete, bool(report.offline))


def _line(report: SyncReport) -> str:
    if report.offline:
        return f"offline, {report.waiting} entries wait: {report.offline}"
    said = [f"{report.confirmed} sent" if report.confirmed else "nothing new"]
    if report.refused:
        said.append(f"{len(report.refused)} refused and kept (send them again with --retry-refused)")
    if report.unreadable:
        said.append(f"{len(report.unreadable)} unreadable lines passed over")
    return ", ".join(said)


def _observations(args: argparse.Namespace, client: Client) -> PartReport:
    try:
        done = log.deliver(client, retry_refused=args.retry_refused)
    except UnreachableError as error:
        return PartReport(f"offline: {error}", complete=False, offline=True)
    said = [f"{done.sent} sent" if done.sent else "nothing new"]
    if done.refused:
        said.append(f"{done.refused} refused and kept (send them again with --retry-refused)")
    return PartReport(", ".join(said), complete=not done.refused)


def _trajectory(args: argparse.Namespace, client: Client) -> PartReport:
    from memoryserver.cli import trajectory_sync

    return trajectory_sync.part(args, client)


def _learnings(args: argparse.Namespace, client: Client) -> PartReport:
    done = capture.deliver(client, ignore_pauses=True)
    said = [f"{done.delivered} queue files delivered" if done.delivered else "nothing new"]
    if done.failed:
        said.append(f"{done.failed} can never be stored (see: memory capture status)")
    if done.error:
        said.append(f"{done.waiting} wait: {done.error}")
    return PartReport(", ".join(said), complete=not done.failed and not done.error)


PARTS: dict[str, Callable[[argparse.Namespace, Client], PartReport]] = {
    "journal": _journal,
    "learnings": _learnings,
    "observations": _observations,
    "trajectory": _trajectory,
}

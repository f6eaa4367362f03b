"""The parts of `memory sync`, in the order in which they are sent."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ghap.local.sync import SyncReport, sync_journal
from memorycli.arguments.journal import folder, notices_on_stderr
from memorycli.commands import capture
from memorycli.delivery import tool_calls, transcripts
from memorycli.delivery.outboxes import OUTBOXES, Deliver
from memorycli.delivery.report import PartReport
from memoryserver.client import context_cache, places
from memoryserver.client.http import Client, RefusedError, UnreachableError

Part = Callable[[argparse.Namespace, Client], PartReport]


def _journal(args: argparse.Namespace, client: Client) -> PartReport:
    with notices_on_stderr():
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


def _context(_args: argparse.Namespace, client: Client) -> PartReport:
    """What the next sessions start with: of this project, and of those in which sessions started lately."""
    projects = dict.fromkeys([places.project_key(places.project_root()), *context_cache.known_projects()])
    try:
        for project in projects:
            context_cache.refresh(client, project)
    except UnreachableError as error:
        return PartReport(f"offline: {error}", complete=False, offline=True)
    except RefusedError as error:
        if error.status in (401, 403):
            raise
        return PartReport(f"not fetched: {error}")  # an older server has none to give
    return PartReport(f"fetched for {len(projects)} project{'s' if len(projects) > 1 else ''}")


def _learnings(args: argparse.Namespace, client: Client) -> PartReport:
    done = capture.deliver(client, ignore_pauses=not args.background)
    said = [f"{done.delivered} queue files delivered" if done.delivered else "nothing new"]
    if done.failed:
        said.append(f"{done.failed} can never be stored (see: memory capture status)")
    if done.error:
        said.append(f"{done.waiting} wait: {done.error}")
    return PartReport(", ".join(said), complete=not done.failed and not done.error)


def _outbox(deliver: Deliver) -> Part:
    def part(args: argparse.Namespace, client: Client) -> PartReport:
        try:
            done = deliver(client, retry_refused=args.retry_refused)
        except UnreachableError as error:
            return PartReport(f"offline: {error}", complete=False, offline=True)
        said = [f"{done.sent} sent" if done.sent else "nothing new"]
        if done.refused:
            said.append(f"{done.refused} refused and kept (send them again with --retry-refused)")
        return PartReport(", ".join(said), complete=not done.refused)

    return part


PARTS: dict[str, Part] = {
    "journal": _journal,
    "learnings": _learnings,
    "contexts": transcripts.part,
    **{name: _outbox(deliver) for name, deliver in OUTBOXES.items()},
    "trajectory": tool_calls.part,
    "context": _context,
}
